/** Whole sentences that explain a refusal whose code alone is less precise, in both languages. */
import type { Sentence } from './sentences.ts'

export const MESSAGES = {
  noSuchJob: { en: 'There is no such job.', ar: 'هذه المهمة غير موجودة.' },
  noSuchOperatorToken: { en: 'There is no such operator token.', ar: 'رمز المشغّل هذا غير موجود.' },
  noSuchOperator: { en: 'There is no such operator.', ar: 'هذا المشغّل غير موجود.' },
  noSuchExport: { en: 'There is no such export.', ar: 'عملية التصدير هذه غير موجودة.' },
  noSuchFile: { en: 'There is no such file.', ar: 'هذا الملف غير موجود.' },
  noSuchVersion: { en: 'There is no such version.', ar: 'هذه النسخة غير موجودة.' },
  noSuchUpload: { en: 'There is no such upload.', ar: 'عملية الرفع هذه غير موجودة.' },
  noSuchLayer: { en: 'There is no such layer.', ar: 'هذه الطبقة غير موجودة.' },
  noSuchFeature: { en: 'There is no such feature.', ar: 'هذا العنصر غير موجود.' },
  noSuchNote: { en: 'There is no such note.', ar: 'هذه الملاحظة غير موجودة.' },
  noSuchEnterprise: { en: 'There is no such enterprise.', ar: 'هذه المؤسسة غير موجودة.' },
  noSuchDeletion: { en: 'There is no such deletion.', ar: 'عملية الحذف هذه غير موجودة.' },
  noSuchAsset: { en: 'There is no such asset.', ar: 'هذا الأصل غير موجود.' },
  noSuchSensor: { en: 'There is no such sensor.', ar: 'هذا المستشعر غير موجود.' },
  sensorGone: { en: 'The sensor does not exist.', ar: 'المستشعر غير موجود.' },
  noSuchFleetKey: { en: 'There is no such fleet key.', ar: 'مفتاح الأسطول هذا غير موجود.' },
  noSuchActiveFleetKey: { en: 'There is no such active fleet key.', ar: 'لا يوجد مفتاح أسطول فعّال بهذا المعرّف.' },
  noSuchImport: { en: 'There is no such import.', ar: 'عملية الاستيراد هذه غير موجودة.' },
  noSuchDestination: { en: 'There is no such destination.', ar: 'هذه الوجهة غير موجودة.' },
  noSuchDelivery: { en: 'There is no such delivery.', ar: 'عملية التسليم هذه غير موجودة.' },
  noSuchRule: { en: 'There is no such rule.', ar: 'هذه القاعدة غير موجودة.' },
  noSuchAlert: { en: 'There is no such alert.', ar: 'هذا التنبيه غير موجود.' },
  noSuchSilence: { en: 'There is no such silence.', ar: 'هذا الكتم غير موجود.' },
  noSuchRun: { en: 'There is no such run.', ar: 'هذا التشغيل غير موجود.' },
  noSuchArtifact: { en: 'There is no such artifact.', ar: 'هذا الملف الناتج غير موجود.' },
  noSuchToolApi: { en: 'There is no such Tool API.', ar: 'واجهة الأداة هذه غير موجودة.' },
  noSuchPerson: { en: 'There is no such person.', ar: 'هذا الشخص غير موجود.' },
  noSuchApplication: { en: 'There is no such application.', ar: 'هذا التطبيق غير موجود.' },
  noSuchPlan: { en: 'There is no such tier or plan.', ar: 'هذه الباقة غير موجودة.' },
  noSuchActiveKey: { en: 'There is no such active key.', ar: 'لا يوجد مفتاح فعّال بهذا المعرّف.' },
  noSuchMember: { en: 'There is no such member.', ar: 'هذا العضو غير موجود.' },
  noSuchLink: { en: 'There is no such link.', ar: 'هذا الرابط غير موجود.' },
  noSuchUsableLink: { en: 'There is no such link that can be used.', ar: 'لا يوجد رابط كهذا يمكن استخدامه.' },
  noSuchSession: { en: 'There is no such session.', ar: 'هذه الجلسة غير موجودة.' },
  noSuchOwner: { en: 'There is no such enterprise or person.', ar: 'هذه المؤسسة أو هذا الشخص غير موجود.' },
  lastOperator: {
    en: 'A server needs an operator; invite somebody else first.',
    ar: 'يحتاج الخادم إلى مشغّل؛ ادعُ شخصًا آخر أولًا.',
  },
  fileOfJob: {
    en: 'A job that has not ended needs the file; dismiss the job first.',
    ar: 'يلزم الملف مهمةً لم تنتهِ؛ ألغِ المهمة أولًا.',
  },
  assetWithSensors: {
    en: 'The asset has sensors; delete or move them first.',
    ar: 'في الأصل مستشعرات؛ احذفها أو انقلها أولًا.',
  },
  fleetKeyRevoked: { en: 'The fleet key was revoked.', ar: 'أُلغي مفتاح الأسطول.' },
  noConfirmedAddress: {
    en: 'No address of this destination has confirmed yet.',
    ar: 'لم يؤكَّد بعد أي عنوان من عناوين هذه الوجهة.',
  },
  sensorInQuery: { en: 'A sensor in query.sensors does not exist.', ar: 'أحد المستشعرات في query.sensors غير موجود.' },
  noSuchPanel: { en: 'The dashboard has no such panel.', ar: 'لا يوجد هذا العنصر في لوحة المعلومات.' },
  favouritesOfMembers: {
    en: 'Only members of the enterprise have favourites; sign in as one. Applications have none.',
    ar: 'المفضّلات لأعضاء المؤسسة وحدهم؛ سجّل الدخول بصفة عضو. ليست للتطبيقات مفضّلات.',
  },
  recipesOfEnterprise: {
    en: 'Recipes belong to an enterprise; choose one.',
    ar: 'تعود الوصفات إلى مؤسسة؛ اختر مؤسسة.',
  },
  resultNotKept: { en: 'The result of the run is not kept.', ar: 'نتيجة التشغيل غير محفوظة.' },
  mailsWithoutSecret: { en: 'A destination of mails has no secret.', ar: 'ليس لوجهات البريد سرّ.' },
  nobodyHasAccount: {
    en: 'Nobody has an account for this record yet; invite them instead.',
    ar: 'ليس لصاحب هذا السجل حساب بعد؛ أرسل إليه دعوة.',
  },
  mapFileMissing: { en: 'The file of MAP_PMTILES is missing.', ar: 'ملف MAP_PMTILES مفقود.' },
  noBaseMap: { en: 'There is no base map; see MAP_PMTILES.', ar: 'لا توجد خريطة أساس؛ راجع MAP_PMTILES.' },
  upscaleNeedsPlus: { en: 'upscale: needs the Plus plan.', ar: 'يحتاج الحقل upscale إلى باقة Plus.' },
  layerGone: { en: 'The layer does not exist any more.', ar: 'لم تعد الطبقة موجودة.' },
  memberOfOther: { en: 'Another account is the member with this address.', ar: 'العضو بهذا العنوان مرتبط بحساب آخر.' },
  memberIsOwner: { en: 'The member with this address is an owner.', ar: 'العضو بهذا العنوان مالك.' },
  linkedAlready: { en: 'This account or this person is linked already.', ar: 'هذا الحساب أو هذا الشخص مرتبط من قبل.' },
  accountWithAddress: {
    en: 'There is an account with this address; make a link for the person instead of setting a password.',
    ar: 'يوجد حساب بهذا العنوان؛ أنشئ رابطًا للشخص بدل ضبط كلمة مرور.',
  },
  lastOwner: {
    en: 'An enterprise needs an owner; make somebody else an owner first.',
    ar: 'تحتاج المؤسسة إلى مالك؛ اجعل شخصًا آخر مالكًا أولًا.',
  },
  sharedDocuments: {
    en: 'Shared documents are changed by administrators and owners.',
    ar: 'لا يغيّر المستندات المشتركة إلا المديرون والمالكون.',
  },
  linksByManagers: {
    en: 'Links are made and revoked by administrators and owners.',
    ar: 'لا ينشئ الروابط ولا يلغيها إلا المديرون والمالكون.',
  },
  linkOfPerson: {
    en: 'A link ends with the right of a person; sign in to make one.',
    ar: 'ينتهي الرابط بانتهاء حق الشخص؛ سجّل الدخول لإنشاء رابط.',
  },
  rightsElsewhere: {
    en: 'The account has rights outside this enterprise; only the operator can make a link for it.',
    ar: 'للحساب حقوق خارج هذه المؤسسة؛ لا ينشئ رابطًا له إلا المشغّل.',
  },
  invitedOwner: {
    en: 'The member with this address is an owner; an invitation cannot change that.',
    ar: 'العضو بهذا العنوان مالك؛ لا يمكن للدعوة أن تغيّر ذلك.',
  },
  accountSuspended: { en: 'The account is suspended.', ar: 'الحساب معلّق.' },
  noPersonalKeys: { en: 'This address takes no personal API keys.', ar: 'لا يقبل هذا العنوان مفاتيح API الشخصية.' },
  keyOfPerson: {
    en: 'X-Enterprise: a personal API key acts for its person alone.',
    ar: 'الترويسة X-Enterprise غير مسموح بها: مفتاح API الشخصي لا يعمل إلا باسم صاحبه.',
  },
  otherSite: { en: 'The request comes from a page of another site.', ar: 'يأتي الطلب من صفحة في موقع آخر.' },
  callCancelled: { en: 'The call was cancelled.', ar: 'أُلغي الطلب.' },
  callTooLong: {
    en: 'The call took too long, and nothing was stored or charged.',
    ar: 'استغرق الطلب وقتًا أطول من المسموح، ولم يُحفظ شيء ولم تُخصم أي نقطة.',
  },
  runGivenUp: {
    en: 'The run was given up meanwhile. No credits were charged.',
    ar: 'أُوقف التشغيل في هذه الأثناء. لم تُخصم أي نقطة.',
  },
  jobFailed: {
    en: 'The job failed after three attempts. No credits were charged.',
    ar: 'فشلت المهمة بعد ثلاث محاولات. لم تُخصم أي نقطة.',
  },
  jobDismissed: {
    en: 'The job was dismissed, or another process works on it.',
    ar: 'أُلغيت المهمة، أو تنفّذها عملية أخرى على الخادم.',
  },
  needsGdal: {
    en: 'This call needs GDAL, which is still being installed on the server; retry later. GeoJSON in WGS 84 works without GDAL.',
    ar: 'يحتاج هذا الطلب إلى GDAL الذي لا يزال قيد التثبيت على الخادم؛ أعد المحاولة لاحقًا. لا يحتاج GeoJSON في WGS 84 إلى GDAL.',
  },
  alertInIds: { en: 'An alert in body.ids does not exist.', ar: 'أحد التنبيهات في body.ids غير موجود.' },
  noEnterpriseInHeader: {
    en: 'X-Enterprise: there is no such enterprise.',
    ar: 'الترويسة X-Enterprise: هذه المؤسسة غير موجودة.',
  },
  callsWaiting: {
    en: 'The application has {running} calls running and {waiting} waiting; retry when some have ended.',
    ar: 'للتطبيق {running} من الطلبات قيد التنفيذ و{waiting} قيد الانتظار؛ أعد المحاولة بعد انتهاء بعضها.',
  },
  linkFor: {
    en: 'This link is for {email}; sign in with that address.',
    ar: 'هذا الرابط لصاحب العنوان {email}؛ سجّل الدخول بهذا العنوان.',
  },
  streamsAtMost: {
    en: 'The caller has {most} event streams open, which is the maximum; close one first.',
    ar: 'عدد تدفقات الأحداث المفتوحة: {most}، وهو الحد الأقصى؛ أغلق أحدها أولًا.',
  },
  answersWaiting: {
    en: 'Answers of {size} MB are waiting to be read; read them first.',
    ar: 'لم تُقرأ بعد إجابات حجمها {size} ميغابايت؛ اقرأها أولًا.',
  },
  noCrs: {
    en: 'EPSG:{code} is no geographic or projected reference system.',
    ar: 'الرمز EPSG:{code} ليس رمز نظام إحداثيات جغرافي أو مُسقَط.',
  },
  quotaWouldExceed: {
    en: 'Stored files and layers would exceed {most} MB; delete some of them first.',
    ar: 'ستتجاوز الملفات والطبقات المخزنة {most} ميغابايت؛ احذف بعضها أولًا.',
  },
  silencesAtMost: {
    en: 'The enterprise has {most} silences that have not ended, which is the maximum.',
    ar: 'لدى المؤسسة {most} من عمليات الكتم التي لم تنتهِ، وهو الحد الأقصى.',
  },
  versionNotKept: {
    en: 'Version {version} of the layer does not exist or is no longer kept.',
    ar: 'النسخة {version} من الطبقة غير موجودة أو لم تعد محفوظة.',
  },
  jobEnded: { en: 'The job has ended already: {status}.', ar: 'انتهت المهمة من قبل: {status}.' },
  notesAtMost: {
    en: 'The enterprise has {most} notes already, which is the maximum.',
    ar: 'لدى المؤسسة {most} من الملاحظات، وهو الحد الأقصى.',
  },
  jobStatus: {
    en: 'The status of the job is "{status}"; results are available once it is successful or failed.',
    ar: 'حالة المهمة {status}؛ تتاح النتائج بعد نجاحها أو فشلها.',
  },
  noProcess: { en: 'The process "{id}" does not exist.', ar: 'الأداة {id} غير موجودة.' },
  exportStatus: {
    en: 'The status of the export is "{status}"; it can be downloaded once it is done.',
    ar: 'حالة التصدير {status}؛ يمكن تنزيله بعد اكتماله.',
  },
  versionScan: {
    en: 'The scan status of this version is "{status}"; only clean versions can be downloaded.',
    ar: 'حالة فحص هذه النسخة {status}؛ لا تُنزَّل إلا النسخ السليمة.',
  },
  memoryOfRun: {
    en: 'The tool needs more than the {most} MB of memory that a run may use; send less data per call.',
    ar: 'تحتاج الأداة إلى أكثر من {most} ميغابايت، وهو حد ذاكرة التشغيل؛ أرسل بيانات أقل في الطلب.',
  },
  withinFile: {
    en: 'must lie within the file, which has {bytes} bytes',
    ar: 'يجب أن يقع ضمن الملف، وحجمه {bytes} بايت.',
  },
  uploadsAtMost: {
    en: 'Of uploads that are not finished, {most} are allowed; finish or delete some of them first.',
    ar: 'عدد عمليات الرفع غير المكتملة: {most} على الأكثر؛ أكمل بعضها أو احذفه أولًا.',
  },
  noSuchDashboard: { en: 'There is no such dashboard.', ar: 'لوحة المعلومات هذه غير موجودة.' },
  noSuchView: { en: 'There is no such view.', ar: 'هذا العرض المحفوظ غير موجود.' },
  noSuchRecipe: { en: 'There is no such recipe.', ar: 'هذه الوصفة غير موجودة.' },
  exportUnderWay: {
    en: 'An export of this enterprise or person is being made; wait until it is finished.',
    ar: 'يُعدّ الآن تصدير لهذه المؤسسة أو لهذا الشخص؛ انتظر حتى يكتمل.',
  },
  exportsAtMost: {
    en: 'At most {most} exports can be made in 24 hours.',
    ar: 'عدد عمليات التصدير في 24 ساعة: {most} على الأكثر.',
  },
  boundTo: {
    en: 'This version is the input of the Tool API {names}; bind another version there first.',
    ar: 'هذه النسخة مدخل لواجهة الأداة {names}؛ اربط بها نسخة أخرى أولًا.',
  },
  boundToMore: {
    en: 'This version is the input of the Tool API {names} and others; bind another version there first.',
    ar: 'هذه النسخة مدخل لواجهات الأدوات {names} وغيرها؛ اربط بها نسخة أخرى أولًا.',
  },
  gdalMissing: {
    en: 'This call needs GDAL, which is not installed on the server. GeoJSON in WGS 84 works without GDAL.',
    ar: 'يحتاج هذا الطلب إلى GDAL، وهو غير مثبّت على الخادم. لا يحتاج GeoJSON في WGS 84 إلى GDAL.',
  },
} as const satisfies Record<string, Sentence>
