/**
 * The one table of what can go wrong on purpose. A code names its HTTP status and its texts in both languages;
 * whatever is thrown that is not an AppError is a bug and answers INTERNAL_ERROR with nothing of its text.
 */

type CodeEntry = { status: number; en: string; ar: string }

/** Readings that one call may send. Here because the text of SENSOR_READINGS_BATCH_INVALID states it. */
export const MAX_READINGS = 500

export const CODES = {
  SUCCESS: { status: 200, en: 'Done.', ar: 'تم.' },
  SENSOR_READINGS_RESULT: {
    status: 200,
    en: 'The readings were judged one by one.',
    ar: 'تم فحص القراءات واحدة تلو الأخرى.',
  },

  JOB_ACCEPTED: {
    status: 202,
    en: 'The job is stored and will run; Location tells where it is.',
    ar: 'حُفظت المهمة وستُنفَّذ؛ يحدد Location مكانها.',
  },

  TOOL_API_RESULT: { status: 200, en: 'Done.', ar: 'تم.' },

  SENSOR_READINGS_BATCH_INVALID: {
    status: 400,
    en: `The body must be a JSON object whose "readings" is a list of 1 to ${MAX_READINGS} readings.`,
    ar: `يجب أن يكون المحتوى كائن JSON فيه "readings" قائمة من 1 إلى ${MAX_READINGS} قراءة.`,
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
  TOOL_API_KEY_INVALID: {
    status: 401,
    en: 'The key is missing, wrong or revoked, or there is no such Tool API.',
    ar: 'المفتاح مفقود أو خاطئ أو ملغى، أو لا توجد واجهة أداة كهذه.',
  },
  OPERATOR_TOKEN_INVALID: {
    status: 401,
    en: 'The operator token is missing or wrong.',
    ar: 'رمز المشغّل مفقود أو خاطئ.',
  },
  CREDITS_EXHAUSTED: {
    status: 402,
    en: "The enterprise's credits for the period are spent.",
    ar: 'استُنفد رصيد المؤسسة لهذه الفترة.',
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
  TOOL_NOT_GRANTED: {
    status: 403,
    en: 'The application of this key pair may not run this tool.',
    ar: 'لا يحق لتطبيق زوج المفاتيح هذا تشغيل هذه الأداة.',
  },
  TOOL_API_SUSPENDED: {
    status: 403,
    en: "The owner's account or enterprise is suspended.",
    ar: 'حساب المالك أو مؤسسته معلّق.',
  },
  TOOL_API_HELD: { status: 403, en: 'The operator switched this Tool API off.', ar: 'أوقف المشغّل واجهة الأداة هذه.' },
  TOOL_API_DISABLED: {
    status: 403,
    en: 'The owner has switched this Tool API off.',
    ar: 'أوقف المالك واجهة الأداة هذه.',
  },
  TOOL_API_PLAN: {
    status: 403,
    en: 'The owner is not on a plan or tier that includes Tool APIs.',
    ar: 'المالك ليس على باقة تشمل واجهات الأدوات.',
  },
  GIS_TIER_REQUIRED: { status: 403, en: 'The tool needs a higher tier.', ar: 'تتطلب الأداة باقة أعلى.' },
  NOT_FOUND: { status: 404, en: 'There is nothing at this address.', ar: 'لا يوجد شيء في هذا العنوان.' },
  REQUEST_TIMEOUT: {
    status: 408,
    en: 'The body did not arrive in time.',
    ar: 'لم يصل محتوى الطلب في الوقت المحدد.',
  },
  CONFLICT: { status: 409, en: 'This clashes with what is there already.', ar: 'يتعارض هذا مع ما هو موجود.' },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    en: 'A call with this Idempotency-Key is under way; ask again when it has ended.',
    ar: 'هناك طلب جارٍ بمفتاح Idempotency-Key نفسه؛ أعد المحاولة بعد انتهائه.',
  },
  TOOL_API_BINDING_MISSING: {
    status: 409,
    en: "What this Tool API is bound to is gone, is no longer its owner's, cannot be used, or has no clean version.",
    ar: 'العنصر المرتبط بواجهة الأداة لم يعد موجودًا أو لم يعد لمالكها أو لا يمكن استخدامه أو ليست له نسخة سليمة.',
  },
  TOOL_API_INPUT_TOO_LARGE: {
    status: 413,
    en: 'The input is larger than a Tool API takes; send fewer features.',
    ar: 'المدخل أكبر مما تقبله واجهة الأداة؛ أرسل عناصر أقل.',
  },
  TOOL_API_RESULT_TOO_LARGE: {
    status: 413,
    en: 'The result is too large for one call; send fewer features.',
    ar: 'النتيجة أكبر من أن تُعاد في طلب واحد؛ أرسل عناصر أقل.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    en: 'The body is larger than this address takes.',
    ar: 'محتوى الطلب أكبر مما يقبله هذا العنوان.',
  },
  FILE_TOO_LARGE: {
    status: 413,
    en: 'A file is larger than this tool takes.',
    ar: 'الملف أكبر مما تقبله هذه الأداة.',
  },
  MEDIA_TYPE_UNSUPPORTED: {
    status: 415,
    en: 'The body is in a form that this address does not read.',
    ar: 'محتوى الطلب بصيغة لا يقرؤها هذا العنوان.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    en: 'The file has no such range of bytes.',
    ar: 'لا يحتوي الملف على هذا النطاق من البايتات.',
  },
  INPUT_UNREADABLE: { status: 422, en: 'A file is not what it says.', ar: 'محتوى الملف لا يطابق نوعه.' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    en: 'This Idempotency-Key was used for another request.',
    ar: 'استُخدم مفتاح Idempotency-Key هذا لطلب آخر.',
  },
  VALIDATION_FAILED: { status: 422, en: 'A field breaks its rule.', ar: 'أحد الحقول يخالف قاعدته.' },
  TOOL_API_INPUT_INVALID: {
    status: 422,
    en: 'The input is not a usable GeoJSON Feature, FeatureCollection or geometry.',
    ar: 'المدخل ليس Feature أو FeatureCollection أو شكلًا صالحًا بصيغة GeoJSON.',
  },
  TOOL_API_RATE_LIMITED: {
    status: 429,
    en: 'More calls came in a minute than a Tool API answers; wait a minute.',
    ar: 'عدد الطلبات في الدقيقة أكثر مما تجيب عنه واجهة الأداة؛ انتظر دقيقة.',
  },
  API_KEY_QUOTA: {
    status: 429,
    en: "The API requests that the owner's plan allows a day (UTC) are spent.",
    ar: 'استُنفدت طلبات الواجهة اليومية (UTC) التي تتيحها باقة المالك.',
  },
  ENTERPRISE_API_DAILY_LIMIT: {
    status: 429,
    en: "The API requests that the enterprise's tier allows a day (UTC) are spent.",
    ar: 'استُنفدت طلبات الواجهة اليومية (UTC) التي تتيحها باقة المؤسسة.',
  },
  QUERY_TOO_LARGE: {
    status: 422,
    en: 'The query needs more time or memory than one may have; ask for a shorter range, or a longer step.',
    ar: 'يحتاج الاستعلام إلى وقت أو ذاكرة أكثر من المسموح؛ اطلب مدى أقصر أو خطوة أطول.',
  },
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
  RATE_LIMITED: {
    status: 429,
    en: 'The application made more calls this minute than it may.',
    ar: 'أجرى التطبيق في هذه الدقيقة طلبات أكثر من المسموح.',
  },
  FILE_WINDOW_EXCEEDED: {
    status: 429,
    en: 'The enterprise sent more files within an hour than it may.',
    ar: 'أرسلت المؤسسة خلال ساعة ملفات أكثر من المسموح.',
  },
  TOOL_FAILED: { status: 500, en: 'The tool failed; nothing was charged.', ar: 'تعذّر تنفيذ الأداة؛ لم يُخصم شيء.' },
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
  SERVICE_BUSY: {
    status: 503,
    en: 'More calls wait than can be taken on; try again later.',
    ar: 'عدد الطلبات المنتظرة أكبر من الطاقة المتاحة؛ حاول لاحقًا.',
  },
  TOOL_UNAVAILABLE: {
    status: 503,
    en: 'A part that this tool needs is not installed on this server.',
    ar: 'جزء تحتاج إليه هذه الأداة غير مثبّت على هذا الخادم.',
  },
  NOT_READY: { status: 503, en: 'A part cannot do its work.', ar: 'أحد الأجزاء لا يعمل.' },
  TOOL_TIMEOUT: {
    status: 504,
    en: 'The tool was stopped at its time limit; nothing was charged.',
    ar: 'أُوقفت الأداة عند بلوغ المهلة؛ لم يُخصم شيء.',
  },
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

/** An INPUT_UNREADABLE for one file field: `rule` names what it breaks, `message` says it of the field. */
export function unreadable(field: string, rule: string, message: string, cause?: unknown): AppError {
  return new AppError('INPUT_UNREADABLE', {
    message: `${field}: ${message}`,
    errors: [{ field, rule, message }],
    cause,
  })
}

/** A VALIDATION_FAILED for one field. */
export function invalidField(field: string, rule: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', { message: `${field}: ${message}`, errors: [{ field, rule, message }] })
}
