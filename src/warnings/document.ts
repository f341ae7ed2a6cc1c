/** Texts of warnings about PDFs. */
export const DOCUMENT = {
  // the file
  repaired: {
    en: 'The file does not conform to the PDF format; everything that could be read was kept.',
    ar: 'لا يوافق الملف صيغة PDF؛ أُبقي على كل ما أمكنت قراءته.',
  },
  unlocked: {
    en: 'The file was protected against changes by a password; the result is not.',
    ar: 'كان الملف محميًا من التغيير بكلمة مرور؛ النتيجة ليست محمية.',
  },
  changesNotSigned: {
    en: 'The digital signature of the file does not cover the changes.',
    ar: 'لا يشمل التوقيع الرقمي للملف هذه التغييرات.',
  },
  scriptsRemoved: { en: 'JavaScript was removed from the file.', ar: 'أُزيلت شيفرة JavaScript من الملف.' },
  embeddedFilesRemoved: {
    en: 'Embedded files were removed from the file.',
    ar: 'أُزيلت الملفات المضمّنة من الملف.',
  },
  xfaRemoved: {
    en: 'The XFA version of the form was removed with its scripts.',
    ar: 'أُزيلت نسخة XFA من النموذج مع نصوصها البرمجية.',
  },
  richMediaRemoved: { en: 'Rich media were removed from the file.', ar: 'أُزيلت الوسائط التفاعلية من الملف.' },
  actionsRemoved: {
    en: 'These actions were removed from the file: {actions}.',
    ar: 'أُزيلت هذه الإجراءات من الملف: {actions}.',
  },
  pictureDamaged: {
    en: 'A JPEG picture of the file is damaged: parts may be shifted or have other colours.',
    ar: 'في الملف صورة JPEG تالفة: قد تكون أجزاء منها مزاحة أو بألوان أخرى.',
  },
  picturesDamaged: {
    en: '{n} JPEG pictures of the file are damaged: parts may be shifted or have other colours.',
    ar: 'صور JPEG تالفة في الملف: {n}. قد تكون أجزاء منها مزاحة أو بألوان أخرى.',
  },

  // merging
  tagsNotKept: {
    en: 'tags of the document structure, which screen readers use, were not kept, because a PDF can have only one set of them.',
    ar: 'لم تُحفظ وسوم بنية المستند التي تستعملها قارئات الشاشة، لأن ملف PDF يحمل وسوم ملف واحد فقط.',
  },
  outputIntentsNotKept: {
    en: 'output intents, which define the colours in print, were not kept, because a PDF can have only one set of them.',
    ar: 'لم تُحفظ مقاصد الإخراج التي تحدد معنى الألوان في الطباعة، لأن ملف PDF يحمل مقاصد ملف واحد فقط.',
  },
  threadsNotKept: {
    en: 'article threads were not kept, because a PDF can have only one set of them.',
    ar: 'لم تُحفظ خيوط المقالات، لأن ملف PDF يحمل خيوط ملف واحد فقط.',
  },
  viewerSettingsNotKept: {
    en: 'settings for viewers and printers were not kept, because a PDF can have only one set of them.',
    ar: 'لم تُحفظ إعدادات العرض والطباعة، لأن ملف PDF يحمل إعدادات ملف واحد فقط.',
  },
  languageNotKept: {
    en: 'the language of the text, which screen readers use, was not kept, because a PDF can have only one.',
    ar: 'لم تُحفظ لغة النص التي تستعملها قارئات الشاشة، لأن ملف PDF يحمل لغة ملف واحد فقط.',
  },
  baseAddressNotKept: {
    en: 'the base address of relative links was not kept, because a PDF can have only one.',
    ar: 'لم يُحفظ العنوان الأساسي للروابط النسبية، لأن ملف PDF يحمل عنوان ملف واحد فقط.',
  },

  // forms
  valuesClipped: {
    en: 'Values longer than the visible part of their fields: {fields}.',
    ar: 'قيم أطول من الجزء الظاهر من حقولها: {fields}.',
  },
  fieldsNotCalculated: {
    en: 'Scripts that calculate these fields were not run, so they kept their values: {fields}.',
    ar: 'لم تُشغَّل النصوص البرمجية التي تحسب هذه الحقول، فبقيت قيمها: {fields}.',
  },
  fieldsNotChecked: {
    en: 'Scripts that check or format these fields were not run: {fields}.',
    ar: 'لم تُشغَّل النصوص البرمجية التي تتحقق من هذه الحقول أو تنسّقها: {fields}.',
  },
  charactersLacking: {
    en: 'Texts of other fields have characters that the fonts lack: {characters}.',
    ar: 'في نصوص حقول أخرى أحرف لا توجد في الخطوط: {characters}.',
  },

  // pages as pictures, as text and as Word
  fontsReplaced: {
    en: 'The file does not contain these fonts: {fonts}. They were replaced; letters that the replacements lack, such as rare Chinese ones, are missing.',
    ar: 'لا يحتوي الملف على هذه الخطوط: {fonts}. استُبدلت؛ وما ليس في بدائلها من حروف، مثل الصينية النادرة، غير ظاهر.',
  },
  pagesWithoutText: {
    en: 'Pages without text: {pages}. Run the OCR tool on the file first.',
    ar: 'صفحات بلا نص: {pages}. شغّل أداة التعرف الضوئي على الملف أولًا.',
  },
  pagesRecognised: {
    en: 'Fonts do not say which letters they show on pages: {pages}. The text was recognised (OCR); check it.',
    ar: 'لا تذكر الخطوط الحروف التي تعرضها في الصفحات: {pages}. قُرئ النص بالتعرف الضوئي؛ راجعه.',
  },
  scansLeftOut: {
    en: 'The scanned images behind recognised text were left out on pages: {pages}.',
    ar: 'أُسقطت الصور الممسوحة خلف النص المتعرَّف عليه في الصفحات: {pages}.',
  },
  backgroundsLeftOut: {
    en: 'Background images were left out on pages: {pages}.',
    ar: 'أُسقطت صور الخلفية في الصفحات: {pages}.',
  },
  imagesLeftOut: {
    en: 'Images that Word does not support were left out on pages: {pages}.',
    ar: 'أُسقطت الصور التي لا يدعمها Word في الصفحات: {pages}.',
  },
  regionsNotRead: {
    en: 'Regions that look like text were left out because they could not be read: {n}, on page {pages}.',
    ar: 'مناطق تشبه النص أُسقطت لتعذر قراءتها: {n}، في الصفحات: {pages}.',
  },
  textUncertain: { en: 'The text is uncertain on page {pages}.', ar: 'النص غير مؤكد في الصفحات: {pages}.' },
  pagesWithText: {
    en: 'Already contained text and stayed unchanged: page {pages}.',
    ar: 'صفحات فيها نص من قبل وبقيت كما هي: {pages}.',
  },

  // maps
  aspectRatioDiffers: {
    en: 'Image {i} does not have the aspect ratio of its extent; its scale is valid from west to east.',
    ar: 'نسبة أبعاد الصورة {i} ليست نسبة نطاقها؛ يصح مقياسها من الغرب إلى الشرق.',
  },
  scaleVaries: {
    en: 'The scale of map {i} is valid from west to east along its middle; elsewhere it differs by over 5 %.',
    ar: 'يصح مقياس الخريطة {i} من الغرب إلى الشرق عند وسطها؛ ويختلف في غيره بأكثر من 5٪.',
  },
  mapNotLocated: {
    en: 'Map {i} crosses the border of the plane of its CRS, so the PDF does not say where on earth it is.',
    ar: 'تعبر الخريطة {i} حدّ مستوي نظام إحداثياتها، لذا لا يذكر ملف PDF موقعها على الأرض.',
  },
} as const satisfies Record<string, { en: string; ar: string }>
