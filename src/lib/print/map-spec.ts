/** The settings of a printed map. */
import type { Digits } from './map-numbers.ts'

export type LegendItem = {
  label: string
  kind: 'fill' | 'line' | 'point' | 'heading'
  color: string
  outline?: string | undefined
  width: number
  dashed: boolean
}
export type MapBlock = {
  title?: string | undefined
  extent?: number[] | undefined
  crs: string
  bearing: number
  scaleBar: boolean
  northArrow: boolean
  grid: boolean
  graticule: boolean
}
export type MapSpec = {
  page: keyof typeof PAGES
  orientation: 'portrait' | 'landscape'
  lang: 'en' | 'ar'
  digits: Digits
  title?: string | undefined
  subtitle?: string | undefined
  legendTitle?: string | undefined
  legend: LegendItem[]
  attribution?: string | undefined
  crsLabel?: string | undefined
  date?: string | undefined
  maps: MapBlock[]
}

/** Page sizes in points: ISO 216, and ANSI Letter. */
export const PAGES = { a4: [595.28, 841.89], a3: [841.89, 1190.55], letter: [612, 792] } as const
export const MAX_BLOCKS = 12
export const MAX_LEGEND_ITEMS = 100

/** Fixed texts on the sheet. */
export const LABELS = {
  en: {
    legend: 'Legend',
    scale: 'Scale',
    crs: 'CRS',
    at: 'at',
    m: 'm',
    km: 'km',
    oneRow: 'from west to east along the middle of the map',
    continued: 'Legend, continued',
  },
  ar: {
    legend: 'مفتاح الخريطة',
    scale: 'مقياس الرسم',
    crs: 'نظام الإحداثيات',
    at: 'على',
    m: 'م',
    km: 'كم',
    oneRow: 'من الغرب إلى الشرق عند وسط الخريطة',
    continued: 'مفتاح الخريطة، تتمة',
  },
} as const
