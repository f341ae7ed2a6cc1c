/** Arabic descriptions of parameters and fields, by the English ones. Tools describe their own. */

const ANY_CASE = 'من دون تمييز بين الأحرف الكبيرة والصغيرة'
const RANGE_START = 'بداية المدى (RFC 3339)، وهي جزء منه'
const RANGE_END = 'نهاية المدى (RFC 3339)، وليست جزءًا منه'
const OF_SESSION = 'مع جلسة: المؤسسة، بدلًا من `X-Enterprise`، للروابط في صفحات هذا الخادم'
const NEXT_PAGE = '`nextCursor` من الصفحة السابقة'

export const ARABIC_FIELDS: Readonly<Record<string, string>> = {
  // sensors and assets
  "Time of the reading by the sensor's clock, at most 10 minutes in the future: an RFC 3339 date-time with seconds and an offset, stored to the millisecond.":
    'وقت القراءة بحسب ساعة المستشعر، ولا يتجاوز الوقت الحالي بأكثر من 10 دقائق: تاريخ ووقت بصيغة RFC 3339 مع الثواني وفارق التوقيت، ويُحفظ بدقة الميلي ثانية.',
  "Value for each channel name, of the type of the channel's measurement. Required when there is no location.":
    'قيمة لكل اسم قناة، من نوع قياس القناة. تلزم إذا لم يُرسل موقع.',
  '`[longitude, latitude]` in degrees (WGS 84), within ±180 and ±90.':
    '`[longitude, latitude]` بالدرجات (WGS 84)، ضمن `±180` و`±90`.',
  'Times of the readings that are now stored durably.': 'أوقات القراءات التي حُفظت الآن حفظًا دائمًا.',
  'Times of readings that were already stored.': 'أوقات القراءات التي كانت محفوظة من قبل.',
  'The time as sent.': 'الوقت كما أُرسل.',
  'Start of the range, inclusive (RFC 3339); by default the oldest reading': `${RANGE_START}؛ والمعتاد أقدم قراءة`,
  'End of the range, exclusive (RFC 3339); by default no end': `${RANGE_END}؛ والمعتاد بلا نهاية`,
  'Channel names, separated by commas. Repeat the parameter for names that contain commas: each parameter is one name then.':
    'أسماء القنوات مفصولة بفواصل. إذا كان في الأسماء فواصل فكرّر المعامل: يكون كل معامل حينئذ اسمًا واحدًا.',
  'nextCursor of the previous page': NEXT_PAGE,
  'Id of a layer of the enterprise that contains polygons only': 'معرّف طبقة للمؤسسة ليس فيها إلا مضلعات',
  'What creates an event: the sensor enters a polygon, leaves one, is inside one, or is outside all':
    'ما ينشئ الحدث: أن يدخل المستشعر مضلعًا أو يخرج من مضلع، أو أن يكون داخل مضلع أو خارج كل المضلعات',
  'Name of the rule; must not consist of spaces only': 'اسم القاعدة؛ يجب ألا يتكوّن من مسافات فقط',
  'Sensor ids without repetition, or "all"': 'معرّفات المستشعرات بلا تكرار، أو `"all"`',
  'Same as sensorIds: "all"': 'مثل `sensorIds: "all"`',
  'Start of the range, inclusive (RFC 3339)': RANGE_START,
  'End of the range, exclusive (RFC 3339)': RANGE_END,
  'Return only events of this sensor': 'أحداث هذا المستشعر فقط',
  'GeoJSON: a Polygon, a MultiPolygon, a Feature or a FeatureCollection of them':
    'كائن GeoJSON: `Polygon` أو `MultiPolygon`، أو `Feature` أو `FeatureCollection` منهما',
  'Words of the name or the area of use, or the EPSG code': 'كلمات من الاسم أو من منطقة الاستخدام، أو رمز EPSG',
  'How many sensors to skip, instead of a cursor': 'عدد المستشعرات التي تُتخطى، بدلًا من `cursor`',
  "Part of the sensor's name, its asset's name or its id, in any case": `جزء من اسم المستشعر أو اسم أصله أو معرّفه، ${ANY_CASE}`,
  'Only sensors with this tag': 'المستشعرات التي تحمل هذا الوسم فقط',
  'Only sensors in one of these states, separated by commas: refused, silent, late, new, held, off, sending':
    'المستشعرات التي في إحدى هذه الحالات فقط، مفصولة بفواصل: `refused`، `silent`، `late`، `new`، `held`، `off`، `sending`',
  'What each sensor has besides its record, separated by commas: state, latest, sparkline, refused':
    'ما يُضاف إلى سجل كل مستشعر، مفصولًا بفواصل: `state`، `latest`، `sparkline`، `refused`',
  'Only tags that contain this text, in any case': `الوسوم التي تحوي هذا النص فقط، ${ANY_CASE}`,
  'Bounding box as west,south,east,north in degrees': 'المستطيل المحيط بالدرجات: `west,south,east,north`',
  'Only assets with a sensor that has this tag': 'الأصول التي لها مستشعر يحمل هذا الوسم فقط',
  'What to send; all by default, separated by commas: readings, states, positions, events':
    'ما يُرسل، مفصولًا بفواصل: `readings`، `states`، `positions`، `events`؛ والمعتاد كلها',
  'Ids of up to 100 sensors whose readings are sent, separated by commas':
    'معرّفات ما لا يزيد على 100 مستشعر تُرسل قراءاتها، مفصولة بفواصل',
  'Return only events of this rule': 'أحداث هذه القاعدة فقط',
  'Length of a bucket: for example 10s, 5m, 1h, 1d, 1w, 1mo or 1y, or an ISO 8601 duration; auto (default) chooses a round one that fits the range and points':
    'طول الفترة، مثل `10s` أو `5m` أو `1h` أو `1d` أو `1w` أو `1mo` أو `1y`، أو مدة بصيغة ISO 8601؛ ويختار `auto` (المعتاد) طولًا مقرّبًا يناسب المدى و`points`',
  'Most buckets of a step that is chosen, such as the width of a chart in pixels; about 500 by default':
    'أكبر عدد للفترات عندما تُختار الخطوة تلقائيًا، مثل عرض الرسم البياني بالبكسل؛ والمعتاد نحو 500',
  'Aggregates, separated by commas: avg (default), min, max, sum, count, first, last, p50, p95, p99':
    'التجميعات، مفصولة بفواصل: `avg` (المعتاد)، `min`، `max`، `sum`، `count`، `first`، `last`، `p50`، `p95`، `p99`',
  'IANA time zone by whose clock buckets are aligned, such as six hours from midnight; UTC by default':
    'المنطقة الزمنية (IANA) التي توافق الفترات ساعتها، مثل ست ساعات بدءًا من منتصف الليل؛ والمعتاد UTC',
  'Sensor ids, separated by commas, or all': 'معرّفات المستشعرات مفصولة بفواصل، أو `all`',
  'With a session: the enterprise, instead of `X-Enterprise`, for links on pages of this server': OF_SESSION,
  // tools, runs, jobs, files and uploads
  'E-mail address of the member to attribute the run to. Default: the owner of the organization.':
    'عنوان البريد الإلكتروني للعضو الذي تُنسب إليه عملية التشغيل. المعتاد مالك المؤسسة.',
  'Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again.':
    'يتيح تكرار الطلب بأمان. خلال 24 ساعة يعيد التكرار بالمفتاح نفسه النتيجة الأولى، من دون تشغيل الأداة أو احتساب رصيد مرة أخرى.',
  '`respond-async` runs the tool as a job and returns 202 immediately.':
    '`respond-async` يشغّل الأداة مهمةً ويعيد 202 فورًا.',
  'Notes about the conversion, for example dropped attributes or shortened names':
    'ملاحظات عن التحويل، مثل سمات أُسقطت أو أسماء قُصّرت',
  'Language of titles and descriptions.': 'لغة العناوين والأوصاف.',
  'Process id, for example `vector.buffer`.': 'معرّف العملية، مثل `vector.buffer`.',
  '`nextCursor` of the previous page': NEXT_PAGE,
  'Only those of this tool.': 'ما يخص هذه الأداة فقط.',
  'Only those in one of these states, separated by commas: accepted, running, successful, failed, dismissed.':
    'ما هو في إحدى هذه الحالات فقط، مفصولة بفواصل: `accepted`، `running`، `successful`، `failed`، `dismissed`.',
  'Only those of this member.': 'ما يخص هذا العضو فقط.',
  'Only those of this application.': 'ما يخص هذا التطبيق فقط.',
  'Start of the range in which they were started, inclusive (RFC 3339).':
    'بداية المدى الذي يقع فيه وقت البدء (RFC 3339)، وهي جزء منه.',
  'End of that range, exclusive (RFC 3339).': 'نهاية هذا المدى (RFC 3339)، وليست جزءًا منه.',
  'Id of the job.': 'معرّف المهمة.',
  '`true` adds jobs that no run stands for.': '`true` يضيف المهام التي لا تقابلها عملية تشغيل.',
  '`true` for runs that have a name only.': '`true` لعمليات التشغيل التي لها اسم فقط.',
  'Name of a folder; runs in it only.': 'اسم مجلد؛ عمليات التشغيل التي فيه فقط.',
  'Part of the name of the run, in any case.': `جزء من اسم عملية التشغيل، ${ANY_CASE}.`,
  'Id of the run, as in the `usage` block of a result.': 'معرّف عملية التشغيل، كما في القسم `usage` من النتيجة.',
  'Tag of the run': 'قيمة ETag لعملية التشغيل',
  'Id of the artifact.': 'معرّف الملف الناتج.',
  'With a session: the enterprise, instead of `X-Enterprise`, for links on pages of this server.': `${OF_SESSION}.`,
  'Storage key of the file.': 'مفتاح تخزين الملف.',
  'Version of the protocol.': 'إصدار البروتوكول.',
  'Size of the file in bytes.': 'حجم الملف بالبايت.',
  '`filename` and the base64 of its UTF-8; further pairs are kept for HEAD.':
    '`filename` ثم اسم الملف بترميز UTF-8 في صورة base64؛ وتُحفظ الأزواج الأخرى ليعيدها HEAD.',
  '0, with the first bytes in the body.': 'القيمة 0، مع إرسال البايتات الأولى في متن الطلب.',
  '`sha1`, `sha256` or `md5`, a space, and the base64 digest of the body.':
    '`sha1` أو `sha256` أو `md5`، ثم مسافة، ثم بصمة المتن في صورة base64.',
  'A repeat within 24 hours returns the first upload.': 'التكرار خلال 24 ساعة يعيد عملية الرفع الأولى.',
  'Id of the upload.': 'معرّف عملية الرفع.',
  'Number of bytes that have arrived: where this body starts.': 'عدد البايتات التي وصلت: من حيث يبدأ هذا المتن.',
  // Tool APIs
  'GeoJSON Feature, FeatureCollection or geometry (RFC 7946), as longitude and latitude in WGS 84; a GeometryCollection is not allowed':
    'كائن GeoJSON من نوع `Feature` أو `FeatureCollection` أو شكل هندسي (RFC 7946)، بخط الطول ثم خط العرض في WGS 84؛ ولا يُقبل `GeometryCollection`',
  // accounts
  'E-mail address, in any case': `عنوان البريد الإلكتروني، ${ANY_CASE}`,
  'Name of the person': 'اسم الشخص',
  'Language of the portal': 'لغة البوابة',
  'auto follows the device': '`auto` يتبع مظهر الجهاز',
  'latn: 0123, arab: ٠١٢٣': '`latn` للأرقام 0123، و`arab` للأرقام ٠١٢٣',
  'Zone of shown times: of the device, or UTC': 'المنطقة الزمنية للأوقات المعروضة: منطقة الجهاز أو UTC',
  'Last part of the address of the link': 'الجزء الأخير من عنوان الرابط',
  'Accept for the account of the session, instead of creating one': 'قبول الدعوة بحساب الجلسة بدلًا من إنشاء حساب',
  // management
  'Whether the tier includes Tool APIs': 'هل تتضمن الفئة واجهات الأدوات',
  'Must not consist of spaces only': 'يجب ألا يتكوّن من مسافات فقط',
  'Enterprise tier, for example starter, business or scale': 'فئة المؤسسة، مثل `starter` أو `business` أو `scale`',
  'E-mail address': 'عنوان البريد الإلكتروني',
  'Whether it may read sensors and readings; by default only if it may run all tools.':
    'هل يجوز له قراءة المستشعرات والقراءات؛ والمعتاد فقط إذا جاز له تشغيل كل الأدوات.',
  'RFC 3339 time at which the key stops working; without it, never':
    'وقت بصيغة RFC 3339 يتوقف عنده المفتاح عن العمل؛ ومن دونه لا يتوقف',
  'Day in UTC, for example 2026-05-01': 'يوم بتوقيت UTC، مثل `2026-05-01`',
  'Plan, for example free, plus, pro or max': 'الخطة، مثل `free` أو `plus` أو `pro` أو `max`',
  'Whose token it is, or what for': 'صاحب الرمز أو الغرض منه',
  'Days after which a key is old': 'عدد الأيام التي يُعد المفتاح بعدها قديمًا',
  'Part of the name or the id, in any case': `جزء من الاسم أو المعرّف، ${ANY_CASE}`,
  'Only enterprises of this tier': 'مؤسسات هذه الفئة فقط',
  'Part of the address or the id, in any case': `جزء من عنوان البريد أو المعرّف، ${ANY_CASE}`,
  'Only people on this plan': 'أصحاب هذه الخطة فقط',
  'RFC 3339 time; 24 hours ago by default': 'وقت بصيغة RFC 3339؛ والمعتاد قبل 24 ساعة',
  'RFC 3339 time; now by default': 'وقت بصيغة RFC 3339؛ والمعتاد الآن',
  'Only this part, for example `postgres`': 'هذا الجزء فقط، مثل `postgres`',
  'Id of one instance; without it, all of them together': 'معرّف عملية خادم أو عامل مهام؛ ومن دونه كل العمليات معًا',
  'Most points of a series': 'أكبر عدد لنقاط السلسلة',
  'Comma list of accepted, running, successful, failed, dismissed; without it, all':
    'قائمة مفصولة بفواصل من: `accepted`، `running`، `successful`، `failed`، `dismissed`؛ ومن دونها تُعاد كلها',
  'Id of an enterprise or a person': 'معرّف مؤسسة أو شخص',
  'Words by which lists are filtered': 'كلمات تُصفّى القوائم بحسبها',
  'Start of the period, inclusive (RFC 3339)': 'بداية المدة (RFC 3339)، وهي جزء منها',
  'End of the period, exclusive (RFC 3339)': 'نهاية المدة (RFC 3339)، وليست جزءًا منها',
  'Only the values of this channel; may be repeated; by default everything':
    'قيم هذه القناة فقط؛ ويمكن تكرار المعامل؛ والمعتاد كل شيء',
  'Whether readings of these times may be sent again; not together with `channel`':
    'هل يجوز إرسال قراءات هذه الأوقات من جديد؛ ولا يجتمع مع `channel`',
  'Part of the name in any case, or the id': `جزء من الاسم ${ANY_CASE}، أو المعرّف`,
  'A FeatureCollection, a Feature or a geometry': 'كائن `FeatureCollection` أو `Feature` أو شكل هندسي',
  'Id of the new owner, an enterprise or a person': 'معرّف المالك الجديد، وهو مؤسسة أو شخص',
  'Features to add or replace': 'العناصر التي تُضاف أو تُستبدل',
  'Ids of features to delete': 'معرّفات العناصر التي تُحذف',
  'The columns of the layer in their order, when some are renamed or removed. Other properties of the features to add follow.':
    'أعمدة الطبقة بترتيبها، عند إعادة تسمية بعضها أو إزالته. تليها السمات الأخرى للعناصر المضافة.',
  'Key of a stored GeoJSON file of the owner: a result of a tool, an upload, a file or a version of one':
    'مفتاح ملف GeoJSON محفوظ للمالك: نتيجة أداة، أو ملف مرفوع، أو ملف من الملفات أو إصدار منه',
  'The version that is the state before': 'الإصدار الذي يمثّل الحالة قبل التغيير',
  'The version that is the state after': 'الإصدار الذي يمثّل الحالة بعد التغيير',
  'Process id, for example vector.clip': 'معرّف العملية، مثل `vector.clip`',
  'Settings of the tool by name, without file fields and target_format':
    'إعدادات الأداة بأسمائها، ما عدا حقول الملفات و`target_format`',
  'Layer or file that supplies the second input of the tool': 'الطبقة أو الملف الذي يوفّر المدخل الثاني للأداة',
  'Version number; only for the kind file-version': 'رقم الإصدار؛ مع النوع `file-version` فقط',
  'Condition under which a feature passes the inside check': 'الشرط الذي يُقبل به العنصر في فحص الوقوع داخل المضلعات',
  'How many Tool APIs to skip, instead of a cursor': 'عدد واجهات الأدوات التي تُتخطى، بدلًا من `cursor`',
  'Part of the name, the tool, the bound item or the id, in any case': `جزء من الاسم أو الأداة أو العنصر المرتبط أو المعرّف، ${ANY_CASE}`,
  'Only those in one of these states, separated by commas: refused, held, off, on':
    'ما هو في إحدى هذه الحالات فقط، مفصولة بفواصل: `refused`، `held`، `off`، `on`',
  'Only those of this tool': 'ما يخص هذه الأداة فقط',
  'Calendar day (UTC) or RFC 3339 date-time': 'يوم تقويمي (UTC)، أو تاريخ ووقت بصيغة RFC 3339',
  'GeoJSON Feature, FeatureCollection or geometry (RFC 7946)':
    'كائن GeoJSON من نوع `Feature` أو `FeatureCollection` أو شكل هندسي (RFC 7946)',
  'Id of a record; return only changes of this record': 'معرّف سجل؛ تُعاد تغييرات هذا السجل فقط',
  'Id of an enterprise or a person; return only changes of what it owns':
    'معرّف مؤسسة أو شخص؛ تُعاد تغييرات ما يملكه فقط',
  'E-mail address of an account in any role, id of an application, or `actor` of a record':
    'عنوان البريد الإلكتروني لحساب بأي دور، أو معرّف تطبيق، أو `actor` من أحد القيود',
  'RFC 3339 time; return only changes since then': 'وقت بصيغة RFC 3339؛ تُعاد التغييرات التي حدثت منه فصاعدًا',
  'RFC 3339 time; return only changes before it': 'وقت بصيغة RFC 3339؛ تُعاد التغييرات التي حدثت قبله فقط',
}
