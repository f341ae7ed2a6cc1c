/**
 * The table of all result codes. Each code has its HTTP status and its text in both languages. Anything thrown that is
 * not an AppError is a bug: it answers INTERNAL_ERROR and its text goes to the log only.
 */
import { ACCOUNT_CODES } from './account-codes.ts'
import { arabicOf, type Bilingual, englishOf, type FieldText, inField } from './field-texts/bilingual.ts'
import { UPLOAD_CODES } from './upload-codes.ts'

type CodeEntry = { status: number; en: string; ar: string }

/** Readings that one call may send. Here because the text of SENSOR_READINGS_BATCH_INVALID states it. */
export const MAX_READINGS = 500
/** Readings of many sensors that one call may send. */
export const MAX_READINGS_OF_MANY = 5_000
/**
 * How long an `Idempotency-Key` is remembered (stores/postgres/runs/idempotency.ts). Here because the descriptions of all
 * surfaces state it.
 */
export const IDEMPOTENCY_HOURS = 24

export const CODES = {
  ...ACCOUNT_CODES,
  ...UPLOAD_CODES,
  SUCCESS: { status: 200, en: 'Done.', ar: 'تم.' },
  SENSOR_READINGS_RESULT: {
    status: 200,
    en: 'Each reading was processed; see accepted, duplicates and refused.',
    ar: 'عولجت كل قراءة على حدة؛ راجع القوائم accepted وduplicates وrefused.',
  },
  JOB_ACCEPTED: {
    status: 202,
    en: 'The job was accepted. Its status is at the URL in the Location header.',
    ar: 'قُبلت المهمة. تجد حالتها في العنوان الوارد في ترويسة Location.',
  },
  TOOL_API_RESULT: { status: 200, en: 'Done.', ar: 'تم.' },
  SENSOR_READINGS_BATCH_INVALID: {
    status: 400,
    en: `The body must contain 1 to ${MAX_READINGS} readings, ${MAX_READINGS_OF_MANY} with a fleet key: a JSON object with the array "readings", or the format that Content-Type names.`,
    ar: `يجب أن يضم محتوى الطلب من 1 إلى ${MAX_READINGS} قراءة، أو حتى ${MAX_READINGS_OF_MANY} بمفتاح أسطول: كائن JSON فيه المصفوفة "readings"، أو بالصيغة التي يذكرها Content-Type.`,
  },
  SENSOR_LINES_PARTIAL: {
    status: 400,
    en: 'Some points were refused; the others are stored.',
    ar: 'رُفض بعض النقاط، وخُزّن غيرها.',
  },
  BAD_REQUEST: { status: 400, en: 'The request is malformed.', ar: 'صيغة الطلب غير صحيحة.' },
  SENSOR_KEY_INVALID: {
    status: 401,
    en: 'The sensor key is missing, wrong, expired or revoked, or the sensor does not exist.',
    ar: 'مفتاح المستشعر مفقود أو خاطئ أو منتهي الصلاحية أو ملغى، أو المستشعر غير موجود.',
  },
  API_KEY_INVALID: {
    status: 401,
    en: 'The API key or key pair is missing, wrong, expired or revoked.',
    ar: 'مفتاح API أو زوج المفاتيح مفقود أو خاطئ أو منتهي الصلاحية أو ملغى.',
  },
  TOOL_API_KEY_INVALID: {
    status: 401,
    en: 'The key is missing, wrong, expired or revoked, or the Tool API does not exist.',
    ar: 'المفتاح مفقود أو خاطئ أو منتهي الصلاحية أو ملغى، أو واجهة الأداة غير موجودة.',
  },
  SHARE_LINK_INVALID: {
    status: 401,
    en: 'The link is wrong, expired or revoked, or the person who made the link may no longer share.',
    ar: 'الرابط خاطئ أو منتهي الصلاحية أو ملغى، أو لم يعد من حق منشئه أن يشارك.',
  },
  OPERATOR_TOKEN_INVALID: {
    status: 401,
    en: 'The operator token is missing or wrong.',
    ar: 'رمز المشغّل مفقود أو خاطئ.',
  },
  CREDITS_EXHAUSTED: {
    status: 402,
    en: 'The enterprise does not have enough credits left for this period.',
    ar: 'لم تتبقَّ لدى المؤسسة نقاط كافية لهذه الفترة.',
  },
  SENSOR_DISABLED: { status: 403, en: 'The sensor is switched off.', ar: 'المستشعر معطّل.' },
  SENSOR_HELD: { status: 403, en: 'The operator has put the sensor on hold.', ar: 'أوقف المشغّل هذا المستشعر.' },
  ASSETS_HELD: {
    status: 403,
    en: "The operator has put the enterprise's assets product on hold.",
    ar: 'أوقف المشغّل منتج الأصول لهذه المؤسسة.',
  },
  ASSETS_SUSPENDED: { status: 403, en: 'The enterprise is not active.', ar: 'المؤسسة معلّقة.' },
  LICENSE_FEATURE_MISSING: {
    status: 403,
    en: 'The licence of this server does not include the assets product.',
    ar: 'رخصة هذا الخادم لا تشمل منتج الأصول.',
  },
  API_USER_UNKNOWN: {
    status: 403,
    en: 'X-Api-User must be the e-mail address of a member of the enterprise.',
    ar: 'يجب أن تحمل ترويسة X-Api-User البريد الإلكتروني لأحد أعضاء المؤسسة.',
  },
  PERSON_SUSPENDED: { status: 403, en: 'The account is suspended.', ar: 'الحساب معلّق.' },
  API_KEY_PLAN: {
    status: 403,
    en: "The person's plan includes no personal API keys; pro and max do.",
    ar: 'لا تشمل باقة الشخص مفاتيح API الشخصية؛ تشملها باقتا pro وmax.',
  },
  ENTERPRISE_SUSPENDED: { status: 403, en: 'The enterprise is suspended.', ar: 'المؤسسة معلّقة.' },
  TOOL_NOT_GRANTED: {
    status: 403,
    en: 'The application of this key pair is not allowed to run this tool.',
    ar: 'لا يُسمح لتطبيق زوج المفاتيح هذا بتشغيل هذه الأداة.',
  },
  ASSETS_NOT_GRANTED: {
    status: 403,
    en: 'The application of this key pair is not allowed to read sensors and readings.',
    ar: 'لا يُسمح لتطبيق زوج المفاتيح هذا بقراءة المستشعرات والقراءات.',
  },
  TOOL_API_SUSPENDED: {
    status: 403,
    en: "The owner's account or enterprise is suspended.",
    ar: 'حساب المالك معلّق أو مؤسسته معلّقة.',
  },
  TOOL_API_HELD: {
    status: 403,
    en: 'The operator has put this Tool API on hold.',
    ar: 'أوقف المشغّل واجهة الأداة هذه.',
  },
  TOOL_API_DISABLED: {
    status: 403,
    en: 'The owner has switched this Tool API off.',
    ar: 'عطّل المالك واجهة الأداة هذه.',
  },
  TOOL_API_PLAN: {
    status: 403,
    en: "The owner's plan or tier does not include Tool APIs.",
    ar: 'باقة المالك لا تشمل واجهات الأدوات.',
  },
  GIS_TIER_REQUIRED: {
    status: 403,
    en: 'This tool requires a higher plan or tier.',
    ar: 'تتطلب هذه الأداة باقة أعلى.',
  },
  NOT_FOUND: { status: 404, en: 'The requested resource does not exist.', ar: 'المورد المطلوب غير موجود.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    en: 'This address does not support the method; the Allow header lists those that it does.',
    ar: 'لا يدعم هذا العنوان طريقة الطلب؛ تجد الطرق المدعومة في ترويسة Allow.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    en: 'The request body did not arrive in time.',
    ar: 'لم يصل محتوى الطلب خلال المهلة المحددة.',
  },
  CONFLICT: {
    status: 409,
    en: 'The request conflicts with the current state of the resource.',
    ar: 'يتعارض الطلب مع الحالة الحالية للمورد.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    en: 'A request with this Idempotency-Key is still running; retry when it has finished.',
    ar: 'لا يزال طلب بمفتاح Idempotency-Key هذا قيد التنفيذ؛ أعد المحاولة بعد انتهائه.',
  },
  TOOL_API_BINDING_MISSING: {
    status: 409,
    en: 'The layer or file bound to this Tool API was deleted, belongs to another owner, has no clean version or cannot be used.',
    ar: 'الطبقة أو الملف المرتبط بواجهة الأداة محذوف، أو يعود إلى مالك آخر، أو ليست له نسخة سليمة، أو لا يمكن استخدامه.',
  },
  PRECONDITION_FAILED: { status: 412, en: 'The record has changed; see data.', ar: 'تغيّر السجل؛ راجع data.' },
  TOOL_API_INPUT_TOO_LARGE: {
    status: 413,
    en: 'The input is too large for a Tool API; send fewer features.',
    ar: 'حجم المدخل أكبر مما تسمح به واجهة الأداة؛ أرسل عناصر أقل.',
  },
  TOOL_API_RESULT_TOO_LARGE: {
    status: 413,
    en: 'The result is too large for one call; send fewer features.',
    ar: 'حجم النتيجة أكبر من أن تُعاد في طلب واحد؛ أرسل عناصر أقل.',
  },
  BODY_TOO_LARGE: { status: 413, en: 'The request body is too large.', ar: 'حجم محتوى الطلب أكبر من الحد المسموح.' },
  FILE_TOO_LARGE: { status: 413, en: 'A file exceeds the size limit.', ar: 'حجم أحد الملفات أكبر من الحد المسموح.' },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, en: 'Unsupported media type.', ar: 'نوع المحتوى غير مدعوم.' },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    en: 'The requested range lies outside the file.',
    ar: 'النطاق المطلوب خارج حدود الملف.',
  },
  INPUT_UNREADABLE: {
    status: 422,
    en: 'A file is damaged or not of the expected type.',
    ar: 'أحد الملفات تالف أو ليس من النوع المتوقع.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    en: 'This Idempotency-Key was already used for a different request.',
    ar: 'سبق استخدام مفتاح Idempotency-Key هذا لطلب مختلف.',
  },
  VALIDATION_FAILED: { status: 422, en: 'A field is invalid.', ar: 'أحد الحقول غير صالح.' },
  TOOL_API_INPUT_INVALID: {
    status: 422,
    en: 'The input is not a valid GeoJSON Feature, FeatureCollection or geometry.',
    ar: 'المدخل ليس Feature أو FeatureCollection أو شكلًا هندسيًا صالحًا بصيغة GeoJSON.',
  },
  TOOL_API_RATE_LIMITED: {
    status: 429,
    en: 'This Tool API exceeded its limit of calls per minute; retry later.',
    ar: 'تجاوزت واجهة الأداة حد الطلبات في الدقيقة؛ أعد المحاولة لاحقًا.',
  },
  KEY_FAILURES_LIMITED: {
    status: 429,
    en: 'Too many calls with invalid keys came from this address; retry later.',
    ar: 'وردت من هذا العنوان طلبات كثيرة بمفاتيح غير صالحة؛ أعد المحاولة لاحقًا.',
  },
  API_KEY_QUOTA: {
    status: 429,
    en: "The owner's plan has no API requests left for today (UTC).",
    ar: 'استُنفدت طلبات API اليومية التي تتيحها باقة المالك (بالتوقيت العالمي UTC).',
  },
  ENTERPRISE_API_DAILY_LIMIT: {
    status: 429,
    en: "The enterprise's tier has no API requests left for today (UTC).",
    ar: 'استُنفدت طلبات API اليومية التي تتيحها باقة المؤسسة (بالتوقيت العالمي UTC).',
  },
  QUERY_TOO_LARGE: {
    status: 422,
    en: 'The query exceeds its time or memory limit; use a shorter time range or a longer step.',
    ar: 'تجاوز الاستعلام حد الوقت أو الذاكرة؛ اختر مدى زمنيًا أقصر أو خطوة أطول.',
  },
  SENSOR_RATE_LIMITED: {
    status: 429,
    en: 'The sensor exceeded its limit of calls per minute.',
    ar: 'تجاوز المستشعر حد الطلبات في الدقيقة.',
  },
  SENSOR_READINGS_DAILY_LIMIT: {
    status: 429,
    en: 'The enterprise has used up its readings for today (UTC).',
    ar: 'استنفدت المؤسسة عدد القراءات المتاح لهذا اليوم (بالتوقيت العالمي UTC).',
  },
  RATE_LIMITED: {
    status: 429,
    en: 'The caller exceeded its limit of calls per minute.',
    ar: 'تجاوزت الجهة الطالبة حد الطلبات في الدقيقة.',
  },
  FILE_WINDOW_EXCEEDED: {
    status: 429,
    en: 'The enterprise exceeded its limit of files per hour.',
    ar: 'تجاوزت المؤسسة حد الملفات في الساعة.',
  },
  TOOL_FAILED: {
    status: 500,
    en: 'The tool failed. No credits were charged.',
    ar: 'فشل تنفيذ الأداة. لم تُخصم أي نقطة.',
  },
  INTERNAL_ERROR: { status: 500, en: 'An internal error occurred.', ar: 'حدث خطأ داخلي.' },
  INGEST_UNAVAILABLE: {
    status: 503,
    en: 'Readings cannot be stored at the moment; send the same request again later.',
    ar: 'يتعذّر حفظ القراءات حاليًا؛ أعد إرسال الطلب نفسه لاحقًا.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    en: 'A data store is unavailable; retry later.',
    ar: 'أحد مخازن البيانات غير متاح؛ أعد المحاولة لاحقًا.',
  },
  SERVICE_BUSY: {
    status: 503,
    en: 'Too many calls are waiting; retry later.',
    ar: 'عدد الطلبات المنتظرة كبير جدًا؛ أعد المحاولة لاحقًا.',
  },
  TOOL_UNAVAILABLE: {
    status: 503,
    en: 'This tool is not available: a component that it needs is not installed on the server.',
    ar: 'هذه الأداة غير متاحة: أحد المكوّنات اللازمة لها غير مثبّت على الخادم.',
  },
  NOT_READY: {
    status: 503,
    en: 'The server is not ready; see the failing parts.',
    ar: 'الخادم غير جاهز؛ راجع الأجزاء المتعطلة.',
  },
  STORAGE_FULL: {
    status: 507,
    en: 'The server has too little free disk space for files at the moment; retry later.',
    ar: 'لا تتوفر على الخادم حاليًا مساحة تخزين كافية للملفات؛ أعد المحاولة لاحقًا.',
  },
  STORAGE_QUOTA_EXCEEDED: {
    status: 507,
    en: 'Stored files and layers exceed the storage quota; delete some of them first.',
    ar: 'تجاوزت الملفات والطبقات المخزنة حصة التخزين؛ احذف بعضها أولًا.',
  },
  TOOL_TIMEOUT: {
    status: 504,
    en: 'The tool exceeded its time limit and was stopped. No credits were charged.',
    ar: 'تجاوزت الأداة المهلة المحددة فأُوقفت. لم تُخصم أي نقطة.',
  },
} as const satisfies Record<string, CodeEntry>

export type Code = keyof typeof CODES

/** One broken rule: the path of the field, the name of the rule, and a text with the allowed values. */
export type FieldError = {
  field: string
  rule: string
  message: string
  messageAr: string
  /** The feature, counted from 0, or the row, counted from 1, that the fault is in. */
  feature?: number
  row?: number
}

/**
 * Why a call is refused: `data` of the envelope of a 403 whose code alone does not say who can change it.
 * @property cause `role`: another role of the owner may; `operator`: only the operator may; `suspended`: the operator
 *   suspended the enterprise, or the person without an enterprise; `held`: the operator holds the assets product
 */
export type Refusal =
  | { cause: 'role'; role: string; roles: readonly string[] }
  | { cause: 'operator' }
  | { cause: 'suspended' | 'held'; reason: string | null }

export type AppErrorOptions = {
  /** Texts for the caller; the texts of the table by default. */
  message?: Bilingual
  errors?: FieldError[]
  retryAfterS?: number
  /** `data` of the failure's envelope, and its entity tag. */
  current?: { data: unknown; etag: string }
  refusal?: Refusal
  /** For the log only; never sent to the caller. */
  cause?: unknown
}

/** An expected failure: the caller gets the code, the log gets the cause. */
export class AppError extends Error {
  readonly code: Code
  readonly messageAr: string
  readonly errors: FieldError[] | undefined
  readonly retryAfterS: number | undefined
  readonly current: AppErrorOptions['current']
  readonly refusal: Refusal | undefined

  constructor(code: Code, options: AppErrorOptions = {}) {
    const { en, ar } = options.message ?? CODES[code]
    super(en, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.messageAr = ar
    this.errors = options.errors
    this.retryAfterS = options.retryAfterS
    this.current = options.current
    this.refusal = options.refusal
  }

  get status(): number {
    return CODES[this.code].status
  }
}

/** @param text continues a sentence that starts with the field's name */
export const fieldError = (field: string, rule: string, text: FieldText): FieldError => ({
  field,
  rule,
  message: englishOf(text),
  messageAr: arabicOf(text),
  ...text.place,
})

/** A failure of one or more fields. The message names the first. */
export function fieldsFailure(code: Code, errors: FieldError[], cause?: unknown): AppError {
  const [{ field, message, messageAr }] = errors as [FieldError]
  return new AppError(code, { message: inField(field, { en: message, ar: messageAr }), errors, cause })
}

export const fieldFailure = (code: Code, field: string, rule: string, text: FieldText, cause?: unknown): AppError =>
  fieldsFailure(code, [fieldError(field, rule, text)], cause)

export const unreadable = (field: string, rule: string, text: FieldText, cause?: unknown): AppError =>
  fieldFailure('INPUT_UNREADABLE', field, rule, text, cause)

export const invalidField = (field: string, rule: string, text: FieldText): AppError =>
  fieldFailure('VALIDATION_FAILED', field, rule, text)
