import type { Catalogue } from '../../../text/catalogue.ts'

export const views: Catalogue['views'] = {
  title: 'طرق العرض',
  save: 'حفظ طريقة العرض هذه',
  saveNow: 'حفظ طريقة العرض',
  manage: 'حذف طرق العرض',
  name: 'الاسم',
  nameRule: 'طول الاسم من 1 إلى 200 حرف.',
  help: 'تُحفظ المرشّحات والترتيب والأعمدة كما تراها الآن.',
  share: 'مشاركتها مع كل أعضاء المؤسسة',
  shared: 'مشتركة',
  private: 'أنت فقط',
  seenBy: 'يراها',
  delete: 'حذف',
  deleteOne: 'حذف طريقة العرض {name}',
}
