/** Texts of warnings about rasters. */
export const RASTER = {
  onlyFirstBandUsed: { en: 'Only the first of {n} bands was used.', ar: 'استُخدم النطاق الأول فقط من {n}.' },
  scaleNotApplied: {
    en: "Values are as stored: the raster's scale of {scale} and offset of {offset} were not applied.",
    ar: 'القيم كما هي محفوظة: لم يُطبَّق معامل الصورة النقطية {scale} ولا إزاحتها {offset}.',
  },
  complexNumbers: {
    en: 'Band {band} has complex numbers: its statistics and preview use the real parts only.',
    ar: 'في النطاق {band} أعداد مركّبة: إحصاءاته ومعاينته للأجزاء الحقيقية.',
  },
  integersRounded: {
    en: 'Band {band} has integers beyond 2^53, which were rounded to the precision of a double.',
    ar: 'في النطاق {band} أعداد صحيحة تتجاوز 2^53، قُرّبت إلى دقة العدد العشري المضاعف.',
  },
  noCrs: { en: 'The file has no coordinate reference system.', ar: 'ليس للملف نظام إحداثيات.' },
  unitsAssumed: {
    en: 'The file has no coordinate reference system: its positions were assumed to have the unit of the elevations.',
    ar: 'ليس للملف نظام إحداثيات: عُدّت وحداته وحدات الارتفاعات نفسها.',
  },
  noGeoreference: { en: 'The file has no georeference.', ar: 'ليس للملف إسناد جغرافي.' },
  boundsOfControlPoints: {
    en: 'The file has {n} ground control points but no geotransform: the bounds were computed from the plane that fits the points best.',
    ar: 'في الملف نقاط ضبط أرضية عددها {n} وليس فيه تحويل جغرافي: الحدود حدود المستوى الأقرب إليها.',
  },
  encodedWithLoss: {
    en: 'The image uses lossy compression and was re-encoded as {compression}.',
    ar: 'ضغط الصورة يفقد بعض التفاصيل، وأُعيد ترميزها بصيغة {compression}.',
  },
  slopesOff: {
    en: 'Slopes are off by up to {percent} percent in parts of the raster, where lengths in its CRS differ from lengths on the ground: use a CRS that is true to scale there, or set scale.',
    ar: 'تخطئ الميول بما يصل إلى {percent} بالمئة في أجزاء من الشبكة، حيث تختلف الأطوال على الأرض عن أطوال نظام إحداثياتها: استخدم نظامًا صحيح المقياس هناك أو حدّد scale.',
  },
  zonesOutsideArea: {
    en: "{n} zones are outside the area of use of the raster's CRS and have no data.",
    ar: 'مناطق خارج مجال نظام إحداثيات الصورة النقطية فلا بيانات لها: {n}',
  },
  rasterWiderThanTurn: {
    en: 'The raster is wider than 360 degrees: zones at its sides count the cells of both sides.',
    ar: 'الشبكة أعرض من 360 درجة: تُحتسب خلايا الجانبين للمناطق على طرفيها.',
  },
  statisticRenamed: {
    en: 'The zones already have a column {statistic}, so the statistic is in {column}.',
    ar: 'في المناطق عمود باسم {statistic} من قبل، فكُتبت الإحصائية في {column}.',
  },
} as const satisfies Record<string, { en: string; ar: string }>
