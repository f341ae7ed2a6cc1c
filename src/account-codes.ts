/** Result codes of accounts, sessions and the portal; part of the table in errors.ts. */
export const ACCOUNT_CODES = {
  UNAUTHENTICATED: { status: 401, en: 'Sign in, or send a key.', ar: 'سجّل الدخول أو أرسل مفتاحًا.' },
  FORBIDDEN: { status: 403, en: 'Your role does not allow this.', ar: 'دورك لا يسمح بهذا.' },
  CSRF_TOKEN_INVALID: {
    status: 403,
    en: 'X-CSRF-Token must be the token of this session; reload the page.',
    ar: 'يجب أن تحمل ترويسة X-CSRF-Token رمز هذه الجلسة؛ أعد تحميل الصفحة.',
  },
  SIGN_IN_REFUSED: {
    status: 401,
    en: 'The e-mail address or the password is wrong.',
    ar: 'البريد الإلكتروني أو كلمة المرور غير صحيحة.',
  },
  SIGN_UP_CLOSED: {
    status: 403,
    en: 'Accounts on this server are made by invitation.',
    ar: 'تُنشأ الحسابات على هذا الخادم بالدعوة.',
  },
  MAIL_UNAVAILABLE: {
    status: 409,
    en: 'This server sends no mail; ask an owner of your enterprise or the operator for a link.',
    ar: 'هذا الخادم لا يرسل بريدًا؛ اطلب رابطًا من مالك مؤسستك أو من المشغّل.',
  },
  ACCOUNT_EXISTS: {
    status: 409,
    en: 'The address of this link has an account; sign in with it, then open the link again.',
    ar: 'لعنوان هذا الرابط حساب؛ سجّل الدخول به ثم افتح الرابط مرة أخرى.',
  },
  LINK_INVALID: {
    status: 410,
    en: 'This link was used, has expired or was revoked; ask for a new one.',
    ar: 'استُخدم هذا الرابط أو انتهت صلاحيته أو أُلغي؛ اطلب رابطًا جديدًا.',
  },
  SIGN_IN_LIMITED: {
    status: 429,
    en: 'Too many attempts; retry later.',
    ar: 'محاولات كثيرة جدًا؛ أعد المحاولة لاحقًا.',
  },
  PORTAL_NOT_BUILT: {
    status: 503,
    en: 'The portal has not been built; run `npm run setup` and reload.',
    ar: 'لم تُبنَ البوابة بعد؛ شغّل `npm run setup` ثم أعد التحميل.',
  },
  OIDC_UNAVAILABLE: {
    status: 503,
    en: 'The provider of your organization cannot be reached; retry later or sign in with a password.',
    ar: 'تعذّر الوصول إلى مزوّد الدخول في مؤسستك؛ أعد المحاولة لاحقًا أو استخدم كلمة مرور.',
  },
} as const
