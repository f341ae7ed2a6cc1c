import type { Catalogue } from '../catalogue.ts'

export const overview: Catalogue['overview'] = {
  title: 'نظرة عامة',
  empty: 'لا توجد مؤسسة بعد',
  emptyText: 'تملك المؤسسة المستشعرات والطبقات والملفات، ويدعو مالكها الآخرين.',
}
