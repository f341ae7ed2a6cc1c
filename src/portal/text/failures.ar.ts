import type { Catalogue } from './catalogue.ts'

export const failures: Catalogue['failures'] = {
  original: 'نص الخادم الأصلي',
}
