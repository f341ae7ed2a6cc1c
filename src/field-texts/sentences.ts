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
    ar: 'في الراستر {size} خلية في {bands} قناة، والحد الأقصى {most} مليون خلية في كل القنوات.',
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
} as const satisfies Record<string, Sentence>
