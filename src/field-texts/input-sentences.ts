/**
 * Sentences about faults in files, geometries and inputs of tools, as in sentences.ts.
 *
 * More than 400 lines, since a fault has its sentence in one list, where a writer sees whether it is there already.
 */
import type { Sentence } from './sentences.ts'

export const INPUT_SENTENCES = {
  fieldsOfBody: { en: 'is not a known field; the fields are {fields}', ar: 'هذا الحقل غير موجود؛ الحقول: {fields}.' },
  featureIdTwice: {
    en: 'id "{id}" must be unique; another feature has it',
    ar: 'يجب ألا تتكرر المعرّفات؛ المعرّف {id} لعنصر آخر أيضًا.',
  },
  featureCollection: {
    en: 'must be a GeoJSON FeatureCollection',
    ar: 'المطلوب مجموعة FeatureCollection بصيغة GeoJSON.',
  },
  feature: { en: 'must be a GeoJSON Feature', ar: 'المطلوب عنصر Feature بصيغة GeoJSON.' },
  listOfFeatures: { en: 'must be a list of Features', ar: 'المطلوب قائمة عناصر Feature.' },
  layerName: {
    en: 'must be a string of 1 to 200 characters that are not only spaces',
    ar: 'المطلوب نص من 1 إلى 200 من الحروف، لا مسافات فقط.',
  },
  listOfFeatureIds: { en: 'must be a list of feature ids', ar: 'المطلوب قائمة من معرّفات العناصر.' },
  listOfColumns: { en: 'must be a list of column names', ar: 'المطلوب قائمة من أسماء الأعمدة.' },
  columnTwice: { en: 'must not name a column twice', ar: 'يجب ألا يتكرر اسم عمود.' },
  featureId: {
    en: 'an id must be a number or a string of 1 to {most} characters',
    ar: 'يجب أن يكون المعرّف عددًا أو نصًا من 1 إلى {most} من الحروف.',
  },
  mixedCollections: {
    en: 'must not have collections of points, lines and polygons; feature {index} is one. Explode it first',
    ar: 'لا يُسمح بمجموعات تجمع نقاطًا وخطوطًا ومضلعات؛ العنصر {index} منها. فكّكه أولًا.',
  },
  inputObject: { en: 'must be a JSON object with the field input', ar: 'المطلوب كائن JSON فيه الحقل input.' },
  onlyInput: {
    en: 'is not a field of this body; its only field is input',
    ar: 'هذا الحقل غير موجود؛ الحقل الوحيد هو input.',
  },
  decimalDegrees: { en: 'must be a number of decimal degrees', ar: 'المطلوب عدد من الدرجات العشرية.' },
  notation: { en: 'must be text in {notation} notation', ar: 'المطلوب نص بصيغة {notation}.' },
  outsideCrsUse: { en: 'is outside the area of use of the CRS', ar: 'يقع خارج منطقة استخدام نظام الإحداثيات المرجعي.' },
  outsidePage: {
    en: 'must be on the page: x + w and y + h must be at most 1',
    ar: 'يجب أن يقع الموضع داخل الصفحة: أقصى قيمة لكل من \u2066x + w\u2069 و\u2066y + h\u2069 هي 1.',
  },
  pagesInTotal: { en: 'have more than {most} pages in total', ar: 'مجموع صفحات الملفات أكبر من {most}.' },
  entryForEachImage: {
    en: 'must have one entry for each image: it has {count} for {images} images',
    ar: 'المطلوب عنصر واحد لكل صورة: عدد العناصر {count} وعدد الصور {images}.',
  },
  entryName: {
    en: 'must consist of letters, digits, spaces and _ . ( ) -, and must not begin with a dot',
    ar: 'المسموح به الحروف اللاتينية والأرقام والمسافات والرموز \u2066_ . ( ) -\u2069، ولا يجوز أن يبدأ الاسم بنقطة.',
  },
  mustBeGeojson: { en: 'must be GeoJSON', ar: 'المطلوب GeoJSON.' },
  threeVertices: { en: 'must contain at least three different vertices', ar: 'المطلوب ثلاثة رؤوس مختلفة على الأقل.' },
  pointsTimesVertices: {
    en: 'points times vertices must be at most {most}',
    ar: 'يجب ألا يتجاوز عدد النقاط مضروبًا في عدد الرؤوس {most}.',
  },
  bandCount: {
    en: 'has {count} bands; at most {most} are supported',
    ar: 'عدد نطاقات الراستر {count}، والحد الأقصى {most}.',
  },
  numberColumn: { en: 'must be a column of numbers', ar: 'المطلوب عمود أعداد.' },
  gridWidth: {
    en: 'must not be more than 60 degrees wide to either side of its middle, where a plane has no squares',
    ar: 'يجب ألا يمتد النطاق أكثر من 60 درجة على جانبي منتصفه، إذ لا يمكن رسم مربعات في المستوي بعد ذلك.',
  },
  gridCells: {
    en: 'gives {count} cells; at most {most} are allowed',
    ar: 'عدد خلايا الشبكة {count}، والحد الأقصى {most}.',
  },
  linesOfThree: {
    en: 'must contain lines with at least three different positions',
    ar: 'المطلوب خطوط في كل منها ثلاثة مواضع مختلفة على الأقل.',
  },
  lineTurn: {
    en: 'must end within 180 degrees of longitude from where it begins',
    ar: 'يجب أن ينتهي الخط على بعد لا يزيد على 180 درجة طول من بدايته.',
  },
  threePositions: {
    en: 'must contain at least three different positions',
    ar: 'المطلوب ثلاثة مواضع مختلفة على الأقل.',
  },
  wkbEnds: { en: 'has a geometry that ends before its last position', ar: 'أحد الأشكال ينقطع قبل آخر مواضعه.' },
  wkbType: { en: 'has a geometry that has the unsupported type {code}', ar: 'نوع أحد الأشكال غير مدعوم: {code}.' },
  wkbPart: { en: 'has a geometry that contains a part of another type', ar: 'في أحد الأشكال جزء من نوع آخر.' },
  wkbDepth: {
    en: 'has a geometry that nests collections more than {most} deep',
    ar: 'مستويات تداخل المجموعات في أحد الأشكال أكثر من {most}.',
  },
  geometryUnread: { en: 'cannot be read as a geometry: {reason}', ar: 'تعذّرت قراءة الشكل الهندسي: {reason}.' },
  coordinatesWithin: {
    en: '{operation} failed: coordinates must be within ±{most}',
    ar: 'فشلت العملية {operation}: يجب أن تقع الإحداثيات ضمن ±{most}.',
  },
  crsUnread: {
    en: 'has a coordinate reference system that cannot be read',
    ar: 'تعذّرت قراءة نظام الإحداثيات المرجعي.',
  },
  crsByFile: {
    en: 'has a coordinate reference system that is defined by a file or a PROJ string; use one with an EPSG code',
    ar: 'نظام الإحداثيات المرجعي معرّف بملف أو بنص PROJ؛ استخدم نظامًا له رمز EPSG.',
  },
  crsUntransformed: {
    en: 'has a coordinate reference system that cannot be transformed',
    ar: 'تعذّر التحويل من نظام الإحداثيات المرجعي أو إليه.',
  },
  collectionDepth: {
    en: 'geometry collections must be nested at most {most} deep',
    ar: 'عدد مستويات تداخل GeometryCollection: {most} على الأكثر.',
  },
  geometryList: { en: 'geometries must be an array', ar: 'يجب أن تكون geometries قائمة.' },
  typeOfGeometry: {
    en: 'the type of a geometry must be one of {types}',
    ar: 'يجب أن يكون نوع الشكل الهندسي أحد الأنواع: {types}.',
  },
  mustBeUtf8: { en: 'must be UTF-8 text', ar: 'المطلوب نص بترميز UTF-8.' },
  jsonInvalid: { en: 'is not valid JSON: {reason}', ar: 'المحتوى ليس JSON صالحًا: {reason}.' },
  crsOfOthers: {
    en: 'must have the CRS of the other features, {crs}',
    ar: 'يجب أن يكون نظام الإحداثيات المرجعي للعنصر مثل غيره من العناصر، وهو {crs}.',
  },
  crsWithoutName: { en: 'has a crs member without properties.name', ar: 'الحقل crs بلا properties.name.' },
  crsUnsupported: {
    en: 'has an unsupported crs member; coordinates must be longitude and latitude in WGS 84 (CRS84)',
    ar: 'الحقل crs غير مدعوم بهذه القيمة؛ يجب أن تكون الإحداثيات خط الطول ثم خط العرض في WGS 84 (CRS84).',
  },
  collectionUnsupported: {
    en: 'a GeometryCollection is not supported; the type must be one of {types}',
    ar: 'النوع GeometryCollection غير مدعوم؛ الأنواع المسموح بها: {types}.',
  },
  fileEmpty: { en: 'is an empty file', ar: 'الملف فارغ.' },
  notUtf16: { en: 'must be UTF-8 text, not UTF-16', ar: 'المطلوب نص بترميز UTF-8، لا UTF-16.' },
  shapefilePart: {
    en: 'is one part of a shapefile; send .shp, .shx, .dbf and .prj together in one ZIP',
    ar: 'هذا جزء واحد من shapefile؛ أرسل أجزاءه \u200e.shp و\u200e.shx و\u200e.dbf و\u200e.prj معًا في ملف ZIP واحد.',
  },
  encryptedZip: { en: 'must not be encrypted', ar: 'يجب ألا يكون الملف مشفرًا.' },
  zipUnread: {
    en: 'is not a ZIP archive that can be unpacked: {reason}',
    ar: 'الملف ليس أرشيف ZIP يمكن فكه: {reason}.',
  },
  targetUnwritten: {
    en: 'cannot be written as {format}: {reason}',
    ar: 'تعذّرت كتابة النتيجة بصيغة {format}: {reason}.',
  },
  crossesPlane: {
    en: 'crosses the border of the plane of the other CRS',
    ar: 'يقطع العنصر حدود مستوي نظام الإحداثيات المرجعي الآخر.',
  },
  poleOutside: {
    en: 'has a polygon around a pole that its CRS does not contain',
    ar: 'حول أحد القطبين مضلع، ونظام الإحداثيات المرجعي لا يشمل هذا القطب.',
  },
  crsMissing: {
    en: 'must state its coordinate reference system (CRS)',
    ar: 'يجب أن يذكر الملف نظام إحداثياته المرجعي (CRS).',
  },
  unreadAs: { en: 'cannot be read as {format}', ar: 'تعذّرت قراءة الملف بصيغة {format}.' },
  xmlInvalid: { en: 'is not well-formed XML: {reason}', ar: 'الملف ليس XML سليم البنية: {reason}.' },
  noCurves: { en: 'must not have curved geometries or surfaces', ar: 'لا يُسمح بأشكال أو سطوح منحنية.' },
  curvesUnconverted: {
    en: 'has curved geometries that cannot be converted to straight ones',
    ar: 'في الملف أشكال منحنية تعذّر تحويلها إلى مستقيمة.',
  },
  noGeometryLayer: { en: 'must contain a layer with geometries', ar: 'يجب أن يضم الملف طبقة فيها أشكال هندسية.' },
  unreadPast: { en: 'cannot be read past feature {count}', ar: 'تعذّرت قراءة ما بعد العنصر {count}.' },
  textEncoding: { en: 'has text that does not match its encoding', ar: 'في الملف نص لا يوافق ترميزه.' },
  encodingUnknown: { en: 'names the unknown encoding {encoding}', ar: 'الترميز {encoding} غير معروف.' },
  inJsonColumn: { en: '{fault}, in a column of JSON', ar: '{fault} والخطأ في عمود JSON.' },
  geoMetadata: {
    en: 'must have GeoParquet metadata (the key "geo")',
    ar: 'المطلوب بيانات GeoParquet الوصفية (المفتاح "geo").',
  },
  wkbColumn: { en: 'column {column} must be encoded as WKB', ar: 'يجب أن يكون العمود {column} بترميز WKB.' },
  geometryColumn: { en: 'must contain its geometry column {column}', ar: 'عمود الأشكال الهندسية {column} مفقود.' },
  geoparquetUnread: {
    en: 'cannot be read as GeoParquet: {reason}',
    ar: 'تعذّرت قراءة الملف بصيغة GeoParquet: {reason}.',
  },
  columnNameTwice: { en: 'must not have two columns of one name', ar: 'يجب ألا يكون لعمودين اسم واحد.' },
  shapefileRow: {
    en: 'cannot be written as ESRI Shapefile: a row has more than {most} bytes',
    ar: 'تعذّرت كتابة النتيجة بصيغة ESRI Shapefile: في أحد الصفوف أكثر من {most} بايت.',
  },
  crsUnknown: {
    en: '"{crs}" is not a known coordinate reference system; use a code such as EPSG:25833',
    ar: 'نظام الإحداثيات المرجعي {crs} غير معروف؛ استخدم رمزًا مثل EPSG:25833.',
  },
  mapExtent: {
    en: 'must be [west, south, east, north] with west < east and south < north',
    ar: 'المطلوب [الغرب، الجنوب، الشرق، الشمال]، على أن يكون الغرب أصغر من الشرق والجنوب أصغر من الشمال.',
  },
  extentWidth: { en: 'must not be wider than the earth', ar: 'يجب ألا يتجاوز عرض النطاق محيط الأرض.' },
  extentInCrs: {
    en: 'must lie in the area that the CRS covers; {x}, {y} does not',
    ar: 'يجب أن يقع النطاق في المنطقة التي يشملها نظام الإحداثيات المرجعي؛ الموضع {x}, {y} خارجها.',
  },
  positionOutsideCrs: {
    en: '[{x}, {y}] is outside the area where its CRS is valid',
    ar: 'الموضع [{x}, {y}] خارج المنطقة التي يصلح لها نظام الإحداثيات المرجعي للعنصر.',
  },
  csvCellCount: {
    en: 'must have at most {most} cells, as the header has, not {count}',
    ar: 'عدد خلايا الصف {most} على الأكثر، كصف العناوين، وهو هنا {count}.',
  },
  oneColumnNamed: { en: 'must have only one column named {name}', ar: 'يجب ألا يحمل الاسمَ {name} إلا عمود واحد.' },
  coordinateColumns: {
    en: 'must have a column named {longitudes} and one named {latitudes}; its columns are {columns}',
    ar: 'المطلوب عمود اسمه أحد الأسماء {longitudes}، وعمود اسمه أحد الأسماء {latitudes}؛ أعمدة الملف: {columns}.',
  },
  wktInvalid: { en: '"{text}" is not a valid WKT geometry', ar: 'القيمة {text} ليست شكلًا هندسيًا صالحًا بصيغة WKT.' },
  twoNumbers: { en: '"{x}, {y}" must be two numbers', ar: 'المطلوب عددان، والقيمتان هنا: {x} و{y}.' },
  xmlDepth: { en: 'must nest elements at most {most} deep', ar: 'عدد مستويات تداخل العناصر: {most} على الأكثر.' },
  noDoctype: {
    en: 'must be XML without a document type declaration or entities',
    ar: 'لا يُقبل XML فيه تعريف لنوع المستند أو كيانات.',
  },
  noPlacemarks: {
    en: 'must contain placemarks; links and overlays are not read',
    ar: 'يجب أن يضم الملف علامات مواضع (Placemark)؛ لا تُقرأ الروابط ولا التراكبات.',
  },
  kmlTuple: {
    en: '"{text}" must be longitude,latitude or longitude,latitude,height',
    ar: 'القيمة {text} غير صالحة؛ المطلوب خط الطول ثم خط العرض، وبعدهما الارتفاع اختياريًا، تفصل بينها فواصل.',
  },
  degreesOfCrs: {
    en: 'longitude must be from {west} to {east} and latitude from {south} to {north} in a geographic CRS; coordinates of another CRS need its name, and longitude comes first',
    ar: 'خط الطول من {west} إلى {east} وخط العرض من {south} إلى {north} في نظام إحداثيات جغرافي؛ إن كانت الإحداثيات بنظام آخر فاذكر اسمه، ويأتي خط الطول أولًا.',
  },
  crsByCode: {
    en: 'must name its coordinate reference system by a code, such as urn:ogc:def:crs:EPSG::25833',
    ar: 'يجب ذكر نظام الإحداثيات المرجعي برمز، مثل urn:ogc:def:crs:EPSG::25833.',
  },
  geopackageUnread: { en: 'cannot be read as a GeoPackage', ar: 'تعذّرت قراءة الملف بصيغة GeoPackage.' },
  onlyTables: {
    en: 'must contain only tables: no views, and no virtual tables except R-trees',
    ar: 'يجب ألا يضم الملف إلا جداول، دون عروض (views)، ودون جداول افتراضية غير فهارس R-tree.',
  },
  noGeneratedColumns: { en: 'must not contain generated columns', ar: 'يجب ألا يضم الملف أعمدة محسوبة.' },
  shapefileCount: {
    en: 'contains {count} shapefiles; a ZIP must contain one',
    ar: 'عدد ملفات shapefile في ملف ZIP هو {count}، والمسموح واحد.',
  },
  shapefileOrOther: {
    en: 'must contain a shapefile or another of {formats}',
    ar: 'يجب أن يضم ملف ZIP ملف shapefile أو ملفًا بصيغة أخرى من {formats}.',
  },
  vectorFileCount: {
    en: 'contains {count} vector files; a ZIP must contain one',
    ar: 'عدد الملفات المتجهية في ملف ZIP هو {count}، والمسموح واحد.',
  },
  shapefilePartTwice: {
    en: 'contains several {extension} files for the shapefile {name}',
    ar: 'في ملف ZIP أكثر من ملف {extension} لملف shapefile المسمى {name}.',
  },
  shapefilePartMissing: {
    en: 'must contain a {extension} file for the shapefile {name}',
    ar: 'لا يوجد في ملف ZIP ملف {extension} لملف shapefile المسمى {name}.',
  },
  zipInZip: { en: 'must not be a ZIP inside a ZIP', ar: 'يجب ألا يكون الملف أرشيف ZIP داخل أرشيف ZIP.' },
  differentColumns: {
    en: 'contains shapefiles with different columns; a ZIP must contain one layer',
    ar: 'ملفات shapefile في ملف ZIP مختلفة الأعمدة؛ يجب أن يضم طبقة واحدة.',
  },
  crsNeedsCode: {
    en: 'has a coordinate reference system that cannot be read; use one with a code',
    ar: 'تعذّرت قراءة نظام الإحداثيات المرجعي؛ استخدم نظامًا له رمز.',
  },
  crsNameUnknown: {
    en: 'names an unknown coordinate reference system: {crs}',
    ar: 'نظام الإحداثيات المرجعي المذكور غير معروف: {crs}.',
  },
  complexBand: {
    en: 'must be a band of real numbers; it has the type {type}',
    ar: 'المطلوب نطاق من أعداد حقيقية؛ نوع هذا النطاق {type}.',
  },
  geotiff: { en: 'must be a GeoTIFF', ar: 'المطلوب ملف GeoTIFF.' },
  geotiffDamaged: {
    en: 'cannot be read as a GeoTIFF: its directories are damaged',
    ar: 'تعذّرت قراءة الملف بصيغة GeoTIFF: فهارسه (directories) تالفة.',
  },
  emptyCells: {
    en: 'has {count} million cells in {bytes} bytes, almost all of them empty or equal; the maximum is {most} million cells, or {each} for each byte of the file',
    ar: 'في الراستر {count} مليون خلية في {bytes} بايت، وتكاد كلها تكون فارغة أو متساوية؛ الحد الأقصى {most} مليون خلية، أو {each} لكل بايت من الملف.',
  },
  blockSize: {
    en: 'has strips or tiles that decode to {has} MB at once, over all bands; the maximum is {most} MB',
    ar: 'حجم أشرطة الراستر أو بلاطاته بعد فك ضغطها معًا في كل النطاقات {has} ميغابايت، والحد الأقصى {most}.',
  },
  noGeoreference: { en: 'has no georeference', ar: 'الراستر بلا مرجع جغرافي.' },
  onlyControlPoints: {
    en: 'has {count} ground control points but no geotransform; apply the points first, for example with gdalwarp',
    ar: 'للراستر {count} من نقاط التحكم الأرضية وليس له تحويل جغرافي (geotransform)؛ طبّق النقاط أولًا، مثلًا بالأداة gdalwarp.',
  },
  cellsDamaged: { en: 'is damaged: not all of its cells can be read', ar: 'الملف تالف: لا يمكن قراءة كل خلاياه.' },
  bandsOfRaster: {
    en: 'must be at most {most}, the number of bands in the raster',
    ar: 'القيمة {most} على الأكثر، وهي عدد نطاقات الراستر.',
  },
  looksLike: { en: 'must look like {example}', ar: 'المطلوب قيمة بهذا الشكل: {example}.' },
  oneHemisphere: { en: 'must have only one hemisphere letter', ar: 'يجب ألا يُكتب إلا حرف واحد لنصف الكرة.' },
  secondsOrSouth: {
    en: 'ends with an s that may mean seconds or south; write seconds with "',
    ar: 'الحرف s في آخر القيمة قد يعني الثواني أو الجنوب؛ اكتب الثواني بالعلامة ".',
  },
  hemisphereLetter: {
    en: 'must have {plus} or {minus} as its hemisphere letter',
    ar: 'يجب أن يكون حرف نصف الكرة {plus} أو {minus}.',
  },
  signOrHemisphere: {
    en: 'must have either a sign or a hemisphere letter, not both',
    ar: 'يجب كتابة إشارة أو حرف نصف الكرة، لا الاثنين معًا.',
  },
  minutes: { en: 'minutes must be less than 60', ar: 'يجب أن تقل الدقائق عن 60.' },
  seconds: { en: 'seconds must be less than 60', ar: 'يجب أن تقل الثواني عن 60.' },
  degreesAtMost: { en: 'must be at most {most} degrees', ar: 'المسموح {most} درجة على الأكثر.' },
  bmpKind: {
    en: 'must be a BMP with 1, 4, 8, 16, 24 or 32 bits per pixel, uncompressed or run-length encoded',
    ar: 'المطلوب BMP فيه 1 أو 4 أو 8 أو 16 أو 24 أو 32 بت لكل بكسل، دون ضغط أو بترميز الأطوال المتتالية (RLE).',
  },
  rowsMissing: { en: 'ends before its last row', ar: 'ينقطع الملف قبل آخر صفوفه.' },
  rawPhoto: {
    en: 'begins with a reduced preview, as raw files of cameras do (DNG, NEF, ARW); develop it, and save it as TIFF or JPEG',
    ar: 'يبدأ الملف بمعاينة مصغرة، كملفات الكاميرا الخام (DNG وNEF وARW)؛ عالج الصورة ثم احفظها بصيغة TIFF أو JPEG.',
  },
  tiffCompression: {
    en: 'is compressed with {compression}, which this server cannot decode in a TIFF; save it with Deflate or LZW',
    ar: 'الصورة مضغوطة بطريقة {compression} التي لا يفكها هذا الخادم في TIFF؛ احفظها بالضغط Deflate أو LZW.',
  },
  noHeic: {
    en: 'must not be HEIC, whose pixels this server cannot decode; save it as JPEG',
    ar: 'لا تُقبل HEIC، فهذا الخادم لا يفك بكسلاتها؛ احفظ الصورة بصيغة JPEG.',
  },
  bitsPerSample: {
    en: 'must have 8 or 16 bits per sample; use the raster tools for other data',
    ar: 'المطلوب 8 أو 16 بت لكل عينة؛ استخدم أدوات الراستر للبيانات الأخرى.',
  },
  pixelsDamaged: { en: 'is damaged: not all of its pixels can be read', ar: 'الملف تالف: لا يمكن قراءة كل بكسلاته.' },
  rareKind: { en: 'is of a rare kind that this server cannot decode', ar: 'الملف من نوع نادر لا يفكه هذا الخادم.' },
  sideLength: {
    en: 'is {width} × {height} pixels; {format} allows at most {most} per side',
    ar: 'مقاس الصورة {width} × {height} بكسل، وأقصى طول للضلع في {format} هو {most}.',
  },
  megapixels: {
    en: 'is {count} megapixels; the maximum for {format} is {most}',
    ar: 'مساحة الصورة {count} ميغابكسل، والحد الأقصى في {format} هو {most}.',
  },
  photo: { en: 'must be a JPEG or HEIC photo', ar: 'المطلوب صورة JPEG أو HEIC.' },
  exifMissing: { en: 'must have readable EXIF data', ar: 'يجب أن تضم الصورة بيانات EXIF يمكن قراءتها.' },
  pdfPageMissing: {
    en: 'cannot be read as a PDF: page {page} is missing',
    ar: 'تعذّرت قراءة الملف بصيغة PDF: الصفحة {page} مفقودة.',
  },
  pdfDamaged: { en: 'cannot be read as a PDF: it is damaged', ar: 'تعذّرت قراءة الملف بصيغة PDF: هو تالف.' },
  pdfFile: { en: 'must be a PDF file', ar: 'المطلوب ملف PDF.' },
  encryptedPdf: { en: 'must not be encrypted with a password', ar: 'يجب ألا يكون الملف محميًا بكلمة مرور.' },
  pdfListDepth: {
    en: 'must not nest lists more than {most} deep',
    ar: 'يجب ألا تتداخل القوائم في أكثر من {most} من المستويات.',
  },
  severalFilters: {
    en: 'contains a stream that seems to have several lists of filters',
    ar: 'في الملف تدفق بيانات يبدو أن له أكثر من قائمة مرشحات.',
  },
  pagePixelsOfImages: {
    en: 'has images of more than {most} megapixels for each of its pages',
    ar: 'تزيد صور الملف على {most} ميغابكسل لكل صفحة من صفحاته.',
  },
  pageRanges: {
    en: 'must be page numbers and ranges such as 1-3,5,8-, not "{text}"',
    ar: 'المطلوب أرقام صفحات ونطاقات مثل \u20661-3,5,8-\u2069، لا {text}.',
  },
  pageOrder: {
    en: '{range} must have its first page before its last page',
    ar: 'يجب ألا تأتي أولى الصفحات بعد آخرها في النطاق {range}.',
  },
  pageEdits: {
    en: 'must contain at least one rotation or page to delete',
    ar: 'المطلوب تدوير واحد أو صفحة واحدة للحذف على الأقل.',
  },
  leavesPage: { en: 'must leave at least one page', ar: 'يجب أن تبقى صفحة واحدة على الأقل.' },
  acroForm: {
    en: 'must have AcroForm fields; a form with XFA only is not supported',
    ar: 'المطلوب حقول AcroForm؛ النموذج الذي ليس فيه إلا XFA غير مدعوم.',
  },
  formUnread: { en: 'must have form fields that can be read', ar: 'تعذّرت قراءة حقول النموذج.' },
  formFields: {
    en: 'is not a field of the form; its fields are {fields}',
    ar: 'هذا الحقل ليس من حقول النموذج؛ حقوله: {fields}.',
  },
  buttonField: {
    en: 'is a button or signature field, which cannot be filled',
    ar: 'هذا حقل زر أو توقيع لا يمكن ملؤه.',
  },
  singleOption: { en: 'must be a single option', ar: 'المطلوب خيار واحد.' },
  pointsOnly: {
    en: 'must contain points only; feature {index} is not a point',
    ar: 'يجب أن يضم الملف نقاطًا فقط؛ العنصر {index} ليس نقطة.',
  },
  linesOnly: {
    en: 'must contain lines only; feature {index} is not a line',
    ar: 'يجب أن يضم الملف خطوطًا فقط؛ العنصر {index} ليس خطًا.',
  },
  polygonsOnly: {
    en: 'must contain polygons only; feature {index} is not a polygon',
    ar: 'يجب أن يضم الملف مضلعات فقط؛ العنصر {index} ليس مضلعًا.',
  },
  linesOrPolygons: {
    en: 'must contain lines or polygons, because file has lines; feature {index} is a point',
    ar: 'يجب أن يضم الملف خطوطًا أو مضلعات، لأن في file خطوطًا؛ العنصر {index} نقطة.',
  },
  neitherMark: {
    en: 'exactly one of text and logo must be sent; neither was sent',
    ar: 'يجب إرسال أحد الحقلين text وlogo؛ لم يُرسل أي منهما.',
  },
  bothMarks: {
    en: 'exactly one of text and logo must be sent; both was sent',
    ar: 'يجب إرسال أحد الحقلين text وlogo فقط؛ أُرسل كلاهما.',
  },
  filesFeatures: {
    en: 'have {count} features in total; at most {most} are allowed',
    ar: 'مجموع عناصر الملفات {count}، والحد الأقصى {most}.',
  },
  inColumn: { en: '{column} {fault}', ar: 'العمود {column}: {fault}' },
  notZero: { en: 'must not be 0', ar: 'يجب ألا تكون القيمة 0.' },
  metresNotZero: {
    en: 'must be from {least} to {most} metres, but not 0',
    ar: 'المطلوب من {least} إلى {most} متر، عدا 0.',
  },
  listOfLines: {
    en: 'coordinates must be an array of at least one line',
    ar: 'يجب أن تكون الإحداثيات قائمة فيها خط واحد على الأقل.',
  },
  listOfPolygons: {
    en: 'coordinates must be an array of at least one polygon',
    ar: 'يجب أن تكون الإحداثيات قائمة فيها مضلع واحد على الأقل.',
  },
  listOfRings: {
    en: 'coordinates must be an array of at least one ring',
    ar: 'يجب أن تكون الإحداثيات قائمة فيها حلقة واحدة على الأقل.',
  },
  positionsAtLeast: {
    en: 'must be an array of at least {least} positions',
    one: 'must be an array of at least {least} position',
    ar: 'عدد المواضع: {least} على الأقل.',
  },
  ringPositions: {
    en: 'ring {ring} must be an array of at least {least} positions',
    ar: 'عدد مواضع الحلقة {ring}: {least} على الأقل.',
  },
  pdfImageBytes: {
    en: 'contains an image of more than {most} MB when decompressed',
    ar: 'في الملف صورة يزيد حجمها بعد فك الضغط على {most} ميغابايت.',
  },
  pdfStreamBytes: {
    en: 'contains a stream of more than {most} MB when decompressed',
    ar: 'في الملف تدفق بيانات يزيد حجمه بعد فك الضغط على {most} ميغابايت.',
  },
  pdfImagesBytes: {
    en: 'contains images of more than {most} MB when decompressed',
    ar: 'في الملف صور يزيد حجمها معًا بعد فك الضغط على {most} ميغابايت.',
  },
  pdfStreamsBytes: {
    en: 'contains streams of more than {most} MB when decompressed',
    ar: 'في الملف تدفقات بيانات يزيد حجمها معًا بعد فك الضغط على {most} ميغابايت.',
  },
  glyphs: {
    en: 'must contain only Latin, Arabic, Greek and Cyrillic characters; the fonts have no {characters}',
    ar: 'يجب ألا يضم النص إلا حروفًا لاتينية وعربية ويونانية وكيريلية؛ لا تتضمن الخطوط {characters}.',
  },
  textOrNumber: { en: 'a text or a number', ar: 'نص أو عدد' },
  oneOfOptions: { en: 'one of the options', ar: 'أحد الخيارات' },
  csvLine: { en: 'line {line}: {reason}', ar: 'السطر {line}: {reason}.' },
  whenSent: {
    en: 'must be {expected} when {field} is sent',
    ar: 'يجب أن تكون القيمة {expected} عند إرسال الحقل {field}.',
  },
  columnOfReference: {
    en: '"{name}" is not a column of reference; its columns are {columns}',
    ar: 'لا يوجد في reference عمود باسم {name}؛ أعمدته: {columns}.',
  },
} as const satisfies Record<string, Sentence>
