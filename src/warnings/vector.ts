/** Texts of warnings about vector files and layers. */
export const VECTOR = {
  // reading
  onlyFirstLayerRead: {
    en: 'contains {n} layers; only the first one, {name}, was read',
    ar: 'عدد الطبقات في الملف {n}؛ قُرئت الأولى فقط: {name}',
  },
  shapefilesJoined: {
    en: '{n} shapefiles were read as one layer',
    ar: 'ملفات shapefile المقروءة طبقةً واحدة: {n}',
  },
  tablesNotRead: {
    en: 'tables without geometries were not read: {tables}',
    ar: 'جداول بلا أشكال هندسية لم تُقرأ: {tables}',
  },
  noGeometriesAndNoCrs: {
    en: 'has no geometries, and names no CRS',
    ar: 'لا يحتوي على أشكال هندسية ولا يذكر نظام إحداثيات',
  },
  geometriesReadAsBytes: {
    en: 'other columns of geometries were read as bytes: {columns}',
    ar: 'أعمدة أشكال أخرى قُرئت بايتات: {columns}',
  },
  otherFilesNotRead: {
    en: 'other files of the ZIP were not read: {files}',
    ar: 'ملفات أخرى في ZIP لم تُقرأ: {files}',
  },
  encodingAssumed: {
    en: 'the .dbf does not state its encoding; its texts were read as {encoding}',
    ar: 'لا يذكر ملف dbf. ترميزه؛ قُرئت نصوصه على أنها {encoding}',
  },
  charactersNotRead: {
    en: 'texts have characters that could not be read in their encoding (U+FFFD) in {columns}',
    ar: 'في النصوص أحرف تعذّرت قراءتها بترميزها (U+FFFD) في: {columns}',
  },
  integersInexact: {
    en: 'integers beyond ±2^53 may have lost digits in {columns}',
    ar: 'قد تكون الأعداد الصحيحة خارج ±2^53 فقدت أرقامًا في: {columns}',
  },
  secondFractionsNotRead: {
    en: 'fractions of seconds were not read in {columns}',
    ar: 'لم تُقرأ أجزاء الثواني في: {columns}',
  },
  ringsClosed: { en: '{n} open rings were closed', ar: 'حلقات مفتوحة أُغلقت: {n}' },
  curvesStraightened: {
    en: 'curves were converted to straight segments of at most 4 degrees',
    ar: 'حُوّلت المنحنيات إلى قطع مستقيمة لا تتجاوز كل منها 4 درجات',
  },
  measuresLeftOut: { en: 'measures (M) of positions were left out', ar: 'أُسقطت قيم القياس (M) للمواضع' },
  onlyLastGeometryRead: {
    en: '{n} features have several geometries ({properties}), of which only the last was read; the first is feature {feature}',
    ar: 'عناصر لها عدة أشكال هندسية ({properties}) ولم يُقرأ إلا آخرها: {n}؛ أولها العنصر {feature}',
  },
  positionsGivenHeight: {
    en: '{n} positions without a height were given the height 0, as others of their geometry have heights; the first is in feature {feature}',
    ar: 'مواضع بلا ارتفاع أُعطيت الارتفاع 0 لأن لغيرها في الشكل نفسه ارتفاعات: {n}؛ أولها في العنصر {feature}',
  },
  positionsCut: {
    en: '{n} positions have more than a height, or another value in its place, which was left out; the first is in feature {feature}',
    ar: 'مواضع فيها أكثر من ارتفاع أو قيمة أخرى مكانه فأُسقطت: {n}؛ أولها في العنصر {feature}',
  },
  csvCrsAssumed: {
    en: 'CSV names no CRS; coordinates were read as longitude and latitude in WGS 84',
    ar: 'لا يذكر ملف CSV نظام الإحداثيات؛ قُرئت الإحداثيات طولًا وعرضًا في WGS 84',
  },
  rowsWithFewerCells: {
    en: '{n} rows have fewer cells than the header, first row {row}; their last cells are empty',
    ar: 'صفوف خلاياها أقل من خلايا العنوان: {n}؛ أولها الصف {row}؛ خلاياها الأخيرة فارغة',
  },
  rowsWithoutCoordinates: {
    en: '{n} rows have no coordinates, first row {row}',
    ar: 'صفوف بلا إحداثيات: {n}؛ أولها الصف {row}',
  },
  networkLinkNotFollowed: { en: '{n} network link was not followed', ar: 'روابط شبكة لم تُتبَع: {n}' },
  networkLinksNotFollowed: { en: '{n} network links were not followed', ar: 'روابط شبكة لم تُتبَع: {n}' },
  overlayLeftOut: { en: '{n} overlay was left out', ar: 'صور متراكبة أُسقطت: {n}' },
  overlaysLeftOut: { en: '{n} overlays were left out', ar: 'صور متراكبة أُسقطت: {n}' },
  timesOfTrackLeftOut: { en: 'the times of {n} track was left out', ar: 'مسارات أُسقطت أوقاتها: {n}' },
  timesOfTracksLeftOut: { en: 'the times of {n} tracks were left out', ar: 'مسارات أُسقطت أوقاتها: {n}' },

  // names of columns
  repeatedColumnsRenamed: {
    en: 'columns with the same name were renamed: {names}',
    ar: 'أعمدة مكررة الاسم أُعيدت تسميتها: {names}',
  },
  resultColumnsRenamed: {
    en: 'columns of the result need other names: {names}',
    ar: 'أعمدة النتيجة تحتاج أسماء أخرى: {names}',
  },
  csvColumnsRenamed: {
    en: 'columns beside the coordinates need other names: {names}',
    ar: 'الأعمدة بجانب الإحداثيات تحتاج أسماء أخرى: {names}',
  },
  shapefileColumnsRenamed: {
    en: 'column names in a shapefile have at most ten characters: {names}',
    ar: 'لا تتجاوز أسماء الأعمدة في shapefile عشرة أحرف: {names}',
  },
  gmlColumnsRenamed: {
    en: 'column names in GML are names of XML elements: {names}',
    ar: 'أسماء الأعمدة في GML أسماء عناصر XML: {names}',
  },
  geoPackageColumnsRenamed: {
    en: 'column names in a GeoPackage differ in more than upper and lower case: {names}',
    ar: 'لا يكفي في GeoPackage أن تختلف أسماء الأعمدة في الأحرف الكبيرة والصغيرة: {names}',
  },
  parquetColumnsRenamed: {
    en: 'a column beside the geometry cannot be named geometry: {names}',
    ar: 'لا يمكن أن يسمى عمود بجانب الشكل الهندسي geometry: {names}',
  },

  // writing
  infiniteNumbersLost: {
    en: 'NaN and infinite numbers are missing in {columns}',
    ar: 'أُسقطت الأعداد اللانهائية وما ليس بعدد (NaN) في: {columns}',
  },
  whiteSpaceLost: {
    en: 'white space at the ends of texts is lost in {columns}',
    ar: 'ضاعت المسافات البيضاء في أطراف النصوص في: {columns}',
  },
  geometriesGivenHeight: {
    en: '{n} geometries without heights were given the height 0',
    ar: 'أشكال بلا ارتفاع أُعطيت الارتفاع 0: {n}',
  },
  featuresWithoutGeometryLeftOut: {
    en: '{n} features without a geometry were left out: FlatGeobuf cannot hold them',
    ar: 'عناصر بلا شكل هندسي أُسقطت لأن FlatGeobuf لا يحفظها: {n}',
  },
  geometriesTooSmallForDecimals: {
    en: '{n} geometries are too small for {decimals} decimals and keep all decimals',
    ar: 'أشكال أصغر من أن تُكتب بهذا العدد من المنازل العشرية ({decimals}) فبقيت بكل منازلها: {n}',
  },
  idsAreNoGeoPackageKeys: {
    en: 'feature ids that are no different whole numbers were left out of the GeoPackage',
    ar: 'أُسقطت معرّفات العناصر من GeoPackage لأنها ليست أعدادًا صحيحة مختلفة',
  },
  idsAreNoXmlNames: {
    en: 'feature ids were left out of the KML: all must be different XML names',
    ar: 'أُسقطت معرّفات العناصر من KML: يجب أن تكون كلها أسماء XML مختلفة',
  },
  idsNotHeld: {
    en: 'feature ids were left out: only GeoJSON, GeoPackage and KML hold them',
    ar: 'أُسقطت معرّفات العناصر: لا تحفظها إلا GeoJSON وGeoPackage وKML',
  },
  idsRepeated: {
    en: 'feature ids were left out: some occur more than once',
    ar: 'أُسقطت معرّفات العناصر: بعضها مكرر',
  },
  idsInSeveralFiles: {
    en: 'feature ids were left out: some occur in more than one file',
    ar: 'أُسقطت معرّفات العناصر: بعضها يتكرر في أكثر من ملف',
  },
  textsCut: {
    en: 'texts in a shapefile have at most {bytes} bytes; some were cut in {columns}',
    ar: 'أقصى طول للنص في shapefile {bytes} بايت؛ قُصّت نصوص في: {columns}',
  },
  numbersRounded: {
    en: 'numbers in a shapefile have at most {decimals} decimals and 22 digits; some changed in {columns}',
    ar: 'أقصى ما للأعداد في shapefile {decimals} من المنازل العشرية و22 من الأرقام؛ تغيّر بعضها في: {columns}',
  },
  shapefileForEachKind: {
    en: 'a shapefile holds one kind of geometry; one was written for each kind',
    ar: 'يحفظ shapefile نوعًا واحدًا من الأشكال الهندسية؛ كُتب ملف لكل نوع',
  },
  featuresSplitByKind: {
    en: '{n} features with several kinds of geometry became one for each kind',
    ar: 'عناصر فيها أنواع عدة من الأشكال قُسّمت إلى عنصر لكل نوع: {n}',
  },
  writtenCrsMovesPositions: {
    en: 'the coordinate reference system in the {driver} has fewer details than the one of the layer: positions differ by {metres} m',
    ar: 'نظام الإحداثيات في {driver} يذكر أقل مما تذكره الطبقة: تختلف المواضع حتى {metres} م',
  },
  writtenCrsMayMovePositions: {
    en: 'the coordinate reference system in the {driver} has fewer details than the one of the layer: positions may differ',
    ar: 'نظام الإحداثيات في {driver} يذكر أقل مما تذكره الطبقة: قد تختلف المواضع',
  },
  crsWithoutCodeNotWritten: {
    en: 'the coordinate reference system of the layer has no code, so the {driver} names none',
    ar: 'ليس لنظام إحداثيات الطبقة رمز، فلا يذكر {driver} نظامًا',
  },
  verticalReferenceNotWritten: {
    en: 'the vertical reference is not in the {driver}',
    ar: 'المرجع الرأسي غير مكتوب في {driver}',
  },

  // tools
  geometriesNotRepaired: {
    en: '{n} geometries are invalid and could not be repaired, so they or some of their parts are lost; the first belongs to feature {feature}',
    ar: 'أشكال هندسية غير صالحة تعذّر إصلاحها ولم يبقَ منها أو من أحد أنواعها شيء: {n}؛ أولها في العنصر {feature}',
  },
  geometriesSmallerThanTolerance: {
    en: '{n} geometries are smaller than the tolerance, so they are lost; the first belongs to feature {feature}',
    ar: 'أشكال هندسية أصغر من حدّ التبسيط ولم يبقَ منها شيء: {n}؛ أولها في العنصر {feature}',
  },
  invalidGeometriesLost: {
    en: '{n} invalid geometries, or some of their parts, were lost in the repair; the first belongs to feature {feature}',
    ar: 'أشكال هندسية غير صالحة لم يبقَ منها أو من أحد أنواعها شيء: {n}؛ أولها في العنصر {feature}',
  },
  heightsEstimated: {
    en: '{n} features have new vertices, whose heights were estimated from nearby vertices or are missing; the first is feature {feature}',
    ar: 'عناصر لها رؤوس جديدة قُدّرت ارتفاعاتها من الرؤوس القريبة أو غابت: {n}؛ أولها العنصر {feature}',
  },
  onlyHighestKindCounts: {
    en: '{n} features are collections of several kinds of geometries, of which only the polygons count, or the lines where there are none; the first is feature {feature}',
    ar: 'عناصر تجمع أنواعًا مختلفة من الأشكال ولا تُحتسب إلا مضلّعاتها، أو خطوطها إن لم توجد مضلّعات: {n}؛ أولها العنصر {feature}',
  },
  hullIsPoint: {
    en: 'all positions lie at one point, so the hull has no area',
    ar: 'كل المواضع في نقطة واحدة، فلا مساحة للغلاف',
  },
  hullIsLine: {
    en: 'all positions lie on a line, so the hull has no area',
    ar: 'كل المواضع على خط واحد، فلا مساحة للغلاف',
  },
  maskRemovesNothing: {
    en: 'points of mask remove nothing from lines and polygons, and lines of mask nothing from polygons',
    ar: 'نقاط القناع لا تزيل شيئًا من الخطوط والمضلعات، وخطوط القناع لا تزيل شيئًا من المضلعات',
  },
  linesNotClosed: {
    en: '{n} features or parts are no line that can be closed',
    ar: 'عناصر أو أجزاء ليست خطًا يمكن إغلاقه: {n}',
  },
  edgeWiderThanHalfTurn: {
    en: 'The edge after polygon.{i} spans more than 180 degrees and was taken as drawn; write longitudes beyond ±180 for the way across the antimeridian.',
    ar: 'الضلع الذي يلي polygon.{i} أعرض من 180 درجة وأُخذ كما رُسم؛ اكتب خطوط طول خارج ±180 للعبور عند خط التاريخ.',
  },
  gridCellsShorter: {
    en: 'The layer is wide: on the ground, cells far from its middle are up to {percent} percent shorter than cell_size_m.',
    ar: 'الطبقة واسعة: الخلايا البعيدة عن وسطها أقصر على الأرض من cell_size_m بما يصل إلى {percent} بالمئة.',
  },
} as const satisfies Record<string, { en: string; ar: string }>
