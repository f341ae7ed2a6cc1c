/**
 * Arabic texts for warnings of tools and exports, by the English sentences that the API sends. Numbers stand apart from
 * the counted noun, so that they need no plural. Names of groups: `n` and `m` are numbers, `list` is a list of numbers
 * or names, and `text` is copied unchanged.
 */
export const ARABIC_WARNINGS: readonly (readonly [sentence: RegExp, arabic: string])[] = [
  // vector files
  [
    /^contains (?<n>\d+) layers; only the first one, (?<text>.+), was read$/s,
    'عدد الطبقات في الملف {n}؛ قُرئت الأولى فقط: {text}',
  ],
  [/^(?<n>\d+) shapefiles were read as one layer$/, 'ملفات shapefile المقروءة طبقةً واحدة: {n}'],
  [
    /^(?<n>\d+) geometries are invalid and could not be repaired, so nothing is left of them or of one of their kinds; the first is that of feature (?<m>\d+)$/,
    'أشكال هندسية غير صالحة تعذّر إصلاحها ولم يبقَ منها أو من أحد أنواعها شيء: {n}؛ أولها في العنصر {m}',
  ],
  [
    /^(?<n>\d+) geometries are smaller than the tolerance, so nothing is left of them; the first is that of feature (?<m>\d+)$/,
    'أشكال هندسية أصغر من حدّ التبسيط ولم يبقَ منها شيء: {n}؛ أولها في العنصر {m}',
  ],
  [
    /^nothing was left of (?<n>\d+) invalid geometries or of one of their kinds, first feature (?<m>\d+)$/,
    'أشكال هندسية غير صالحة لم يبقَ منها أو من أحد أنواعها شيء: {n}؛ أولها في العنصر {m}',
  ],
  [
    /^(?<n>\d+) features are collections of several kinds of geometries, .*; the first is feature (?<m>\d+)$/,
    'عناصر تجمع أنواعًا مختلفة من الأشكال ولا تُحتسب إلا مضلّعاتها، أو خطوطها إن لم توجد مضلّعات: {n}؛ أولها العنصر {m}',
  ],
  [/^all positions lie at one point, so the hull has no area$/, 'كل المواضع في نقطة واحدة، فلا مساحة للغلاف'],
  [/^all positions lie on a line, so the hull has no area$/, 'كل المواضع على خط واحد، فلا مساحة للغلاف'],
  [
    /^(?<n>\d+) rows have fewer cells than the header, first row (?<m>\d+); their last cells are empty$/,
    'صفوف خلاياها أقل من خلايا العنوان: {n}؛ أولها الصف {m}؛ خلاياها الأخيرة فارغة',
  ],
  [/^(?<n>\d+) rows have no coordinates, first row (?<m>\d+)$/, 'صفوف بلا إحداثيات: {n}؛ أولها الصف {m}'],
  [/^columns of the result need other names: (?<text>.+)$/s, 'أعمدة النتيجة تحتاج أسماء أخرى: {text}'],
  [/^columns with the same name were renamed: (?<text>.+)$/s, 'أعمدة مكررة الاسم أُعيدت تسميتها: {text}'],
  [/^fractions of seconds were not read in (?<list>.+)$/s, 'لم تُقرأ أجزاء الثواني في: {list}'],
  [/^NaN and infinite numbers are missing in (?<list>.+)$/s, 'أُسقطت الأعداد اللانهائية وما ليس بعدد (NaN) في: {list}'],
  [
    /^(?<n>\d+) features have several geometries \((?<list>.+)\), of which only the last was read; the first is feature (?<m>\d+)$/s,
    'عناصر لها عدة أشكال هندسية ({list}) ولم يُقرأ إلا آخرها: {n}؛ أولها العنصر {m}',
  ],
  [
    /^(?<n>\d+) features have new vertices, whose heights were estimated from those nearby or are missing; the first is feature (?<m>\d+)$/,
    'عناصر لها رؤوس جديدة قُدّرت ارتفاعاتها من الرؤوس القريبة أو غابت: {n}؛ أولها العنصر {m}',
  ],
  [/^white space at the ends of texts is lost in (?<list>.+)$/s, 'ضاعت المسافات البيضاء في أطراف النصوص في: {list}'],
  [
    /^(?<n>\d+) positions without a height were given the height 0, as others of their geometry have heights; the first is in feature (?<m>\d+)$/,
    'مواضع بلا ارتفاع أُعطيت الارتفاع 0 لأن لغيرها في الشكل نفسه ارتفاعات: {n}؛ أولها في العنصر {m}',
  ],
  [
    /^(?<n>\d+) positions have more than a height, or another value in its place, which was left out; the first is in feature (?<m>\d+)$/,
    'مواضع فيها أكثر من ارتفاع أو قيمة أخرى مكانه فأُسقطت: {n}؛ أولها في العنصر {m}',
  ],
  [/^has no geometries, and names no CRS$/, 'لا يحتوي على أشكال هندسية ولا يذكر نظام إحداثيات'],
  [/^tables without geometries were not read: (?<list>.+)$/s, 'جداول بلا أشكال هندسية لم تُقرأ: {list}'],
  [/^other columns of geometries were read as bytes: (?<list>.+)$/s, 'أعمدة أشكال أخرى قُرئت بايتات: {list}'],
  [/^other files of the ZIP were not read: (?<list>.+)$/s, 'ملفات أخرى في ZIP لم تُقرأ: {list}'],
  [
    /^texts have characters that could not be read in their encoding \(U\+FFFD\) in (?<list>.+)$/s,
    'في النصوص أحرف تعذّرت قراءتها بترميزها (U+FFFD) في: {list}',
  ],
  [
    /^the \.dbf does not state its encoding; its texts were read as (?<text>.+)$/,
    'لا يذكر ملف dbf. ترميزه؛ قُرئت نصوصه على أنها {text}',
  ],
  [
    /^the coordinate reference system in the (?<name>.+) says less than that of the layer: positions differ by (?<n>\d+) m$/,
    'نظام الإحداثيات في {name} يذكر أقل مما تذكره الطبقة: تختلف المواضع حتى {n} م',
  ],
  [
    /^the coordinate reference system in the (?<name>.+) says less than that of the layer: /,
    'نظام الإحداثيات في {name} يذكر أقل مما تذكره الطبقة: قد تختلف المواضع',
  ],
  [
    /^the coordinate reference system of the layer has no code, so the (?<name>.+) names none$/,
    'ليس لنظام إحداثيات الطبقة رمز، فلا يذكر {name} نظامًا',
  ],
  [/^the vertical reference is not in the (?<name>.+)$/, 'المرجع الرأسي غير مكتوب في {name}'],
  [
    /^The edge after polygon\.(?<n>\d+) spans more than 180 degrees and was taken as drawn; /,
    'الضلع الذي يلي polygon.{n} أعرض من 180 درجة وأُخذ كما رُسم؛ اكتب خطوط طول خارج ±180 للعبور عند خط التاريخ.',
  ],
  [/^(?<n>\d+) open rings were closed$/, 'حلقات مفتوحة أُغلقت: {n}'],
  [/^CSV names no CRS; /, 'لا يذكر ملف CSV نظام الإحداثيات؛ قُرئت الإحداثيات طولًا وعرضًا في WGS 84'],
  [
    /^integers beyond ±2\^53 may have lost digits in (?<list>.+)$/s,
    'قد تكون الأعداد الصحيحة خارج ±2^53 فقدت أرقامًا في: {list}',
  ],
  [
    /^curves were converted to straight segments of at most (?<n>\d+) degrees$/,
    'حُوّلت المنحنيات إلى قطع مستقيمة لا تتجاوز كل منها {n} درجات',
  ],
  [/^measures \(M\) of positions were left out$/, 'أُسقطت قيم القياس (M) للمواضع'],
  [/^(?<n>\d+) network links? w(?:as|ere) not followed$/, 'روابط شبكة لم تُتبَع: {n}'],
  [/^(?<n>\d+) overlays? w(?:as|ere) left out$/, 'صور متراكبة أُسقطت: {n}'],
  [/^the times of (?<n>\d+) tracks? w(?:as|ere) left out$/, 'مسارات أُسقطت أوقاتها: {n}'],
  [
    /^feature ids that are no different whole numbers were left out of the GeoPackage$/,
    'أُسقطت معرّفات العناصر من GeoPackage لأنها ليست أعدادًا صحيحة مختلفة',
  ],
  [/^feature ids were left out of the KML: /, 'أُسقطت معرّفات العناصر من KML: يجب أن تكون كلها أسماء XML مختلفة'],
  [/^feature ids were left out: only /, 'أُسقطت معرّفات العناصر: لا تحفظها إلا GeoJSON وGeoPackage وKML'],
  [/^feature ids were left out: some occur more than once$/, 'أُسقطت معرّفات العناصر: بعضها مكرر'],
  [/^feature ids were left out: some occur in more than one file$/, 'أُسقطت معرّفات العناصر: بعضها يتكرر في أكثر من ملف'],
  [
    /^column names in a shapefile have at most ten characters: (?<text>.+)$/s,
    'لا تتجاوز أسماء الأعمدة في shapefile عشرة أحرف: {text}',
  ],
  [/^column names in GML are names of XML elements: (?<text>.+)$/s, 'أسماء الأعمدة في GML أسماء عناصر XML: {text}'],
  [
    /^column names in a GeoPackage differ in more than upper and lower case: (?<text>.+)$/s,
    'لا يكفي في GeoPackage أن تختلف أسماء الأعمدة في الأحرف الكبيرة والصغيرة: {text}',
  ],
  [
    /^a column beside the geometry cannot be named (?<name>\S+): (?<text>.+)$/s,
    'لا يمكن أن يسمى عمود بجانب الشكل الهندسي {name}: {text}',
  ],
  [
    /^columns beside the coordinates need other names: (?<text>.+)$/s,
    'الأعمدة بجانب الإحداثيات تحتاج أسماء أخرى: {text}',
  ],
  [
    /^texts in a shapefile have at most (?<n>\d+) bytes; some were cut in (?<list>.+)$/s,
    'أقصى طول للنص في shapefile {n} بايت؛ قُصّت نصوص في: {list}',
  ],
  [
    /^numbers in a shapefile have at most (?<n>\d+) decimals and (?<m>\d+) digits; some changed in (?<list>.+)$/s,
    'أقصى ما للأعداد في shapefile {n} من المنازل العشرية و{m} من الأرقام؛ تغيّر بعضها في: {list}',
  ],
  [/^a shapefile holds one kind of geometry; /, 'يحفظ shapefile نوعًا واحدًا من الأشكال الهندسية؛ كُتب ملف لكل نوع'],
  [/^(?<n>\d+) features with several kinds of geometry /, 'عناصر فيها أنواع عدة من الأشكال قُسّمت إلى عنصر لكل نوع: {n}'],
  [/^(?<n>\d+) geometries without heights /, 'أشكال بلا ارتفاع أُعطيت الارتفاع 0: {n}'],
  [
    /^(?<n>\d+) features without a geometry were left out: FlatGeobuf /,
    'عناصر بلا شكل هندسي أُسقطت لأن FlatGeobuf لا يحفظها: {n}',
  ],
  [
    /^(?<n>\d+) geometries are too small for (?<m>\d+) decimals /,
    'أشكال أصغر من أن تُكتب بهذا العدد من المنازل العشرية ({m}) فبقيت بكل منازلها: {n}',
  ],
  // vector tools
  [
    /^points of mask remove nothing /,
    'نقاط القناع لا تزيل شيئًا من الخطوط والمضلعات، وخطوط القناع لا تزيل شيئًا من المضلعات',
  ],
  [/^(?<n>\d+) features or parts are no line that can be closed$/, 'عناصر أو أجزاء ليست خطًا يمكن إغلاقه: {n}'],
  // rasters
  [
    /^(?<n>\d+) zones are outside the area of use of the raster's CRS /,
    'مناطق خارج مجال نظام إحداثيات الصورة النقطية فلا بيانات لها: {n}',
  ],
  [
    /^The zones already have a column (?<name>\S+), so the statistic is in (?<text>.+)\.$/s,
    'في المناطق عمود باسم {name} من قبل، فكُتبت الإحصائية في {text}.',
  ],
  [
    /^Values are as stored: the raster's scale of (?<n>\S+) and offset of (?<m>\S+) were not applied\.$/,
    'القيم كما هي محفوظة: لم يُطبَّق معامل الصورة النقطية {n} ولا إزاحتها {m}.',
  ],
  [/^The file has no coordinate reference system: /, 'ليس للملف نظام إحداثيات: عُدّت وحداته وحدات الارتفاعات نفسها.'],
  [/^The file has no coordinate reference system\.$/, 'ليس للملف نظام إحداثيات.'],
  [/^The file has no georeference\.$/, 'ليس للملف إسناد جغرافي.'],
  [
    /^The file has (?<n>\d+) ground control points but no geotransform: /,
    'في الملف نقاط ضبط أرضية عددها {n} وليس فيه تحويل جغرافي: الحدود حدود المستوى الأقرب إليها.',
  ],
  [
    /^The image uses lossy compression and was re-encoded as (?<text>.+)\.$/,
    'ضغط الصورة يفقد بعض التفاصيل، وأُعيد ترميزها بصيغة {text}.',
  ],
  // images
  [
    /^(?<name>\S+) does not support animation: only the first of (?<n>\d+) frames was converted\.$/,
    'لا تدعم {name} الصور المتحركة: حُوّل الإطار الأول فقط من {n}.',
  ],
  // pages of a TIFF, pictures of a JPEG, or frames
  [/^Only the first of (?<n>\d+) \S+ was converted\.$/, 'حُوّل الجزء الأول فقط من {n}.'],
  [/^(?<name>\S+) is written without transparency: /, 'تُكتب {name} بلا شفافية: صارت الأجزاء الشفافة بيضاء.'],
  [/^(?<name>\S+) has 8 bits per sample: /, 'في {name} ثمانية بتات لكل عيّنة: قُرّبت عيّنات الملف ذات 16 بتًا.'],
  [/^CMYK was converted to sRGB\.$/, 'حُوّلت الألوان من CMYK إلى sRGB.'],
  [/^GIF allows at most (?<n>\d+) colours per frame\.$/, 'أقصى عدد من الألوان لكل إطار في GIF: {n}.'],
  [/^only the first of (?<n>\d+) \S+ was used\.$/, 'استُخدم الجزء الأول فقط من {n}.'],
  [/^(?:files\.\d+: )?only the first of (?<n>\d+) pictures was read\.$/, 'قُرئت الصورة الأولى فقط من {n}.'],
  [/^only the first of (?<n>\d+) pictures with EXIF data was read\.$/, 'قُرئت بيانات EXIF للصورة الأولى فقط من {n}.'],
  [
    /^its position has no valid degrees or hemispheres, and was left out\.$/,
    'ليس في موضعها درجات أو جهات صالحة فأُسقط.',
  ],
  [
    /^its position is in the datum (?<text>.+), but was taken for WGS 84\.$/,
    'موضعها في المرجع {text} لكنه أُخذ على أنه WGS 84.',
  ],
  [/^the receiver marked its position as not valid\.$/, 'وسم المستقبِل موضعها بأنه غير صالح.'],
  [/^its pixels are not square /, 'بكسلاتها ليست مربعة، لكنها استُخدمت كأنها مربعات.'],
  [/^the file's 16-bit samples were rounded to 8 bits\.$/, 'قُرّبت عيّنات الملف ذات 16 بتًا إلى 8 بتات.'],
  [
    /^Animated (?<name>\S+) cannot be read as a whole: only the first of (?<n>\d+) frames was converted\.$/,
    'لا يمكن قراءة {name} المتحركة كاملةً: حُوّل الإطار الأول فقط من {n}.',
  ],
  [
    /^GIF allows at most 256 colours per frame; some changed slightly\.$/,
    'أقصى عدد من الألوان لكل إطار في GIF هو 256؛ تغيّر بعضها قليلًا.',
  ],
  [
    /^Areas that viewers of the GIF show as transparent were filled with its background colour\.$/,
    'مُلئت بلون خلفية الملف مساحات تعرضها برامج العرض شفافة في GIF.',
  ],
  [/^GIF has no half-transparent pixels: /, 'لا تحفظ GIF بكسلات نصف شفافة: صارت معتمة أو شفافة تمامًا.'],
  [
    /^WebP was written with loss: it is lossless up to (?<n>\d+) megapixels here\.$/,
    'كُتبت WebP مع فقدان: تُكتب هنا بلا فقدان حتى {n} ميغابكسل.',
  ],
  [/^Only the first of its (?<n>\d+) \S+ was read\.$/, 'عولج الجزء الأول فقط من {n}.'],
  [
    /^The result is PNG because GIF is limited to (?<n>\d+) colours\.$/,
    'النتيجة بصيغة PNG لأن أقصى عدد من الألوان في GIF هو {n}.',
  ],
  [
    /^The result is PNG because (?<name>\S+) is limited to (?<n>\d+) pixels a side\.$/,
    'النتيجة بصيغة PNG لأن أقصى طول للضلع بالبكسل في {name} هو {n}.',
  ],
  [
    /^The result is PNG because (?<name>\S+) is limited to (?<n>[\d.]+) megapixels here\.$/,
    'النتيجة بصيغة PNG لأن أقصى مساحة بالميغابكسل في {name} هنا هي {n}.',
  ],
  [/^A JPEG picture of the file is damaged: /, 'في الملف صورة JPEG تالفة: قد تكون أجزاء منها مزاحة أو بألوان أخرى.'],
  [
    /^(?<n>\d+) JPEG pictures of the file are damaged: /,
    'صور JPEG تالفة في الملف: {n}. قد تكون أجزاء منها مزاحة أو بألوان أخرى.',
  ],
  [/^The JPEG in (?<name>\S+) is damaged: /, 'ملف JPEG في {name} تالف: قد تكون أجزاء من صورته مزاحة أو بألوان أخرى.'],
  [/^Nothing stands out from the background\.$/, 'لا شيء يبرز من الخلفية.'],
  // documents
  [/^The file does not conform to the PDF format; /, 'لا يوافق الملف صيغة PDF؛ أُبقي على كل ما أمكنت قراءته.'],
  [
    /^The file was protected against changes by a password; /,
    'كان الملف محميًا من التغيير بكلمة مرور؛ النتيجة ليست محمية.',
  ],
  [
    /^tags of the document structure, .+ were not kept, /,
    'لم تُحفظ وسوم بنية المستند التي تستعملها قارئات الشاشة، لأن ملف PDF يحمل وسوم ملف واحد فقط.',
  ],
  [
    /^output intents, .+ were not kept, /,
    'لم تُحفظ مقاصد الإخراج التي تحدد معنى الألوان في الطباعة، لأن ملف PDF يحمل مقاصد ملف واحد فقط.',
  ],
  [/^article threads were not kept, /, 'لم تُحفظ خيوط المقالات، لأن ملف PDF يحمل خيوط ملف واحد فقط.'],
  [
    /^settings for viewers and printers were not kept, /,
    'لم تُحفظ إعدادات العرض والطباعة، لأن ملف PDF يحمل إعدادات ملف واحد فقط.',
  ],
  [
    /^the language of the text, .+ was not kept, /,
    'لم تُحفظ لغة النص التي تستعملها قارئات الشاشة، لأن ملف PDF يحمل لغة ملف واحد فقط.',
  ],
  [
    /^the base address of relative links was not kept, /,
    'لم يُحفظ العنوان الأساسي للروابط النسبية، لأن ملف PDF يحمل عنوان ملف واحد فقط.',
  ],
  [/^JavaScript was removed from the file\.$/, 'أُزيلت شيفرة JavaScript من الملف.'],
  [/^Embedded files were removed from the file\.$/, 'أُزيلت الملفات المضمّنة من الملف.'],
  [/^The XFA version of the form was removed with its scripts\.$/, 'أُزيلت نسخة XFA من النموذج مع نصوصها البرمجية.'],
  [/^Rich media were removed from the file\.$/, 'أُزيلت الوسائط التفاعلية من الملف.'],
  [/^These actions were removed from the file: (?<list>.+)\.$/, 'أُزيلت هذه الإجراءات من الملف: {list}.'],
  [
    /^Scripts that calculate these fields were not run, so they kept their values: (?<list>.+)\.$/s,
    'لم تُشغَّل النصوص البرمجية التي تحسب هذه الحقول، فبقيت قيمها: {list}.',
  ],
  [
    /^Scripts that check or format these fields were not run: (?<list>.+)\.$/s,
    'لم تُشغَّل النصوص البرمجية التي تتحقق من هذه الحقول أو تنسّقها: {list}.',
  ],
  [
    /^Texts of other fields have characters that the fonts lack: (?<list>.+)\.$/s,
    'في نصوص حقول أخرى أحرف لا توجد في الخطوط: {list}.',
  ],
  [/^Only the first of (?<n>\d+) bands was used\.$/, 'استُخدم النطاق الأول فقط من {n}.'],
  [/^Band (?<n>\d+) has complex numbers: /, 'في النطاق {n} أعداد مركّبة: إحصاءاته ومعاينته للأجزاء الحقيقية.'],
  [
    /^Band (?<n>\d+) has integers beyond 2\^53, /,
    'في النطاق {n} أعداد صحيحة تتجاوز 2^53، قُرّبت إلى دقة العدد العشري المضاعف.',
  ],
  [
    /^Slopes are off by up to (?<n>\d+) percent in parts of the raster, /,
    'تخطئ الميول بما يصل إلى {n} بالمئة في أجزاء من الشبكة، حيث تختلف الأطوال على الأرض عن أطوال نظام إحداثياتها: استخدم نظامًا صحيح المقياس هناك أو حدّد scale.',
  ],
  [/^The raster is wider than 360 degrees: /, 'الشبكة أعرض من 360 درجة: تُحتسب خلايا الجانبين للمناطق على طرفيها.'],
  [
    /^Values longer than the visible part of their fields: (?<list>.+)\.$/s,
    'قيم أطول من الجزء الظاهر من حقولها: {list}.',
  ],
  [/^The digital signature of the file /, 'لا يشمل التوقيع الرقمي للملف هذه التغييرات.'],
  [
    /^The file does not contain these fonts: (?<list>.+)\. They were replaced; /s,
    'لا يحتوي الملف على هذه الخطوط: {list}. استُبدلت؛ وما ليس في بدائلها من حروف، مثل الصينية النادرة، غير ظاهر.',
  ],
  [
    /^Pages without text: (?<list>.+)\. Run the OCR tool on the file first\.$/,
    'صفحات بلا نص: {list}. شغّل أداة التعرف الضوئي على الملف أولًا.',
  ],
  [
    /^Fonts do not say which letters they show on pages: (?<list>.+)\. The text was /,
    'لا تذكر الخطوط الحروف التي تعرضها في الصفحات: {list}. قُرئ النص بالتعرف الضوئي؛ راجعه.',
  ],
  [
    /^The scanned images behind recognised text were left out on pages: (?<list>.+)\.$/,
    'أُسقطت الصور الممسوحة خلف النص المتعرَّف عليه في الصفحات: {list}.',
  ],
  [/^Background images were left out on pages: (?<list>.+)\.$/, 'أُسقطت صور الخلفية في الصفحات: {list}.'],
  [
    /^Images that Word does not support were left out on pages: (?<list>.+)\.$/,
    'أُسقطت الصور التي لا يدعمها Word في الصفحات: {list}.',
  ],
  [
    /^Regions that look like text were left out because they could not be read: (?<n>\d+), on page (?<list>.+)\.$/,
    'مناطق تشبه النص أُسقطت لتعذر قراءتها: {n}، في الصفحات: {list}.',
  ],
  [/^The text is uncertain on page (?<list>.+)\.$/, 'النص غير مؤكد في الصفحات: {list}.'],
  [/^Already contained text and stayed unchanged: page (?<list>.+)\.$/, 'صفحات فيها نص من قبل وبقيت كما هي: {list}.'],
  // maps as PDF
  [
    /^Image (?<n>\d+) does not have the aspect ratio of its extent; /,
    'نسبة أبعاد الصورة {n} ليست نسبة نطاقها؛ يصح مقياسها من الغرب إلى الشرق.',
  ],
  [
    /^The scale of map (?<n>\d+) is valid from west to east along its middle; elsewhere it differs by over (?<m>\d+) %\.$/,
    'يصح مقياس الخريطة {n} من الغرب إلى الشرق عند وسطها؛ ويختلف في غيره بأكثر من {m}٪.',
  ],
  [
    /^Map (?<n>\d+) crosses the border of the plane of its CRS, so the PDF does not say where on earth it is\.$/,
    'تعبر الخريطة {n} حدّ مستوي نظام إحداثياتها، لذا لا يذكر ملف PDF موقعها على الأرض.',
  ],
]
