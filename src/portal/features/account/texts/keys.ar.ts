import type { Catalogue } from '../../../text/catalogue.ts'

export const keys: Catalogue['keys'] = {
  name: 'الاسم',
  actions: 'إجراءات',
  newKey: 'المفتاح الجديد {name}',
  addKey: 'إضافة مفتاح',
  lastFour: 'ينتهي بـ',
  created: 'أُنشئ',
  lastUsed: 'آخر استخدام',
  expires: 'تنتهي صلاحيته',
  expiresHelp: 'من دون وقت يبقى صالحًا حتى يُلغى.',
  revoke: 'هل تريد إلغاء المفتاح {name}؟',
  revokeText: 'يُرفض فورًا كل من يرسل بهذا المفتاح. لا يمكن التراجع عن ذلك.',
  revokeNow: 'إلغاء المفتاح',
  revoked: 'أُلغي المفتاح {name}',
  isExpired: 'انتهت صلاحيته',
}
