/** Arabic descriptions of the answers of operations, by the English ones. Failures read as the server words them. */
export const ARABIC_ANSWERS: Readonly<Record<string, string>> = {
  'The result': 'النتيجة',
  'The content': 'المحتوى',
  'A failure, identified by `code`': 'فشل يحدده `code`',

  // sensors
  '`SENSOR_READINGS_RESULT`: the outcome of each reading': '`SENSOR_READINGS_RESULT`: نتيجة كل قراءة',
  '`SENSOR_READINGS_BATCH_INVALID`: not JSON, or not a list of 1 to 500 readings':
    '`SENSOR_READINGS_BATCH_INVALID`: ليس JSON، أو ليس قائمة من 1 إلى 500 قراءة',
  '`SENSOR_KEY_INVALID`: key missing, wrong, expired or revoked, or unknown sensor':
    '`SENSOR_KEY_INVALID`: المفتاح مفقود أو خاطئ أو منتهي الصلاحية أو ملغى، أو المستشعر غير معروف',
  '`SENSOR_DISABLED`, `SENSOR_HELD`, `ASSETS_HELD`, `ASSETS_SUSPENDED` or `LICENSE_FEATURE_MISSING`: the sensor may not send':
    '`SENSOR_DISABLED` أو `SENSOR_HELD` أو `ASSETS_HELD` أو `ASSETS_SUSPENDED` أو `LICENSE_FEATURE_MISSING`: لا يجوز للمستشعر الإرسال',
  '`SENSOR_DISABLED`, `SENSOR_HELD`: the sensor may get no readings':
    '`SENSOR_DISABLED` أو `SENSOR_HELD`: لا يجوز أن تُرفع قراءات للمستشعر',
  '`REQUEST_TIMEOUT`: the body did not arrive in time': '`REQUEST_TIMEOUT`: لم يصل محتوى الطلب خلال المهلة المحددة',
  '`BODY_TOO_LARGE`: the body exceeds the size limit': '`BODY_TOO_LARGE`: حجم محتوى الطلب أكبر من الحد المسموح',
  '`MEDIA_TYPE_UNSUPPORTED`: unknown `Content-Encoding`':
    '`MEDIA_TYPE_UNSUPPORTED`: قيمة `Content-Encoding` غير معروفة',
  '`SENSOR_RATE_LIMITED` or `SENSOR_READINGS_DAILY_LIMIT`; `Retry-After` gives the wait in seconds':
    '`SENSOR_RATE_LIMITED` أو `SENSOR_READINGS_DAILY_LIMIT`؛ وفي `Retry-After` مدة الانتظار بالثواني',
  '`RATE_LIMITED` or `SENSOR_READINGS_DAILY_LIMIT`; `Retry-After` gives the wait in seconds':
    '`RATE_LIMITED` أو `SENSOR_READINGS_DAILY_LIMIT`؛ وفي `Retry-After` مدة الانتظار بالثواني',
  '`INGEST_UNAVAILABLE`: readings cannot be stored; send the same batch again after `Retry-After` seconds':
    '`INGEST_UNAVAILABLE`: تعذّر حفظ القراءات؛ أعد إرسال الدفعة نفسها بعد عدد الثواني في `Retry-After`',

  // tools, runs, jobs and files
  'The result of the tool.': 'نتيجة الأداة.',
  'The job was accepted. `Location` is the URL of its status.': 'قُبلت المهمة. في `Location` عنوان حالتها.',
  'The request is malformed.': 'صيغة الطلب غير صحيحة.',
  'The API key pair is missing, wrong, expired or revoked.': 'زوج مفاتيح API مفقود أو خاطئ أو منتهي الصلاحية أو ملغى.',
  'The enterprise does not have enough credits left for this period.': 'لم يتبقَّ لدى المؤسسة رصيد كافٍ لهذه الفترة.',
  'The application of this key pair is not allowed to run this tool.':
    'لا يُسمح لتطبيق زوج المفاتيح هذا بتشغيل هذه الأداة.',
  'A request with this Idempotency-Key is still running; retry when it has finished.':
    'لا يزال طلب بمفتاح `Idempotency-Key` هذا قيد التنفيذ؛ أعد المحاولة بعد انتهائه.',
  'A file exceeds the size limit.': 'حجم أحد الملفات أكبر من الحد المسموح.',
  'Unsupported media type.': 'نوع المحتوى غير مدعوم.',
  'A field is invalid.': 'أحد الحقول غير صالح.',
  'The application exceeded its limit of calls per minute.': 'تجاوز التطبيق حد الطلبات في الدقيقة.',
  'The tool failed. No credits were charged.': 'فشل تنفيذ الأداة. لم يُخصم أي رصيد.',
  'Too many calls are waiting; retry later.': 'عدد الطلبات المنتظرة كبير جدًا؛ أعد المحاولة لاحقًا.',
  'The tool exceeded its time limit and was stopped. No credits were charged.':
    'تجاوزت الأداة المهلة المحددة فأُوقفت. لم يُخصم أي رصيد.',
  'Stored files and layers exceed the storage quota; delete some of them first.':
    'تجاوزت الملفات والطبقات المخزنة حصة التخزين؛ احذف بعضها أولًا.',
  'The process list.': 'قائمة العمليات.',
  'The process description.': 'وصف العملية.',
  'The process description': 'وصف العملية',
  'The process does not exist, or the key pair may not run it. The body is an exception document.':
    'العملية غير موجودة، أو لا يجوز لزوج المفاتيح تشغيلها. متن الرد وثيقة خطأ.',
  'The enterprise is suspended.': 'المؤسسة موقوفة.',
  'The requested resource does not exist.': 'المورد المطلوب غير موجود.',
  'The request conflicts with the current state of the resource.': 'يتعارض الطلب مع الحالة الحالية للمورد.',
  'The record has changed; see data.': 'تغيّر السجل؛ راجع `data`.',
  'A page of jobs.': 'صفحة من المهام.',
  'The job.': 'المهمة.',
  'A page of runs.': 'صفحة من عمليات التشغيل.',
  'The run.': 'عملية التشغيل.',
  'The folders.': 'المجلدات.',
  'The file.': 'الملف.',
  'The requested range of the file.': 'الجزء المطلوب من الملف.',
  'The key of the deleted file.': 'مفتاح الملف المحذوف.',

  // uploads
  'The upload has begun.': 'بدأت عملية الرفع.',
  'A page of uploads.': 'صفحة من عمليات الرفع.',
  'The upload.': 'عملية الرفع.',
  'The state of the upload.': 'حالة عملية الرفع.',
  'The bytes are stored.': 'حُفظت البايتات.',
  'The upload is gone.': 'حُذفت عملية الرفع.',
  'Tus-Resumable must be 1.0.0.': 'يجب أن تكون قيمة ترويسة `Tus-Resumable` هي `1.0.0`.',
  'Too many uploads are unfinished; finish or delete some of them first.':
    'عدد عمليات الرفع غير المكتملة كبير جدًا؛ أكمل بعضها أو احذفه أولًا.',
  'The bytes do not match Upload-Checksum; none of them were kept.':
    'البيانات لا تطابق ترويسة `Upload-Checksum`؛ لم يُحفظ شيء منها.',
  'A file is damaged or not of the expected type.': 'أحد الملفات تالف أو ليس من النوع المتوقع.',
  'The request body did not arrive in time.': 'لم يصل محتوى الطلب خلال المهلة المحددة.',
  'Upload-Offset must be the number of bytes that have arrived; ask for it with HEAD.':
    'يجب أن تساوي ترويسة `Upload-Offset` عدد البايتات التي وصلت؛ اطلبه بطريقة `HEAD`.',
  'The request body is too large.': 'حجم محتوى الطلب أكبر من الحد المسموح.',
  'The server has too little free disk space for files at the moment; retry later.':
    'لا تتوفر على الخادم حاليًا مساحة تخزين كافية للملفات؛ أعد المحاولة لاحقًا.',

  // Tool APIs and accounts
  '`TOOL_API_RESULT`: the verdict of an inside check, or the resulting layer of any other tool':
    '`TOOL_API_RESULT`: حكم فحص الوقوع داخل المضلعات، أو الطبقة الناتجة من أي أداة أخرى',
  '`TOOL_API_KEY_INVALID`: key missing, wrong, expired or revoked, or unknown Tool API':
    '`TOOL_API_KEY_INVALID`: المفتاح مفقود أو خاطئ أو منتهي الصلاحية أو ملغى، أو واجهة الأداة غير معروفة',
  '`TOOL_API_SUSPENDED`, `TOOL_API_HELD`, `TOOL_API_DISABLED`, `TOOL_API_PLAN` or `GIS_TIER_REQUIRED`: the Tool API does not answer calls':
    '`TOOL_API_SUSPENDED` أو `TOOL_API_HELD` أو `TOOL_API_DISABLED` أو `TOOL_API_PLAN` أو `GIS_TIER_REQUIRED`: لا ترد واجهة الأداة على الطلبات',
  '`TOOL_API_BINDING_MISSING`: the bound layer or file cannot be used':
    '`TOOL_API_BINDING_MISSING`: تعذّر استخدام الطبقة المرتبطة أو الملف المرتبط',
  '`TOOL_API_INPUT_TOO_LARGE` or `TOOL_API_RESULT_TOO_LARGE`: send fewer features':
    '`TOOL_API_INPUT_TOO_LARGE` أو `TOOL_API_RESULT_TOO_LARGE`: أرسل عناصر أقل',
  '`MEDIA_TYPE_UNSUPPORTED`: the body must be `application/json`':
    '`MEDIA_TYPE_UNSUPPORTED`: يجب أن يكون محتوى الطلب من النوع `application/json`',
  '`TOOL_API_INPUT_INVALID`: the message names the feature and the broken rule':
    '`TOOL_API_INPUT_INVALID`: تذكر الرسالة العنصر والقاعدة التي خالفها',
  '`TOOL_API_RATE_LIMITED`, `API_KEY_QUOTA` or `ENTERPRISE_API_DAILY_LIMIT`; `Retry-After` gives the wait in seconds':
    '`TOOL_API_RATE_LIMITED` أو `API_KEY_QUOTA` أو `ENTERPRISE_API_DAILY_LIMIT`؛ وفي `Retry-After` مدة الانتظار بالثواني',
  '`SERVICE_BUSY` or `TOOL_UNAVAILABLE`; `Retry-After` gives the wait in seconds':
    '`SERVICE_BUSY` أو `TOOL_UNAVAILABLE`؛ وفي `Retry-After` مدة الانتظار بالثواني',
  '`TOOL_TIMEOUT`: the tool exceeded its time limit': '`TOOL_TIMEOUT`: تجاوزت الأداة المهلة المحددة',
  'To the issuer': 'إلى جهة الدخول',
}
