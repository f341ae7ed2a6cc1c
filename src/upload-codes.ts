/**
 * Result codes of resumable uploads and of exports; part of the table in errors.ts. Uploads use the statuses of tus
 * 1.0.
 */
export const UPLOAD_CODES = {
  UPLOAD_CREATED: {
    status: 201,
    en: 'The upload has begun. Send its bytes to the URL in the Location header.',
    ar: 'بدأ الرفع. أرسل البيانات إلى العنوان الوارد في ترويسة Location.',
  },
  UPLOAD_OFFSET_WRONG: {
    status: 409,
    en: 'Upload-Offset must be the number of bytes that have arrived; ask for it with HEAD.',
    ar: 'يجب أن تساوي ترويسة Upload-Offset عدد البايتات التي وصلت؛ اطلبه بطريقة HEAD.',
  },
  UPLOAD_VERSION_UNSUPPORTED: {
    status: 412,
    en: 'Tus-Resumable must be 1.0.0.',
    ar: 'يجب أن تكون قيمة ترويسة Tus-Resumable هي 1.0.0.',
  },
  UPLOADS_LIMITED: {
    status: 429,
    en: 'Too many uploads are unfinished; finish or delete some of them first.',
    ar: 'عدد عمليات الرفع غير المكتملة كبير جدًا؛ أكمل بعضها أو احذفه أولًا.',
  },
  EXPORTS_LIMITED: {
    status: 429,
    en: 'One export can be made at a time, and only a few in 24 hours.',
    ar: 'يمكن إنشاء تصدير واحد في كل مرة، وعدد قليل خلال 24 ساعة.',
  },
  UPLOAD_CHECKSUM_WRONG: {
    status: 460,
    en: 'The bytes do not match Upload-Checksum; none of them were kept.',
    ar: 'البيانات لا تطابق ترويسة Upload-Checksum؛ لم يُحفظ شيء منها.',
  },
} as const
