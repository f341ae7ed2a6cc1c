import type { Catalogue } from '../catalogue.ts'

export const table: Catalogue['table'] = {
  columns: 'الأعمدة',
  csvHelp: 'حفظ هذه الأعمدة لكل الصفوف في ملف CSV',
  csvLoaded: {
    zero: 'لا صفوف',
    one: 'صف واحد',
    two: 'صفان',
    few: '{count} صفوف',
    many: '{count} صفًا',
    other: '{count} صف',
  },
  csvCut: {
    zero: 'لا يحتوي الملف على صفوف.',
    one: 'يحتوي الملف على أول صف فقط. التصدير يشمل الكل.',
    two: 'يحتوي الملف على أول صفين فقط. التصدير يشمل الكل.',
    few: 'يحتوي الملف على أول {count} صفوف فقط. التصدير يشمل الكل.',
    many: 'يحتوي الملف على أول {count} صفًا فقط. التصدير يشمل الكل.',
    other: 'يحتوي الملف على أول {count} صف فقط. التصدير يشمل الكل.',
  },
  select: 'تحديد هذا الصف',
  selectLoaded: 'تحديد الصفوف المحمّلة',
  selected: {
    zero: 'لم يُحدَّد شيء',
    one: 'تم تحديد عنصر واحد',
    two: 'تم تحديد عنصرين',
    few: 'تم تحديد {count} عناصر',
    many: 'تم تحديد {count} عنصرًا',
    other: 'تم تحديد {count} عنصر',
  },
  selectAll: {
    zero: 'تحديد الكل',
    one: 'تحديد الصف الوحيد',
    two: 'تحديد الصفين',
    few: 'تحديد الكل ({count})',
    many: 'تحديد الكل ({count})',
    other: 'تحديد الكل ({count})',
  },
  clear: 'إلغاء التحديد',
}
