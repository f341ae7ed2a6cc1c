import type { Catalogue } from '../catalogue.ts'

export const sensor: Catalogue['sensor'] = {
  page: 'المستشعر',
  list: 'المستشعرات',
  sections: 'أقسام هذه الصفحة',
  tabs: {
    charts: 'الرسوم البيانية',
    refused: 'المرفوضة',
    readings: 'القراءات',
    upload: 'الرفع',
    settings: 'الإعدادات',
  },
  rename: 'إعادة التسمية',
  name: 'الاسم',
  tags: 'الوسوم',
  asset: 'الأصل',
  lastReading: 'آخر قراءة',
  interval: 'الفاصل المعتاد',
  noReading: 'لم يرسل هذا المستشعر أي قراءة بعد',
  noReadingText: 'أرسل قراءة بأحد مفاتيح المستشعر، أو ارفع ملف CSV. تظهر هنا خلال ثانيتين.',
  toKeys: 'إلى المفاتيح',
  live: {
    idle: '',
    connecting: 'جارٍ الاتصال',
    live: 'مباشر',
    polling: 'يُحدَّث كل 5 ثوانٍ',
    paused: 'متوقف مؤقتًا',
  },
  eventEnter: 'دخل {sensor} إلى {layer}',
  eventLeave: 'غادر {sensor} {layer}',
  eventOther: '{rule}: {layer}',
}
