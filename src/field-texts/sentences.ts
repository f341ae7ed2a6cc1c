/**
 * Sentences about faults in fields, in both languages. English ones continue the name of the field.
 *
 * More than 400 lines, since a fault has its sentence in one list, where a writer sees whether it is there already.
 */

/** `one` is the English text when the first value is 1. */
export type Sentence = { en: string; one?: string; ar: string }

export const SENTENCES = {
  required: { en: 'is required', ar: 'هذا الحقل مطلوب.' },
  requiredWhen: {
    en: 'is required when {field} is {value}',
    ar: 'هذا الحقل مطلوب عندما تكون قيمة {field} هي {value}.',
  },
  allowedWhen: {
    en: 'is allowed only when {field} is {value}',
    ar: 'لا يُسمح بهذا الحقل إلا عندما تكون قيمة {field} هي {value}.',
  },
  valueWhen: {
    en: 'must be {expected} when {field} is {value}',
    ar: 'يجب أن تكون القيمة {expected} عندما تكون قيمة {field} هي {value}.',
  },
  notTogether: {
    en: 'must not be sent together with {field}',
    ar: 'لا يجوز إرسال هذا الحقل مع الحقل {field}.',
  },
  once: { en: 'must be sent only once', ar: 'يجب إرسال الحقل مرة واحدة فقط.' },
  unknown: { en: 'is not a known field', ar: 'هذا الحقل غير موجود.' },
  knownFields: {
    en: 'is not a field of this tool; its fields are {fields}',
    ar: 'ليس هذا من حقول الأداة؛ حقولها: {fields}.',
  },

  mustBe: { en: 'must be {kind}', ar: 'المطلوب {kind}.' },
  wholeNumber: { en: 'a whole number', ar: 'عدد صحيح' },
  wholeNumberBetween: { en: 'a whole number from {least} to {most}', ar: 'عدد صحيح من {least} إلى {most}' },
  number: { en: 'a number', ar: 'عدد' },
  numberBetween: { en: 'a number from {least} to {most}', ar: 'عدد من {least} إلى {most}' },
  string: { en: 'a string', ar: 'نص' },
  text: { en: 'text', ar: 'نص' },
  file: { en: 'a file', ar: 'ملف' },
  trueOrFalse: { en: 'true or false', ar: 'نعم أو لا' },
  list: { en: 'a list', ar: 'قائمة' },
  listBetween: { en: 'a list of {least} to {most}', ar: 'قائمة من {least} إلى {most} من العناصر' },
  object: { en: 'an object', ar: 'كائن JSON' },
  jsonObject: { en: 'a JSON object', ar: 'كائن JSON' },
  null: { en: 'null', ar: 'null' },
  constant: { en: '{value}', ar: '{value}' },

  between: { en: 'must be from {least} to {most}', ar: 'المطلوب عدد من {least} إلى {most}.' },
  atLeast: { en: 'must be at least {least}', ar: 'المطلوب {least} على الأقل.' },
  atMost: { en: 'must be at most {most}', ar: 'المسموح {most} على الأكثر.' },
  moreThan: { en: 'must be greater than {limit}', ar: 'المطلوب عدد أكبر من {limit}.' },
  lessThan: { en: 'must be less than {limit}', ar: 'المطلوب عدد أصغر من {limit}.' },
  multiple: { en: 'must be a multiple of {step}', ar: 'المطلوب عدد من مضاعفات {step}.' },
  pattern: { en: 'must match the pattern {pattern}', ar: 'يجب أن توافق القيمة النمط {pattern}.' },
  oneOf: { en: 'must be one of {values}', ar: 'المطلوب إحدى القيم: {values}.' },
  listOf: { en: 'must be a list of {values}', ar: 'المطلوب قائمة من القيم: {values}.' },

  charactersAtLeast: {
    en: 'must have at least {least} characters',
    one: 'must have at least {least} character',
    ar: 'عدد الحروف: {least} على الأقل.',
  },
  charactersAtMost: {
    en: 'must have at most {most} characters',
    one: 'must have at most {most} character',
    ar: 'عدد الحروف: {most} على الأكثر.',
  },
  charactersLongAtMost: { en: 'must be at most {most} characters long', ar: 'عدد الحروف: {most} على الأكثر.' },
  charactersBetween: { en: 'must be {least} to {most} characters long', ar: 'عدد الحروف: من {least} إلى {most}.' },
  filenameAtMost: {
    en: 'must have a name of at most {most} characters',
    ar: 'عدد حروف اسم الملف: {most} على الأكثر.',
  },
  email: {
    en: 'must be an e-mail address, for example amal@example.org',
    ar: 'المطلوب عنوان بريد إلكتروني، مثل amal@example.org.',
  },
  visibleCharacter: { en: 'must contain a visible character', ar: 'النص لا يضم أي حرف ظاهر.' },

  itemsAtLeast: {
    en: 'must have at least {least} items',
    one: 'must have at least {least} item',
    ar: 'عدد العناصر: {least} على الأقل.',
  },
  itemsAtMost: {
    en: 'must have at most {most} items',
    one: 'must have at most {most} item',
    ar: 'عدد العناصر: {most} على الأكثر.',
  },
  storableText: {
    en: 'must not contain NUL characters or unpaired surrogates',
    ar: 'في النص حروف لا يمكن حفظها: NUL أو نصف محرف منفرد من Unicode.',
  },
  itemTwice: { en: 'must not contain an item twice', ar: 'أحد العناصر مكرر.' },
  namesAtMost: { en: 'must have at most {most} names', ar: 'عدد الأسماء: {most} على الأكثر.' },
  favouritesAtMost: {
    en: 'a member may have at most {most} favourites; remove one first',
    ar: 'عدد المفضّلات: {most} على الأكثر، فأزل واحدة أولًا.',
  },
  sensorsAtMost: { en: 'must name at most {most} sensors', ar: 'عدد المستشعرات: {most} على الأكثر.' },
  sensorsPerQuery: {
    en: 'must name at most {most} sensors; send several queries',
    ar: 'عدد المستشعرات: {most} على الأكثر؛ أرسل عدة استعلامات.',
  },
  readingsToPreview: {
    en: 'begins a range with {found} readings of these sensors, and a preview reads at most {most}; choose a shorter range or fewer sensors',
    ar: 'عدد قراءات هذه المستشعرات في المدى: {found}، والحد الأقصى للمعاينة: {most}؛ اختر مدى أقصر أو مستشعرات أقل.',
  },
  daysAtMost: { en: 'must be at most {most} days after {field}', ar: 'المسموح {most} يومًا على الأكثر بعد {field}.' },
  documentsAtMost: {
    en: 'the enterprise has {most} of this kind already, which is the maximum; delete one first',
    ar: 'لدى المؤسسة {most} من هذا النوع، وهو الحد الأقصى؛ احذف واحدًا أولًا.',
  },
  keysAtMost: {
    en: 'the person has {most} keys already, which is the maximum; revoke one first',
    ar: 'لدى الشخص {most} مفتاحًا، وهو الحد الأقصى؛ ألغِ واحدًا أولًا.',
  },
  planWithoutKeys: {
    en: "the person's plan includes no API keys; pro and max do",
    ar: 'لا تشمل باقة الشخص مفاتيح API؛ تشملها باقتا pro وmax.',
  },
  privateOfMembers: {
    en: 'must be true: only a signed-in member of the enterprise has private ones',
    ar: 'يجب أن تكون القيمة نعم: ما هو خاص يعود إلى عضو في المؤسسة سجّل دخوله.',
  },
  sharedByManagers: {
    en: 'must be false: administrators and owners share with the enterprise',
    ar: 'يجب أن تكون القيمة لا: المشاركة مع المؤسسة للمديرين والمالكين.',
  },
  sensorsOfPanel: {
    en: 'match more than {most} sensors; choose a tag, an asset or single sensors',
    ar: 'يطابق أكثر من {most} مستشعر؛ اختر وسمًا أو أصلًا أو مستشعرات محددة.',
  },
  propertiesAtMost: {
    en: 'must have at most {most} properties',
    one: 'must have at most {most} property',
    ar: 'عدد الحقول: {most} على الأكثر.',
  },
  json: { en: 'must be valid JSON in UTF-8', ar: 'المطلوب JSON صالح بترميز UTF-8.' },
  levels: { en: 'must be nested at most {most} levels deep', ar: 'عدد مستويات التداخل: {most} على الأكثر.' },
  listsAndObjects: {
    en: 'must contain at most {most} lists and objects',
    ar: 'عدد القوائم والكائنات: {most} على الأكثر.',
  },
  memberNames: {
    en: 'must contain at most {most} different names of members',
    ar: 'عدد الأسماء المختلفة: {most} على الأكثر.',
  },
  memberTwice: {
    en: 'must not have a member twice in one object: {name}',
    ar: 'لا يجوز تكرار الاسم {name} في كائن واحد.',
  },
  readings: { en: 'must be a list of 1 to {most} readings', ar: 'المطلوب قائمة من 1 إلى {most} من القراءات.' },
  readingBytes: {
    en: 'must not have a reading of more than {most} bytes',
    ar: 'حجم القراءة الواحدة {most} بايت على الأكثر.',
  },
  readingCount: {
    en: 'must contain 1 to {most} readings, has {count}',
    ar: 'عدد القراءات: من 1 إلى {most}، وهو هنا {count}.',
  },
  csvHeader: {
    en: 'must begin with a row of names: at, longitude and latitude, and channels of the sensor',
    ar: 'يجب أن يبدأ المحتوى بصف من الأسماء: at وlongitude وlatitude وقنوات المستشعر.',
  },
  csvColumnMissing: { en: 'must have a column {name}', ar: 'العمود {name} مفقود.' },
  csvColumnUnknown: {
    en: 'has a column that is no channel of the sensor: {name}',
    ar: 'لا توجد في المستشعر قناة باسم العمود {name}.',
  },
  csvColumnTwice: { en: 'must not have the column {name} twice', ar: 'لا يجوز تكرار العمود {name}.' },
  csvLocationColumns: {
    en: 'must have columns for both longitude and latitude, or for neither',
    ar: 'المطلوب عمودان لخط الطول وخط العرض معًا، أو لا شيء منهما.',
  },
  sensorMissing: { en: 'must be the id of a sensor of the enterprise', ar: 'المطلوب معرّف مستشعر من مستشعرات المؤسسة.' },
  channelsOfNew: {
    en: 'is required: no sensor has this external id, so the row creates one',
    ar: 'حقل مطلوب: لا يوجد مستشعر بهذا المعرّف الخارجي، فالصف ينشئ مستشعرًا.',
  },
  storableRow: {
    en: 'must be text in UTF-8 without the character NUL',
    ar: 'المطلوب نص بترميز UTF-8 من دون المحرف NUL.',
  },
  assetTwice: {
    en: 'must not differ from assetName: both name the same asset',
    ar: 'يجب ألا يختلف عن assetName، فكلاهما يسمّي الأصل نفسه.',
  },
  csvCells: {
    en: 'must have {count} cells, as the header has, and no line break in a cell',
    ar: 'يجب أن تكون خلايا الصف بعدد خلايا صف العناوين، وهو {count}، من دون أسطر داخل الخلايا.',
  },
  keysOfRows: {
    en: 'must not be true for more than {most} rows: send the file in parts',
    ar: 'لا تُنشأ المفاتيح لأكثر من {most} صف؛ أرسل الملف على أجزاء.',
  },
  senmlPack: { en: 'must be a SenML pack: a list of records', ar: 'المطلوب حزمة SenML: قائمة من السجلات.' },
  senmlBase: { en: 'has a record with a wrong {label}', ar: 'قيمة {label} في أحد السجلات غير صالحة.' },
  senmlVersion: { en: 'must be SenML of version 10 or older', ar: 'المطلوب SenML بالإصدار 10 أو أقدم.' },
  senmlLabel: {
    en: 'has a label that this server does not know and must not ignore: {label}',
    ar: 'الحقل {label} غير معروف لهذا الخادم ولا يجوز تجاهله.',
  },
  senmlBaseNames: {
    en: 'must have one base name, because a call is for one sensor',
    ar: 'يجب ألا تضم الحزمة إلا اسمًا أساسيًا واحدًا، لأن كل طلب لمستشعر واحد.',
  },

  previousPage: {
    en: 'must be nextCursor of the previous page',
    ar: 'يجب أن تكون القيمة nextCursor من الصفحة السابقة.',
  },
  aPreviousPage: {
    en: 'must be the nextCursor of a previous page',
    ar: 'يجب أن تكون القيمة nextCursor من صفحة سابقة.',
  },
  sameSort: {
    en: 'must be the nextCursor of a page with the same sort',
    ar: 'يجب أن تكون القيمة nextCursor من صفحة بالترتيب نفسه.',
  },
  dateTime: {
    en: 'must be an RFC 3339 date-time with an offset, for example 2026-01-31T12:00:00Z',
    ar: 'المطلوب تاريخ ووقت بصيغة RFC 3339 مع فرق التوقيت، مثل 2026-01-31T12:00:00Z.',
  },
  notLater: { en: 'must not be later than {field}', ar: 'يجب ألا يأتي هذا الوقت بعد {field}.' },
  earlier: { en: 'must be earlier than {field}', ar: 'يجب أن يسبق هذا الوقت {field}.' },
  future: { en: 'must be in the future', ar: 'يجب أن يكون الوقت في المستقبل.' },
  daysFromNow: {
    en: 'must be at most {most} days from now',
    ar: 'يجب ألا يبعد هذا الوقت عن الآن أكثر من {most} يومًا.',
  },
  ofRuleKinds: {
    en: 'is allowed only for rules of kind {kinds}',
    ar: 'لا يُسمح بهذا الحقل إلا لقاعدة من النوع {kinds}.',
  },
  fixedKind: {
    en: 'must be {kind}: the kind of a rule is fixed',
    ar: 'يجب أن تكون القيمة {kind}: نوع القاعدة لا يتغيّر.',
  },
  targets: {
    en: 'is required: a list of sensor ids or "all", unless tags are sent',
    ar: 'هذا الحقل مطلوب ما لم تُرسل وسوم: قائمة معرّفات مستشعرات أو "all".',
  },
  sensorOfEnterprise: {
    en: 'must be the id of a sensor of this enterprise',
    ar: 'يجب أن تكون القيمة معرّف مستشعر لهذه المؤسسة.',
  },
  ruleOfEnterprise: {
    en: 'must be the id of a rule of this enterprise',
    ar: 'يجب أن تكون القيمة معرّف قاعدة لهذه المؤسسة.',
  },
  silenceTargets: {
    en: 'is required, unless tags or ruleIds are sent: what the silence is for',
    ar: 'هذا الحقل مطلوب ما لم تُرسل وسوم أو قواعد: على ماذا يسري الكتم.',
  },
  oneCondition: { en: 'are allowed only with one condition', ar: 'لا يُسمح بالدرجات إلا مع شرط واحد.' },
  worse: {
    en: 'must be worse than {severity}: one of {values}',
    ar: 'يجب أن تكون القيمة أشد من {severity}: إحدى القيم {values}.',
  },
  noneWorse: {
    en: 'has no allowed value: none is worse than {severity}',
    ar: 'لا توجد قيمة مسموح بها: لا شيء أشد من {severity}.',
  },
  timeZone: {
    en: 'must be an IANA time zone, for example Asia/Riyadh',
    ar: 'المطلوب منطقة زمنية من قائمة IANA، مثل Asia/Riyadh.',
  },
  differsFrom: { en: 'must differ from {field}', ar: 'يجب أن تختلف القيمة عن {field}.' },
  channelOfTargets: {
    en: "must be a channel of one of the rule's sensors, which have no channels",
    ar: 'يجب أن تكون قناة لأحد مستشعرات القاعدة، وليست لها قنوات.',
  },
  channelOfTargetsWith: {
    en: "must be a channel of one of the rule's sensors: {channels}",
    ar: 'يجب أن تكون قناة لأحد مستشعرات القاعدة: {channels}.',
  },
  notYesNo: {
    en: 'must be a channel of numbers, not of yes and no',
    ar: 'يجب أن تكون قناة أعداد، لا قناة نعم ولا.',
  },
  yesNoOperator: {
    en: 'must be = or != for a channel of yes and no',
    ar: 'القيمة المسموح بها لقناة نعم ولا هي = أو !=.',
  },
  contradiction: {
    en: 'contradict each other: no value of {channel} meets all conditions',
    ar: 'الشروط متناقضة: لا توجد للقناة {channel} قيمة تحقق كل الشروط.',
  },
  polygonsInLayer: {
    en: 'must be the id of a layer that has polygons; this one is empty',
    ar: 'يجب أن تكون القيمة معرّف طبقة فيها مضلعات؛ هذه الطبقة فارغة.',
  },
  layerOfEnterprise: {
    en: 'must be the id of a layer of this enterprise',
    ar: 'يجب أن تكون القيمة معرّف طبقة لهذه المؤسسة.',
  },
  polygonLayer: {
    en: 'must be the id of a layer that contains polygons only',
    ar: 'يجب أن تكون القيمة معرّف طبقة لا تضم إلا مضلعات.',
  },
  taken: { en: 'is taken already', ar: 'القيمة مستخدمة من قبل.' },

  requiredFile: { en: 'is required and must be a file', ar: 'هذا الحقل مطلوب، وقيمته ملف.' },
  fileCount: {
    en: 'must be sent {least} to {most} times, each time with a file',
    ar: 'المطلوب من {least} إلى {most} من الملفات.',
  },
  filesAtMost: { en: 'the form must contain at most {most} files', ar: 'عدد الملفات: {most} على الأكثر.' },
  bytesAtMost: { en: 'must be at most {most} bytes', ar: 'الحجم {most} بايت على الأكثر.' },
  linesAtMost: { en: 'must not have more than {most} lines', ar: 'عدد الأسطر {most} على الأكثر.' },
  unpackedBytesAtMost: {
    en: 'must be at most {most} bytes after decompression',
    ar: 'الحجم بعد فك الضغط {most} بايت على الأكثر.',
  },
  unpacksToAtMost: {
    en: 'must unpack to at most {most} bytes',
    ar: 'الحجم بعد فك الضغط {most} بايت على الأكثر.',
  },
  textBytesAtMost: {
    en: 'the text fields of the form must have at most {most} bytes together',
    ar: 'حجم الحقول النصية معًا {most} بايت على الأكثر.',
  },
  bytesLeft: {
    en: 'must have at most {most} bytes, which complete the upload',
    ar: 'لم يبقَ لاكتمال الرفع إلا {most} بايت.',
  },
  largerThan: { en: 'would be larger than {most} bytes', ar: 'ستكون النتيجة أكبر من {most} بايت.' },
  receivedBytes: {
    en: 'must be {received}, the number of bytes that have arrived',
    ar: 'المطلوب {received}، وهو عدد البايتات التي وصلت.',
  },
  mediaTypes: { en: 'must be {types}', ar: 'القيمة المسموح بها: {types}.' },
  extensions: {
    en: 'must have a name that ends in one of {extensions}',
    ar: 'يجب أن ينتهي اسم الملف بأحد الامتدادات: {extensions}.',
  },
  entriesAtMost: { en: 'must contain at most {most} entries', ar: 'عدد محتويات الملف: {most} على الأكثر.' },
  beingScanned: {
    en: 'is still being scanned; retry in a moment',
    ar: 'لا يزال الملف قيد الفحص؛ أعد المحاولة بعد قليل.',
  },

  tooManyFeatures: { en: 'has too many features; the maximum is {most}', ar: 'عدد العناصر {most} على الأكثر.' },
  featureCount: {
    en: 'has {count} features; the maximum is {most}',
    ar: 'عدد العناصر {count}، والحد الأقصى {most}.',
  },
  rowCount: { en: 'has {count} rows; the maximum is {most}', ar: 'عدد الصفوف {count}، والحد الأقصى {most}.' },
  frameCount: {
    en: 'has {count} frames or pages; the maximum is {most}',
    ar: 'عدد الإطارات أو الصفحات {count}، والحد الأقصى {most}.',
  },
  pageCount: { en: 'has {count} pages; the maximum is {most}', ar: 'عدد الصفحات {count}، والحد الأقصى {most}.' },
  objectCount: { en: 'has {count} objects; the maximum is {most}', ar: 'عدد الكائنات {count}، والحد الأقصى {most}.' },
  rangeCount: { en: 'has {count} ranges; the maximum is {most}', ar: 'عدد النطاقات {count}، والحد الأقصى {most}.' },
  pixelCount: {
    en: 'has {size} pixels; the maximum is {most} megapixels',
    ar: 'مقاس الصورة {size} بكسل، والحد الأقصى {most} ميغابكسل.',
  },
  imagePixels: {
    en: 'contains an image of {size} pixels; the maximum is {most} megapixels',
    ar: 'مقاس إحدى الصور {size} بكسل، والحد الأقصى {most} ميغابكسل.',
  },
  pagePixels: {
    en: 'page {page} would have {size} pixels; the maximum is {most} megapixels',
    ar: 'سيكون مقاس الصفحة {page} هو {size} بكسل، والحد الأقصى {most} ميغابكسل.',
  },
  cellCount: {
    en: 'has {size} cells in {bands} bands; the maximum is {most} million cells over all bands',
    ar: 'في الراستر {size} خلية في {bands} من النطاقات، والحد الأقصى {most} مليون خلية في كل النطاقات.',
  },
  fieldCharacterCount: {
    en: 'has {count} characters; the maximum for the field is {most}',
    ar: 'عدد الحروف {count}، والحد الأقصى لهذا الحقل {most}.',
  },
  noSuchPage: {
    en: 'page {page} does not exist; pages are {least} to {most}',
    ar: 'الصفحة {page} غير موجودة؛ الصفحات من {least} إلى {most}.',
  },
  noSuchPageOfFile: {
    en: 'page {page} does not exist; the pages of the file are {least} to {most}',
    ar: 'الصفحة {page} غير موجودة؛ صفحات الملف من {least} إلى {most}.',
  },

  geojson: {
    en: 'must be a GeoJSON Feature, FeatureCollection or geometry',
    ar: 'المطلوب GeoJSON: عنصر Feature أو مجموعة FeatureCollection أو شكل هندسي.',
  },
  featureList: {
    en: 'a FeatureCollection must have an array of features',
    ar: 'يجب أن تضم FeatureCollection قائمة عناصر.',
  },
  featureType: { en: 'its type must be Feature', ar: 'يجب أن يكون نوع العنصر Feature.' },
  featureProperties: {
    en: 'properties must be an object or null',
    ar: 'يجب أن تكون خصائص العنصر كائنًا أو null.',
  },
  geometryOfType: { en: 'must have a geometry of type {types}', ar: 'المطلوب شكل هندسي من الأنواع: {types}.' },
  geometryType: { en: 'the type must be one of {types}', ar: 'يجب أن يكون النوع أحد الأنواع: {types}.' },
  coordinates: {
    en: 'coordinates must be finite numbers from {least} to {most}',
    ar: 'يجب أن تكون الإحداثيات أعدادًا منتهية من {least} إلى {most}.',
  },
  coordinatePositions: {
    en: 'coordinates must be an array of positions',
    ar: 'يجب أن تكون الإحداثيات قائمة مواضع.',
  },
  coordinateList: { en: 'coordinates must be an array', ar: 'يجب أن تكون الإحداثيات قائمة.' },
  position: {
    en: 'a position must be an array of two or three numbers',
    ar: 'يجب أن يكون الموضع عددين أو ثلاثة أعداد.',
  },
  finitePosition: {
    en: 'a position must be an array of two or three finite numbers',
    ar: 'يجب أن يكون الموضع عددين أو ثلاثة أعداد منتهية.',
  },
  heights: {
    en: 'all positions of a geometry must have a height, or none',
    ar: 'يجب أن يكون لكل مواضع الشكل ارتفاع أو ألا يكون لأي منها.',
  },
  openRing: {
    en: 'ring {ring} is not closed: its last position must equal its first',
    ar: 'الحلقة {ring} غير مغلقة: يجب أن يطابق آخر موضع فيها أولها.',
  },
  degreesList: {
    en: 'longitude must be from -180 to 180 and latitude from -90 to 90, not [{longitude}, {latitude}]',
    ar: 'خط الطول من \u200e-180 إلى 180 وخط العرض من \u200e-90 إلى 90؛ القيمة هنا [{longitude}, {latitude}].',
  },
  degrees: {
    en: 'longitude must be from -180 to 180 and latitude from -90 to 90, not {longitude}, {latitude}',
    ar: 'خط الطول من \u200e-180 إلى 180 وخط العرض من \u200e-90 إلى 90؛ القيمة هنا {longitude}, {latitude}.',
  },
  outsideCrs: {
    en: 'is outside the area where its CRS is valid',
    ar: 'يقع خارج المنطقة التي يصلح لها نظام الإحداثيات المرجعي.',
  },
  polygon: { en: 'must be a Polygon or a MultiPolygon', ar: 'يجب أن يكون Polygon أو MultiPolygon.' },
  columnOfFile: {
    en: 'must be a column of file; its columns are {columns}',
    ar: 'يجب أن يكون عمودًا في الملف؛ أعمدته: {columns}.',
  },

  destinationOfEnterprise: {
    en: 'must be the id of a destination of this enterprise',
    ar: 'يجب أن تكون القيمة معرّف وجهة لهذه المؤسسة.',
  },
  callbackOfJobs: {
    en: 'is only for jobs: it needs Prefer: respond-async, and a tool that can run as a job',
    ar: 'هذا الحقل للمهام وحدها: يلزم معه Prefer: respond-async وأداة يمكن تشغيلها كمهمة.',
  },
  keptEvent: {
    en: 'must be the id of an event of the last {days} days',
    ar: 'يجب أن تكون القيمة معرّف حدث لم يمضِ عليه أكثر من {days} يومًا.',
  },
  noMail: {
    en: 'cannot be email: this server sends no mail',
    ar: 'لا يمكن أن تكون القيمة email: هذا الخادم لا يرسل بريدًا.',
  },
  addressTwice: { en: 'must not have an address twice', ar: 'أحد العناوين مكرر.' },
  headerTwice: { en: 'must not have a header twice', ar: 'إحدى الترويسات مكررة.' },
  headerOfServer: {
    en: 'must not have {name}, which the server sets',
    ar: 'لا يجوز إرسال الترويسة {name}، فالخادم هو الذي يضبطها.',
  },
  headerAllowed: {
    en: 'must have names and values that HTTP allows; {name} does not',
    ar: 'يجب أن تكون أسماء الترويسات وقيمها مما يسمح به HTTP، وليست كذلك الترويسة {name}.',
  },
  targetUrl: {
    en: 'must be a URL that starts with https:// and names a host',
    ar: 'المطلوب عنوان URL يبدأ بـ https:// ويذكر المضيف.',
  },
  targetUser: {
    en: 'must not have a user name or a password',
    ar: 'لا يجوز أن يضم العنوان اسم مستخدم أو كلمة مرور.',
  },
  targetHost: {
    en: 'must write its host plainly: no full stop at the end, no %, and no other spelling of an IP address',
    ar: 'يجب كتابة المضيف بصيغته العادية: دون نقطة في آخره ودون % ودون صيغة أخرى لعنوان IP.',
  },
  targetPublic: {
    en: 'must be on the public internet, unless the operator allows the host',
    ar: 'يجب أن يكون المضيف على الإنترنت العام، ما لم يسمح به المشغّل.',
  },
  targetHttps: {
    en: 'must use https and port 443, unless the operator allows the host',
    ar: 'يجب استخدام https والمنفذ 443، ما لم يسمح المشغّل بالمضيف.',
  },

  fleetKeysAtMost: {
    en: 'an enterprise has at most {most} fleet keys',
    ar: 'عدد مفاتيح الأسطول في المؤسسة: {most} على الأكثر.',
  },
  importsAtMost: {
    en: 'an enterprise has at most {most} unfinished imports; wait for one',
    ar: 'عدد عمليات الاستيراد الجارية في المؤسسة: {most} على الأكثر؛ انتظر انتهاء إحداها.',
  },
  featureOfLayer: { en: '"{id}" is not a feature of this layer', ar: 'لا يوجد في هذه الطبقة عنصر بالمعرّف {id}.' },
  schemaMismatch: { en: 'does not match the schema', ar: 'القيمة لا توافق المخطط المطلوب.' },
  incompleteBody: { en: 'ends before its length', ar: 'انقطع المحتوى قبل اكتمال طوله المعلن.' },
  contentEncodings: { en: 'must be gzip, zstd or identity', ar: 'المسموح به: gzip أو zstd أو identity.' },
  unpackRatio: {
    en: 'must unpack to at most {times} times its size, or {most} bytes',
    ar: 'يجب ألا يتجاوز الحجم بعد فك الضغط الحجمَ المرسل مضروبًا في {times}، أو {most} بايت.',
  },
  encodedData: { en: 'is not valid {encoding} data', ar: 'المحتوى ليس بيانات {encoding} صالحة.' },
  readingsObject: {
    en: 'must be a JSON object with the member "readings"',
    ar: 'المطلوب كائن JSON فيه الحقل "readings".',
  },
  enterpriseHeader: {
    en: 'is required with a session: the id of an enterprise',
    ar: 'هذه الترويسة مطلوبة مع الجلسة، وقيمتها معرّف مؤسسة.',
  },
  operatorOnly: { en: 'may be set by the operator only', ar: 'لا يضبط هذا الحقل إلا المشغّل.' },
  ownersByOwners: {
    en: 'owners are made, changed and removed by owners only',
    ar: 'لا يضيف المالكين أو يغيّرهم أو يزيلهم إلا مالك.',
  },
  ownerMissing: { en: 'must be the id of an enterprise or a person', ar: 'يجب أن تكون القيمة معرّف مؤسسة أو شخص.' },
  notEmpty: { en: 'must not be empty', ar: 'يجب ألا تكون القيمة فارغة.' },
  namesByCommas: { en: 'must be a list of names separated by commas', ar: 'المطلوب قائمة أسماء تفصل بينها فواصل.' },
  conditions: {
    en: 'must be conditions joined by and; each has a channel, one of > >= < <= = !=, and a number, true or false, such as temperature>30; put a name with one of < > = ! " in double quotes',
    ar: 'المطلوب شروط تربط بينها and؛ في كل شرط قناة، ثم إحدى العلامات \u2066> >= < <= = !=\u2069، ثم عدد أو true أو false، مثل \u2066temperature>30\u2069؛ ضع الاسم الذي فيه إحدى العلامات \u2066< > = ! "\u2069 بين علامتي اقتباس مزدوجتين.',
  },
  bboxNumbers: {
    en: 'must be four numbers in degrees: west,south,east,north',
    ar: 'المطلوب أربعة أعداد بالدرجات: الغرب ثم الجنوب ثم الشرق ثم الشمال.',
  },
  bboxRange: { en: 'must lie within -180,-90,180,90', ar: 'يجب أن يقع النطاق ضمن الحدود \u2066-180,-90,180,90\u2069.' },
  bboxOrder: { en: 'must have a south that is not greater than its north', ar: 'يجب ألا يكون الجنوب أكبر من الشمال.' },
  layerOrPolygon: { en: 'must have either layerId or polygon', ar: 'المطلوب layerId أو polygon، أحدهما فقط.' },
  stepDuration: {
    en: 'must be a duration such as 10s, 5m, 1h, 1d, 1w, 1mo or 1y, or an ISO 8601 duration such as PT5M, P1D or P1M',
    ar: 'المطلوب مدة مثل 10s أو 5m أو 1h أو 1d أو 1w أو 1mo أو 1y، أو مدة بصيغة ISO 8601 مثل PT5M أو P1D أو P1M.',
  },
  longerThanZero: { en: 'must be longer than 0', ar: 'يجب أن تكون المدة أطول من 0.' },
  seriesPoints: {
    en: 'must be longer: a series has at most {most} points',
    ar: 'يجب أن تكون الخطوة أطول: عدد نقاط السلسلة الواحدة {most} على الأكثر.',
  },
  allSeriesPoints: {
    en: 'must be longer: all series together have at most {most} points',
    ar: 'يجب أن تكون الخطوة أطول: عدد نقاط السلاسل كلها معًا {most} على الأكثر.',
  },
  onlyAutoStep: { en: 'must not be sent with a step other than auto', ar: 'لا يجوز إرسال هذا الحقل مع خطوة غير auto.' },
  sharedNotes: {
    en: 'must be true: only members of the enterprise have private notes',
    ar: 'يجب أن تكون القيمة نعم: الملاحظات الخاصة لأعضاء المؤسسة وحدهم.',
  },
  wideChannels: {
    en: 'must not be wide for {count} channels; name at most {most}, or fewer sensors',
    ar: 'لا يصلح التخطيط wide لعدد القنوات {count}، وحدّه الأقصى {most}؛ اذكر قنوات أو مستشعرات أقل.',
  },
  passwordWrong: { en: 'is not the password of this account', ar: 'ليست هذه كلمة مرور الحساب.' },
  storedFileMissing: {
    en: 'must be a file, or the key of a stored file; there is no stored file with this key',
    ar: 'المطلوب ملف أو مفتاح ملف محفوظ؛ لا يوجد ملف محفوظ بهذا المفتاح.',
  },
  storedFileKey: {
    en: 'must be a file, or the key of a stored file: fil_ and 32 hexadecimal digits',
    ar: 'المطلوب ملف أو مفتاح ملف محفوظ: fil_ ثم 32 رقمًا ست عشريًا.',
  },
  scannedClean: {
    en: 'must be a file that was scanned clean; the scan status of this one is "{status}"',
    ar: 'المطلوب ملف أثبت الفحص سلامته؛ حالة فحص هذا الملف: {status}.',
  },
  fileNotLayer: {
    en: 'must be a file of its kind; a layer stands for a file of features only',
    ar: 'المطلوب ملف من نوع هذا الحقل؛ لا تحل الطبقة إلا محل ملف عناصر.',
  },
  fileOrLayer: {
    en: 'must be a file, or the id of a layer; there is no layer with this id',
    ar: 'المطلوب ملف أو معرّف طبقة؛ لا توجد طبقة بهذا المعرّف.',
  },
  runStates: {
    en: 'must consist of {states}, separated by commas',
    ar: 'المطلوب قيم من القائمة {states}، تفصل بينها فواصل.',
  },
  nameAndFolder: {
    en: 'is not a field; the fields are name and folder',
    ar: 'هذا الحقل غير موجود؛ الحقلان هما name وfolder.',
  },
  nullOrText: {
    en: 'must be null or a text of 1 to {most} characters, not only spaces',
    ar: 'المطلوب null أو نص من 1 إلى {most} من الحروف، لا مسافات فقط.',
  },
  toolForFile: { en: 'must be the id of a tool that takes a file', ar: 'يجب أن تكون القيمة معرّف أداة تقبل ملفًا.' },
  deferLength: { en: 'is not supported; send Upload-Length', ar: 'هذه الترويسة غير مدعومة؛ أرسل Upload-Length.' },
  uploadLength: {
    en: 'is required and must be the number of bytes of the file',
    ar: 'هذه الترويسة مطلوبة، وقيمتها عدد بايتات الملف.',
  },
  uploadOffset: {
    en: 'is required and must be a number of bytes',
    ar: 'هذه الترويسة مطلوبة، وقيمتها عدد من البايتات.',
  },
  metadataPairs: {
    en: 'must be pairs of a name and a value, separated by commas',
    ar: 'المطلوب أزواج من اسم وقيمة، تفصل بينها فواصل.',
  },
  metadataFilename: {
    en: 'filename must have at most {most} characters and no control characters',
    ar: 'عدد حروف filename هو {most} على الأكثر، ولا يجوز أن تكون فيه محارف تحكم.',
  },
  base64Values: { en: 'must have values in base64', ar: 'يجب أن تكون القيم بترميز base64.' },
  utf8Values: {
    en: 'must have values in UTF-8, encoded in base64',
    ar: 'يجب أن تكون القيم نصوص UTF-8 مكتوبة بترميز base64.',
  },
  checksumHeader: {
    en: 'must be one of {algorithms}, a space and a base64 digest',
    ar: 'المطلوب إحدى القيم {algorithms}، ثم مسافة، ثم بصمة بترميز base64.',
  },
  virusFound: { en: 'was refused by the virus scanner ({reason})', ar: 'رفض فاحص الفيروسات الملف ({reason}).' },
  operatorName: {
    en: 'must be 1 to 100 letters, digits or any of _ . @ + -',
    ar: 'المطلوب من 1 إلى 100 من الحروف اللاتينية والأرقام والرموز \u2066_ . @ + -\u2069.',
  },
  calendarDay: { en: 'must be a calendar day', ar: 'المطلوب يوم من التقويم.' },
  daysBefore: {
    en: 'must be less than {most} days before query.to',
    ar: 'يجب ألا يصل الفرق بين هذا اليوم وquery.to إلى {most} يومًا.',
  },
  futureDateTime: {
    en: 'must be an RFC 3339 date-time with an offset in the future, for example 2030-01-31T12:00:00Z',
    ar: 'المطلوب تاريخ ووقت في المستقبل بصيغة RFC 3339 مع فرق التوقيت، مثل 2030-01-31T12:00:00Z.',
  },
  processIds: {
    en: '"{id}" is not a process id; must be among {ids}',
    ar: 'لا توجد أداة بالمعرّف {id}؛ المعرّفات المتاحة: {ids}.',
  },
  onlyFileField: {
    en: 'is not a known field; the only field is file',
    ar: 'هذا الحقل غير موجود؛ الحقل الوحيد هو file.',
  },
  namedFile: { en: 'is required and must be a file with a name', ar: 'هذا الحقل مطلوب، وقيمته ملف له اسم.' },
  differentVersions: { en: 'must be another version than from', ar: 'يجب أن تختلف النسخة عن from.' },
  monthBefore: { en: 'must be at most 31 days before `to`', ar: 'يجب ألا يسبق هذا الوقت query.to بأكثر من 31 يومًا.' },
  jobStates: {
    en: '"{state}" is not a state; must be among {states}',
    ar: 'لا توجد حالة باسم {state}؛ الحالات المتاحة: {states}.',
  },
  refillWithChannel: {
    en: 'must not be true together with `channel`',
    ar: 'لا يجوز أن تكون القيمة نعم مع الحقل channel.',
  },
  nameTwice: { en: 'must be unique; "{name}" occurs twice', ar: 'يجب ألا تتكرر الأسماء؛ الاسم {name} مكرر.' },
  georeferencedRaster: {
    en: 'must have a coordinate reference system and a geotransform',
    ar: 'المطلوب راستر له نظام إحداثيات مرجعي وتحويل جغرافي (geotransform).',
  },
  fileUnusable: { en: 'the file cannot be used', ar: 'لا يمكن استخدام الملف.' },
  noRule: { en: 'must be left out: {tool} has no rule', ar: 'يجب ترك هذا الحقل: ليس للأداة {tool} قاعدة.' },
  noSecondInput: {
    en: 'must be left out: {tool} has no second input',
    ar: 'يجب ترك هذا الحقل: ليس للأداة {tool} مدخل ثانٍ.',
  },
  bindingRequired: {
    en: 'is required: it supplies the {field} of {tool}',
    ar: 'هذا الحقل مطلوب: منه يأتي المدخل {field} للأداة {tool}.',
  },
  layerOfOwner: { en: 'must be the id of a layer of this owner', ar: 'يجب أن تكون القيمة معرّف طبقة لهذا المالك.' },
  bindingOfRaster: {
    en: 'must be file or file-version: {field} is a GeoTIFF',
    ar: 'يجب أن تكون القيمة file أو file-version، لأن {field} ملف GeoTIFF.',
  },
  bindingOfPolygons: {
    en: 'must be the id of a layer that contains polygons only, because it is the {field}',
    ar: 'يجب أن تكون القيمة معرّف طبقة لا تضم إلا مضلعات، لأنها المدخل {field}.',
  },
  cleanFileOfOwner: {
    en: 'must be the id of a file of this owner that has a clean version',
    ar: 'يجب أن تكون القيمة معرّف ملف لهذا المالك له نسخة سليمة.',
  },
  noReferenceFields: {
    en: 'must be left out: {tool} returns no reference fields',
    ar: 'يجب ترك هذا الحقل: لا تعيد الأداة {tool} حقولًا مرجعية.',
  },
  boundWithoutFields: {
    en: 'must be left out: the bound item has no fields',
    ar: 'يجب ترك هذا الحقل: ليس في الطبقة المرتبطة أو الملف المرتبط حقول.',
  },
  dayOrDateTime: {
    en: 'must be a calendar day or an RFC 3339 date-time with an offset',
    ar: 'المطلوب يوم من التقويم، أو تاريخ ووقت بصيغة RFC 3339 مع فرق التوقيت.',
  },
  devEui: { en: 'must be the DevEUI', ar: 'المطلوب معرّف الجهاز DevEUI.' },
  thingsStack: {
    en: 'must be a message of The Things Stack, such as one with "uplink_message"',
    ar: 'المطلوب رسالة من The Things Stack، مثل رسالة فيها "uplink_message".',
  },
  formInvalid: { en: 'is not a valid multipart form', ar: 'المحتوى ليس نموذج multipart صالحًا.' },
  empty: { en: 'is empty', ar: 'المحتوى فارغ.' },
  formIncomplete: { en: 'is an incomplete multipart form', ar: 'نموذج multipart غير مكتمل.' },
  formHead: { en: 'has a part with a malformed head', ar: 'في النموذج جزء ترويسته غير صحيحة.' },
  formCoding: {
    en: 'has a part in {coding}; parts must be sent as they are',
    ar: 'في النموذج جزء بترميز {coding}؛ يجب إرسال الأجزاء كما هي.',
  },
  formHeadBytes: {
    en: 'has a part with a head of more than {most} bytes',
    ar: 'في النموذج جزء يزيد حجم ترويسته على {most} بايت.',
  },
  formBoundaryInHead: { en: 'has a boundary in the head of a part', ar: 'في ترويسة أحد أجزاء النموذج فاصل أجزاء.' },
  formBoundary: { en: 'has a malformed boundary', ar: 'أحد فواصل أجزاء النموذج غير صحيح.' },
  later: { en: 'must be later than {field}', ar: 'يجب أن يأتي هذا الوقت بعد {field}.' },
  daysEarlier: {
    en: 'must be at most {most} days earlier than query.to',
    ar: 'يجب ألا يسبق هذا الوقت query.to بأكثر من {most} يومًا.',
  },
  hoursEarlier: {
    en: 'must be at most {most} hours earlier than query.to',
    ar: 'يجب ألا يسبق هذا الوقت query.to بأكثر من {most} ساعة.',
  },
  none: { en: 'none', ar: 'لا شيء' },
  textFormat: { en: 'must have the format {format}', ar: 'يجب أن تكون القيمة بالصيغة {format}.' },
  channelOfSensor: {
    en: 'must be a channel of the sensor: {channels}',
    ar: 'يجب أن تكون قناة في المستشعر: {channels}.',
  },
  channelUnknown: {
    en: '"{name}" is not a channel of the sensor; must be one of {channels}',
    ar: 'لا توجد في المستشعر قناة باسم {name}؛ القنوات المتاحة: {channels}.',
  },
  channelOfNone: {
    en: '"{name}" is not a channel of any of the sensors; must be one of {channels}',
    ar: 'لا توجد في أي من المستشعرات قناة باسم {name}؛ القنوات المتاحة: {channels}.',
  },
  comparedEqual: {
    en: 'must compare "{channel}" with = or !=',
    ar: 'يجب أن تُقارن القناة {channel} بإحدى العلامتين \u2066= !=\u2069.',
  },
  comparedNumber: { en: 'must compare "{channel}" with a number', ar: 'يجب أن تُقارن القناة {channel} بعدد.' },
  comparedYesNo: {
    en: 'must compare "{channel}" with = or != and true or false',
    ar: 'يجب أن تُقارن القناة {channel} بالقيمة true أو false، وبإحدى العلامتين \u2066= !=\u2069.',
  },
  formParts: { en: 'must have at most {most} parts', ar: 'عدد أجزاء النموذج: {most} على الأكثر.' },
  formDisposition: {
    en: 'has a part whose Content-Disposition is not form-data',
    ar: 'في النموذج جزء قيمة Content-Disposition فيه ليست form-data.',
  },
  formName: { en: 'has a part without a name', ar: 'في النموذج جزء بلا اسم.' },
  invalid: { en: 'is not valid', ar: 'القيمة غير صالحة.' },
} as const satisfies Record<string, Sentence>
