import type { Catalogue } from '../../../text/catalogue.ts'

export const notes: Catalogue['notes'] = {
  title: 'ملاحظات',
  add: 'كتابة ملاحظة',
  change: 'تعديل الملاحظة',
  delete: 'حذف الملاحظة',
  save: 'حفظ الملاحظة',
  none: 'لا ملاحظات في هذه المدة.',
  text: 'الملاحظة',
  at: 'الوقت',
  until: 'حتى (إن استمرت)',
  forAll: 'لكل المستشعرات',
  share: 'مشتركة مع المؤسسة، وإلا فلا يراها غيرك',
  allSee: 'يرى هذه الملاحظة كل أعضاء المؤسسة.',
  onlyYou: 'لا يرى هذه الملاحظة غيرك.',
  isShared: 'مشتركة',
  isPrivate: 'لك وحدك',
  isOfAll: 'كل المستشعرات',
}
