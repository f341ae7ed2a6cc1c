/** Texts of warnings about pictures. */
export const IMAGE = {
  // parts of a file
  frames: { en: 'frames', ar: 'إطارات' },
  pages: { en: 'pages', ar: 'صفحات' },
  pictures: { en: 'pictures', ar: 'صور' },
  onlyFirstPartConverted: {
    en: 'Only the first of {n} {parts} was converted.',
    ar: 'حُوّل الجزء الأول فقط من {n} ({parts}).',
  },
  onlyFirstPartUsed: {
    en: 'only the first of {n} {parts} was used.',
    ar: 'استُخدم الجزء الأول فقط من {n} ({parts}).',
  },
  onlyFirstPartRead: {
    en: 'Only the first of its {n} {parts} was read.',
    ar: 'عولج الجزء الأول فقط من {n} ({parts}).',
  },
  onlyFirstPictureRead: {
    en: 'only the first of {n} pictures was read.',
    ar: 'قُرئت الصورة الأولى فقط من {n}.',
  },
  animationNotRead: {
    en: 'Animated {format} cannot be read as a whole: only the first of {n} frames was converted.',
    ar: 'لا يمكن قراءة {format} المتحركة كاملةً: حُوّل الإطار الأول فقط من {n}.',
  },
  animationNotWritten: {
    en: '{format} does not support animation: only the first of {n} frames was converted.',
    ar: 'لا تدعم {format} الصور المتحركة: حُوّل الإطار الأول فقط من {n}.',
  },

  // pixels
  transparencyLost: {
    en: '{format} is written without transparency: transparent parts became white.',
    ar: 'تُكتب {format} بلا شفافية: صارت الأجزاء الشفافة بيضاء.',
  },
  samplesRoundedForFormat: {
    en: "{format} has 8 bits per sample: the file's 16-bit samples were rounded.",
    ar: 'في {format} ثمانية بتات لكل عيّنة: قُرّبت عيّنات الملف ذات 16 بتًا.',
  },
  samplesRounded: {
    en: "the file's 16-bit samples were rounded to 8 bits.",
    ar: 'قُرّبت عيّنات الملف ذات 16 بتًا إلى 8 بتات.',
  },
  cmykConverted: { en: 'CMYK was converted to sRGB.', ar: 'حُوّلت الألوان من CMYK إلى sRGB.' },
  pixelsNotSquare: {
    en: 'its pixels are not square ({x} × {y} dots per inch), but are used as squares.',
    ar: 'بكسلاتها ليست مربعة ({x} × {y} نقطة في البوصة)، لكنها استُخدمت كأنها مربعات.',
  },
  colourSpaceNotApplied: {
    en: 'its colour space (cICP) was not applied: colours may be others.',
    ar: 'لم يُطبَّق فضاؤها اللوني (cICP): قد تختلف الألوان.',
  },
  gammaNotApplied: {
    en: 'its gamma of {gamma} was not applied: the picture may be lighter or darker.',
    ar: 'لم يُطبَّق معامل غاما فيها ({gamma}): قد تكون الصورة أفتح أو أغمق.',
  },
  chromaticitiesNotApplied: {
    en: 'its chromaticities were not applied: colours may be others.',
    ar: 'لم تُطبَّق إحداثياتها اللونية: قد تختلف الألوان.',
  },
  profileNotUsable: {
    en: 'its colour profile cannot be used, and was ignored: colours may be others.',
    ar: 'تعذّر استخدام ملف تعريف ألوانها فأُهمل: قد تختلف الألوان.',
  },
  videoLeftOut: { en: 'its video was left out.', ar: 'أُسقط الفيديو المرفق بها.' },
  gainMapLeftOut: {
    en: 'its gain map for HDR screens was left out.',
    ar: 'أُسقطت خريطة الكسب المرفقة بها لشاشات HDR.',
  },
  webpWithLoss: {
    en: 'WebP was written with loss: it is lossless up to {megapixels} megapixels here.',
    ar: 'كُتبت WebP مع فقدان: تُكتب هنا بلا فقدان حتى {megapixels} ميغابكسل.',
  },
  halfTransparencyLost: {
    en: 'GIF has no half-transparent pixels: they became opaque or fully transparent.',
    ar: 'لا تحفظ GIF بكسلات نصف شفافة: صارت معتمة أو شفافة تمامًا.',
  },
  gifColoursChanged: {
    en: 'GIF allows at most 256 colours per frame; some changed slightly.',
    ar: 'أقصى عدد من الألوان لكل إطار في GIF هو 256؛ تغيّر بعضها قليلًا.',
  },
  gifAreasFilled: {
    en: 'Areas that viewers of the GIF show as transparent were filled with its background colour.',
    ar: 'مُلئت بلون خلفية الملف مساحات تعرضها برامج العرض شفافة في GIF.',
  },
  gifColours: {
    en: 'GIF allows at most 256 colours per frame.',
    ar: 'أقصى عدد من الألوان لكل إطار في GIF: 256.',
  },
  pngForColours: {
    en: 'The result is PNG because GIF is limited to 256 colours.',
    ar: 'النتيجة بصيغة PNG لأن أقصى عدد من الألوان في GIF هو 256.',
  },
  pngForSide: {
    en: 'The result is PNG because {format} is limited to {pixels} pixels a side.',
    ar: 'النتيجة بصيغة PNG لأن أقصى طول للضلع بالبكسل في {format} هو {pixels}.',
  },
  pngForArea: {
    en: 'The result is PNG because {format} is limited to {megapixels} megapixels here.',
    ar: 'النتيجة بصيغة PNG لأن أقصى مساحة بالميغابكسل في {format} هنا هي {megapixels}.',
  },
  pngForTransparency: {
    en: 'The result is PNG because {format} is written without transparency.',
    ar: 'النتيجة بصيغة PNG لأن {format} تُكتب بلا شفافية.',
  },
  jpegDamaged: {
    en: 'The JPEG in {field} is damaged: parts of its picture may be shifted or have other colours.',
    ar: 'ملف JPEG في {field} تالف: قد تكون أجزاء من صورته مزاحة أو بألوان أخرى.',
  },
  nothingStandsOut: { en: 'Nothing stands out from the background.', ar: 'لا شيء يبرز من الخلفية.' },

  // metadata of a photo
  onlyFirstExifRead: {
    en: 'only the first of {n} pictures with EXIF data was read.',
    ar: 'قُرئت بيانات EXIF للصورة الأولى فقط من {n}.',
  },
  positionLeftOut: {
    en: 'its position has no valid degrees or hemispheres, and was left out.',
    ar: 'ليس في موضعها درجات أو جهات صالحة فأُسقط.',
  },
  datumAssumed: {
    en: 'its position is in the datum {datum}, but was taken for WGS 84.',
    ar: 'موضعها في المرجع {datum} لكنه أُخذ على أنه WGS 84.',
  },
  positionMarkedInvalid: {
    en: 'the receiver marked its position as not valid.',
    ar: 'وسم المستقبِل موضعها بأنه غير صالح.',
  },
} as const satisfies Record<string, { en: string; ar: string }>
