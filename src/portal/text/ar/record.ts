import type { Catalogue } from '../catalogue.ts'

export const record: Catalogue['record'] = {
  saved: 'تم الحفظ',
  conflictTitle: 'غيّر شخص آخر هذا في هذه الأثناء',
  conflict: 'اختر النسخة التي تُعتمد. يبقى ما كتبته محفوظًا حتى تختار.',
  field: 'الحقل',
  theirs: 'المحفوظ الآن',
  mine: 'نسختك',
  takeTheirs: 'اعتماد المحفوظ',
  takeMine: 'حفظ نسختي',
  changedMeanwhile: 'غيّر شخص آخر هذا في هذه الأثناء، لذلك لم يُحذف شيء. أعد تحميل الصفحة وراجعها.',
}
