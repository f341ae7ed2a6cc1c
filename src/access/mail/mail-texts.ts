/**
 * Mails with one-time links, in English and Arabic, since the language of the reader is not known. As text, and as
 * simple HTML without anything that is loaded from elsewhere.
 */
export type MailText =
  | { kind: 'invitation'; url: string; enterpriseName: string }
  | { kind: 'operator' | 'person' | 'sign-up' | 'account-exists' | 'reset'; url: string }

type Words = { subject: string; text: string; action: string }

const WORDS: Record<MailText['kind'], { en: Words; ar: Words }> = {
  invitation: {
    en: {
      subject: 'Invitation to {enterprise}',
      text: 'You were invited to {enterprise} on Groundwave. The link works once and is valid for 7 days.',
      action: 'Accept the invitation',
    },
    ar: {
      subject: 'دعوة إلى {enterprise}',
      text: 'دُعيت إلى {enterprise} على Groundwave. يعمل الرابط مرة واحدة وهو صالح لمدة 7 أيام.',
      action: 'قبول الدعوة',
    },
  },
  operator: {
    en: {
      subject: 'Invitation to operate Groundwave',
      text: 'You were invited to operate a Groundwave server. The link works once and is valid for 7 days.',
      action: 'Accept the invitation',
    },
    ar: {
      subject: 'دعوة إلى تشغيل Groundwave',
      text: 'دُعيت إلى تشغيل خادم Groundwave. يعمل الرابط مرة واحدة وهو صالح لمدة 7 أيام.',
      action: 'قبول الدعوة',
    },
  },
  person: {
    en: {
      subject: 'Your Groundwave account',
      text: 'Your account on Groundwave is ready; choose a password. The link works once and is valid for 7 days.',
      action: 'Choose a password',
    },
    ar: {
      subject: 'حسابك على Groundwave',
      text: 'حسابك على Groundwave جاهز؛ اختر كلمة مرور. يعمل الرابط مرة واحدة وهو صالح لمدة 7 أيام.',
      action: 'اختيار كلمة المرور',
    },
  },
  'sign-up': {
    en: {
      subject: 'Your Groundwave account',
      text: 'Somebody asked for an account with this address. The link works once and is valid for a day. If it was not you, ignore this mail.',
      action: 'Create the account',
    },
    ar: {
      subject: 'حسابك على Groundwave',
      text: 'طلب شخص ما إنشاء حساب بهذا العنوان. يعمل الرابط مرة واحدة وهو صالح لمدة يوم. إن لم تكن أنت فتجاهل هذه الرسالة.',
      action: 'إنشاء الحساب',
    },
  },
  'account-exists': {
    en: {
      subject: 'Your Groundwave account',
      text: 'Somebody asked for an account with this address, which has one already. If it was you, sign in; if not, ignore this mail.',
      action: 'Sign in',
    },
    ar: {
      subject: 'حسابك على Groundwave',
      text: 'طلب شخص ما إنشاء حساب بهذا العنوان، وله حساب بالفعل. إن كنت أنت فسجّل الدخول، وإلا فتجاهل هذه الرسالة.',
      action: 'تسجيل الدخول',
    },
  },
  reset: {
    en: {
      subject: 'Reset your Groundwave password',
      text: 'Somebody asked for a new password for the account with this address. The link works once and is valid for an hour. If it was not you, ignore this mail.',
      action: 'Choose a new password',
    },
    ar: {
      subject: 'إعادة تعيين كلمة مرور Groundwave',
      text: 'طلب شخص ما كلمة مرور جديدة للحساب المرتبط بهذا العنوان. يعمل الرابط مرة واحدة وهو صالح لمدة ساعة. إن لم تكن أنت فتجاهل هذه الرسالة.',
      action: 'اختيار كلمة مرور جديدة',
    },
  },
}

/**
 * Names come from people: line breaks and marks of direction would change the text around them, and mail programs turn
 * words joined by a dot, colon or at sign (of any width) into links.
 */
export const safeName = (name: string): string =>
  `“${name
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[.:@\u2024\u3002\uFE52\uFE55\uFE6B\uFF0E\uFF1A\uFF20\uFF61](?=\S)/gu, '$& ')
    .trim()}”`

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

export function mailOf(mail: MailText): { subject: string; text: string; html: string } {
  const { en, ar } = WORDS[mail.kind]
  const enterprise = mail.kind === 'invitation' ? safeName(mail.enterpriseName) : ''
  const filled = (text: string): string => text.replaceAll('{enterprise}', () => enterprise)
  const part = ({ text, action }: Words, language: 'en' | 'ar'): string =>
    `<div lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"><p>${escaped(filled(text))}</p><p><a href="${escaped(mail.url)}">${action}</a></p></div>`
  return {
    subject: `${filled(en.subject)} · ${filled(ar.subject)}`,
    text: `${filled(en.text)}\n\n${mail.url}\n\n${filled(ar.text)}\n\n${mail.url}\n`,
    html: `<!doctype html><html><body>${part(en, 'en')}<hr>${part(ar, 'ar')}<p dir="ltr">${escaped(mail.url)}</p></body></html>`,
  }
}
