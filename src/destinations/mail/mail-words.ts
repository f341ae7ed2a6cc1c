/** What mails say, in English and Arabic. */
import type { Language } from '../../stores/postgres/destinations/addresses.ts'

type Both = Readonly<Record<Language, string>>

/** Types of events; others are shown as they are named. */
export const HEADINGS: Readonly<Record<string, Both>> = {
  'alert.firing': { en: 'Alert', ar: 'تنبيه' },
  'alert.resolved': { en: 'Resolved', ar: 'انتهى التنبيه' },
  'zone.entered': { en: 'Zone entered', ar: 'دخول منطقة' },
  'zone.left': { en: 'Zone left', ar: 'مغادرة منطقة' },
  'zone.dwelled': { en: 'Stayed in zone', ar: 'مكوث في منطقة' },
  'sensor.state': { en: 'State of a sensor', ar: 'حالة مستشعر' },
  'job.finished': { en: 'Job finished', ar: 'انتهت مهمة' },
  'run.failed': { en: 'Run failed', ar: 'فشل تشغيل' },
  'credits.low': { en: 'Credits are low', ar: 'الرصيد منخفض' },
  'key.expiring': { en: 'A key expires', ar: 'مفتاح تنتهي صلاحيته' },
  'tool-api.held': { en: 'Hold of a Tool API', ar: 'إيقاف واجهة أداة' },
  'tool-api.refusing': { en: 'A Tool API refuses calls', ar: 'واجهة أداة ترفض الطلبات' },
  'destination.disabled': { en: 'A destination was switched off', ar: 'أُوقفت وجهة' },
  'destination.test': { en: 'Test of this destination', ar: 'اختبار هذه الوجهة' },
}

/** Fields of events that mails show, in this order. */
export const FIELDS: Readonly<Record<string, Both>> = {
  name: { en: 'Name', ar: 'الاسم' },
  severity: { en: 'Severity', ar: 'الخطورة' },
  ruleName: { en: 'Rule', ar: 'القاعدة' },
  sensorName: { en: 'Sensor', ar: 'المستشعر' },
  assetName: { en: 'Asset', ar: 'الأصل' },
  layerName: { en: 'Layer', ar: 'الطبقة' },
  polygon: { en: 'Zone', ar: 'المنطقة' },
  value: { en: 'Value', ar: 'القيمة' },
  state: { en: 'State', ar: 'الحالة' },
  previousState: { en: 'Before', ar: 'قبل ذلك' },
  previousSeverity: { en: 'Severity before', ar: 'الخطورة السابقة' },
  toolId: { en: 'Tool', ar: 'الأداة' },
  status: { en: 'Status', ar: 'الحالة' },
  code: { en: 'Code', ar: 'الرمز' },
  reason: { en: 'Reason', ar: 'السبب' },
  lastFour: { en: 'Ends with', ar: 'ينتهي بـ' },
  expiresAt: { en: 'Expires', ar: 'تنتهي الصلاحية' },
  holderName: { en: 'Belongs to', ar: 'يخص' },
  daysLeft: { en: 'Days left', ar: 'الأيام المتبقية' },
  creditsLeft: { en: 'Credits left', ar: 'الرصيد المتبقي' },
  creditsPerMonth: { en: 'Credits a month', ar: 'الرصيد الشهري' },
  calls: { en: 'Calls', ar: 'الطلبات' },
  refused: { en: 'Refused', ar: 'المرفوضة' },
  held: { en: 'On hold', ar: 'موقوفة' },
  startedAt: { en: 'Since', ar: 'منذ' },
  resolvedAt: { en: 'Until', ar: 'حتى' },
  finishedAt: { en: 'Finished', ar: 'وقت الانتهاء' },
  acknowledgedBy: { en: 'Acknowledged by', ar: 'أكّد الاطلاع' },
  comment: { en: 'Comment', ar: 'تعليق' },
  at: { en: 'Time', ar: 'الوقت' },
}

/** Words of the portal for states of sensors. */
const STATES: Readonly<Record<string, Both>> = {
  refused: { en: 'Refused', ar: 'مرفوض' },
  silent: { en: 'Silent', ar: 'صامت' },
  late: { en: 'Late', ar: 'متأخر' },
  new: { en: 'New', ar: 'جديد' },
  held: { en: 'On hold', ar: 'موقوف' },
  off: { en: 'Off', ar: 'مطفأ' },
  sending: { en: 'Sending', ar: 'يرسل' },
}
const SEVERITIES: Readonly<Record<string, Both>> = {
  info: { en: 'Info', ar: 'معلومة' },
  warning: { en: 'Warning', ar: 'تحذير' },
  critical: { en: 'Critical', ar: 'حرج' },
}

/** Values of fields that are words. */
export const VALUES: Readonly<Record<string, Readonly<Record<string, Both>>>> = {
  severity: SEVERITIES,
  previousSeverity: SEVERITIES,
  state: STATES,
  previousState: STATES,
  status: {
    successful: { en: 'Successful', ar: 'نجحت' },
    failed: { en: 'Failed', ar: 'فشلت' },
    dismissed: { en: 'Dismissed', ar: 'أُلغيت' },
  },
  reason: {
    gone: { en: 'The receiver no longer exists', ar: 'لم يعد المستقبِل موجودًا' },
    failing: { en: 'It failed for three days', ar: 'فشلت ثلاثة أيام' },
  },
  held: { true: { en: 'Yes', ar: 'نعم' }, false: { en: 'No', ar: 'لا' } },
}

export type MailWords = {
  open: string
  events(count: number): string
  more(count: number): string
  /** Below a picture. */
  curve(channel: string, from: string, to: string, lowest: string, highest: string): string
  why(destination: string): string
  stop: string
  personal: string
}

/** Of counted events in Arabic. */
const COUNTED: Readonly<Record<Intl.LDMLPluralRule, (count: number) => string>> = {
  zero: () => 'لا أحداث',
  one: () => 'حدث واحد',
  two: () => 'حدثان',
  few: (count) => `${count} أحداث`,
  many: (count) => `${count} حدثًا`,
  other: (count) => `${count} حدث`,
}
const arabicForm = new Intl.PluralRules('ar')
const countedInArabic = (count: number): string => COUNTED[arabicForm.select(count)](count)

export const MAIL_WORDS: Readonly<Record<Language, MailWords>> = {
  en: {
    open: 'Open in Groundwave',
    events: (count) => (count === 1 ? '1 event' : `${count} events`),
    more: (count) => `and ${count} more; the log of the destination has all of them`,
    curve: (channel, from, to, lowest, highest) => `${channel}, ${from} to ${to}, lowest ${lowest}, highest ${highest}`,
    why: (destination) => `You get this mail because your address belongs to the destination ${destination}.`,
    stop: 'Stop these mails',
    personal: 'Groundwave sent this mail because it concerns you or your enterprise.',
  },
  ar: {
    open: 'فتح في Groundwave',
    events: countedInArabic,
    more: (count) => `و${countedInArabic(count)} أيضًا؛ تجدها كلها في سجل الوجهة`,
    curve: (channel, from, to, lowest, highest) =>
      `${channel}، من ${from} إلى ${to}، الأدنى ${lowest}، الأعلى ${highest}`,
    why: (destination) => `تصلك هذه الرسالة لأن عنوانك من عناوين الوجهة ${destination}.`,
    stop: 'إيقاف هذه الرسائل',
    personal: 'أرسل Groundwave هذه الرسالة لأنها تخصك أو تخص مؤسستك.',
  },
}

type PageWords = { title: string; text: string; action: string }
export type AddressPage = 'confirm' | 'confirmed' | 'expired' | 'unsubscribe' | 'unsubscribed'

/** Of pages behind the links of mails, with the address and the destination, and of the mail that asks an address. */
export const PAGE_WORDS: Readonly<Record<Language, Readonly<Record<AddressPage, PageWords>>>> = {
  en: {
    confirm: {
      title: 'Get mails from Groundwave?',
      text: 'Somebody wants to send events of the destination {destination} to {email}. Nothing is sent until you confirm. If you do not expect this, ignore it.',
      action: 'Confirm the address',
    },
    confirmed: {
      title: 'The address is confirmed',
      text: '{email} now gets the events of the destination {destination}. Each mail has a link that stops them.',
      action: '',
    },
    expired: {
      title: 'This link does not work any more',
      text: 'It has expired, or a newer one was sent. Ask the person who runs the destination for a new one.',
      action: '',
    },
    unsubscribe: {
      title: 'Stop these mails?',
      text: '{email} gets the events of the destination {destination}.',
      action: 'Stop these mails',
    },
    unsubscribed: {
      title: 'No more mails',
      text: 'This address gets no more mails of the destination.',
      action: '',
    },
  },
  ar: {
    confirm: {
      title: 'هل تريد تلقي رسائل من Groundwave؟',
      text: 'يريد شخص ما إرسال أحداث الوجهة {destination} إلى {email}. لن يُرسل شيء قبل تأكيدك. إن لم تكن تتوقع ذلك فتجاهله.',
      action: 'تأكيد العنوان',
    },
    confirmed: {
      title: 'تم تأكيد العنوان',
      text: 'سيتلقى {email} من الآن أحداث الوجهة {destination}. في كل رسالة رابط يوقفها.',
      action: '',
    },
    expired: {
      title: 'لم يعد هذا الرابط صالحًا',
      text: 'انتهت صلاحيته أو أُرسل رابط أحدث منه. اطلب رابطًا جديدًا من المسؤول عن الوجهة.',
      action: '',
    },
    unsubscribe: {
      title: 'هل تريد إيقاف هذه الرسائل؟',
      text: 'يتلقى {email} أحداث الوجهة {destination}.',
      action: 'إيقاف هذه الرسائل',
    },
    unsubscribed: {
      title: 'لا رسائل بعد الآن',
      text: 'لن يتلقى هذا العنوان رسائل من الوجهة.',
      action: '',
    },
  },
}
