import type { Catalogue } from '../../../text/catalogue.ts'

export const reference: Catalogue['reference'] = {
  title: 'مرجع API',
  search: 'مسار أو اسم أو كلمة',
  tags: {
    Sensors: 'المستشعرات',
    Assets: 'الأصول والقراءات',
    GIS: 'الأدوات',
    'Tool API': 'واجهة الأداة',
    'Shared dashboards': 'لوحات المعلومات المشتركة',
    Manage: 'الإدارة',
    Accounts: 'الحسابات',
    Health: 'الصحة',
  },
  none: 'ليس لديك ما يمكن استخدامه هنا.',
  secrets: {
    sensor: 'مفتاح المستشعر',
    application: 'المفتاح السري للتطبيق',
    toolApi: 'مفتاح واجهة الأداة',
    operator: 'رمز المشغّل',
  },
  secretHelp: 'ألصقه لإكمال المثال. يبقى في هذا التبويب ولا يُرسل إلى أي مكان.',
  sessionOnly: 'تتطلب هذه الطلبات جلسة في هذه البوابة أو رمز المشغّل. ما يسمح به دورك يمكنك فعله في صفحات البوابة.',
  parameters: 'المعاملات',
  body: 'متن الطلب ({type})',
  result: 'بيانات الإجابة',
  answers: 'الإجابات',
  meaning: 'المعنى',
  required: 'مطلوب',
}
