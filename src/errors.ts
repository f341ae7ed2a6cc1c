/**
 * The one table of what can go wrong on purpose. A code names its HTTP status and its texts in both languages;
 * whatever is thrown that is not an AppError is a bug and answers INTERNAL_ERROR with nothing of its text.
 */

type CodeEntry = { status: number; en: string; ar: string }

export const CODES = {
  SUCCESS: { status: 200, en: 'Done.', ar: 'تم.' },
  SENSOR_READINGS_RESULT: {
    status: 200,
    en: 'The readings were judged one by one.',
    ar: 'تم فحص القراءات واحدة تلو الأخرى.',
  },

  SENSOR_READINGS_BATCH_INVALID: {
    status: 400,
    en: 'The body must be a JSON object whose "readings" is a list of 1 to 500 readings.',
    ar: 'يجب أن يكون المحتوى كائن JSON فيه "readings" قائمة من 1 إلى 500 قراءة.',
  },
  BAD_REQUEST: { status: 400, en: 'The request cannot be understood.', ar: 'تعذّر فهم الطلب.' },
  SENSOR_KEY_INVALID: {
    status: 401,
    en: 'The sensor key is missing, wrong or revoked, or there is no such sensor.',
    ar: 'مفتاح المستشعر مفقود أو خاطئ أو ملغى، أو لا يوجد مستشعر كهذا.',
  },
  API_KEY_INVALID: {
    status: 401,
    en: 'The API key pair is missing, wrong or revoked.',
    ar: 'زوج مفاتيح الواجهة مفقود أو خاطئ أو ملغى.',
  },
  OPERATOR_TOKEN_INVALID: {
    status: 401,
    en: 'The operator token is missing or wrong.',
    ar: 'رمز المشغّل مفقود أو خاطئ.',
  },
  SENSOR_DISABLED: { status: 403, en: 'The sensor is switched off.', ar: 'المستشعر متوقف.' },
  SENSOR_HELD: { status: 403, en: 'The operator switched the sensor off.', ar: 'أوقف المشغّل هذا المستشعر.' },
  ASSETS_HELD: {
    status: 403,
    en: "The operator switched the enterprise's assets product off.",
    ar: 'أوقف المشغّل منتج الأصول لهذه المؤسسة.',
  },
  ASSETS_SUSPENDED: { status: 403, en: 'The enterprise is not active.', ar: 'المؤسسة غير نشطة.' },
  LICENSE_FEATURE_MISSING: {
    status: 403,
    en: "This instance's licence does not include the assets product.",
    ar: 'لا تتضمن رخصة هذا الخادم منتج الأصول.',
  },
  API_USER_UNKNOWN: {
    status: 403,
    en: 'X-Api-User names nobody who is a member of the enterprise.',
    ar: 'لا يشير X-Api-User إلى عضو في المؤسسة.',
  },
  ENTERPRISE_SUSPENDED: { status: 403, en: 'The enterprise is suspended.', ar: 'المؤسسة معلّقة.' },
  NOT_FOUND: { status: 404, en: 'There is nothing at this address.', ar: 'لا يوجد شيء في هذا العنوان.' },
  REQUEST_TIMEOUT: {
    status: 408,
    en: 'The body did not arrive in time.',
    ar: 'لم يصل محتوى الطلب في الوقت المحدد.',
  },
  CONFLICT: { status: 409, en: 'This clashes with what is there already.', ar: 'يتعارض هذا مع ما هو موجود.' },
  BODY_TOO_LARGE: {
    status: 413,
    en: 'The body is larger than this address takes.',
    ar: 'محتوى الطلب أكبر مما يقبله هذا العنوان.',
  },
  MEDIA_TYPE_UNSUPPORTED: {
    status: 415,
    en: 'The body is in a form that this address does not read.',
    ar: 'محتوى الطلب بصيغة لا يقرؤها هذا العنوان.',
  },
  VALIDATION_FAILED: { status: 422, en: 'A field breaks its rule.', ar: 'أحد الحقول يخالف قاعدته.' },
  SENSOR_RATE_LIMITED: {
    status: 429,
    en: 'The sensor made more calls this minute than it may.',
    ar: 'أجرى المستشعر في هذه الدقيقة طلبات أكثر من المسموح.',
  },
  SENSOR_READINGS_DAILY_LIMIT: {
    status: 429,
    en: "The enterprise's readings for the day (UTC) are spent.",
    ar: 'استُنفدت قراءات المؤسسة لهذا اليوم (بالتوقيت العالمي).',
  },
  INTERNAL_ERROR: { status: 500, en: 'Something went wrong here.', ar: 'حدث خطأ ما لدينا.' },
  INGEST_UNAVAILABLE: {
    status: 503,
    en: 'Readings cannot be stored at the moment; send the same call again later.',
    ar: 'يتعذّر تخزين القراءات حاليًا؛ أعد إرسال الطلب نفسه لاحقًا.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    en: 'A store does not answer at the moment; try again later.',
    ar: 'أحد المخازن لا يستجيب حاليًا؛ حاول لاحقًا.',
  },
  NOT_READY: { status: 503, en: 'A part cannot do its work.', ar: 'أحد الأجزاء لا يعمل.' },
} as const satisfies Record<string, CodeEntry>

export type Code = keyof typeof CODES

/** One broken rule: the field's path, the rule's name and a text that tells the allowed values. */
export type FieldError = { field: string; rule: string; message: string }

export type AppErrorOptions = {
  /** Text for the caller instead of the table's English one. */
  message?: string
  errors?: FieldError[]
  retryAfterS?: number
  /** What the log gets and the caller never sees. */
  cause?: unknown
}

/** An expected failure: the caller is told the code, the log gets the cause. */
export class AppError extends Error {
  readonly code: Code
  readonly errors: FieldError[] | undefined
  readonly retryAfterS: number | undefined

  constructor(code: Code, options: AppErrorOptions = {}) {
    super(options.message ?? CODES[code].en, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.errors = options.errors
    this.retryAfterS = options.retryAfterS
  }

  get status(): number {
    return CODES[this.code].status
  }
}

/** A VALIDATION_FAILED for one field. */
export function invalidField(field: string, rule: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', { message: `${field}: ${message}`, errors: [{ field, rule, message }] })
}

// what Bun, Node, PostgreSQL (SQLSTATE) and their clients call a server that is not there, or takes no writes
const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ConnectionRefused',
  'ConnectionClosed',
  'FailedToOpenSocket',
  'ERR_SOCKET_CLOSED',
])
// connections (08), privileges and passwords (28, 42501), a database or table that is gone, read-only, out of disk,
// memory or connections, shutting down
const LOST_PATTERN =
  /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)_\w+|08\w{3}|28\w{3}|42501|42P01|3D000|25006|53[123]00|57P0[123])$/

/** Whether an error, or what caused it, says that a store cannot be reached or cannot write. */
export function isStoreLost(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, errno } = at as { code?: unknown; errno?: unknown }
    for (const name of [code, errno])
      if (typeof name === 'string' && (LOST_CODES.has(name) || LOST_PATTERN.test(name))) return true
  }
  return false
}

/** An error as the log takes it, with its causes; without the parameters of statements, which may be secrets. */
export function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const withoutParameters = (text: string): string => text.replace(/\nparams: .*/g, '')
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    ...(code !== undefined && { code }),
    message: withoutParameters(error.message),
    stack: withoutParameters(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: errorForLog(error.cause) }),
  }
}
