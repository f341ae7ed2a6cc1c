/** Areas and lengths in their fitting unit. */
import { withUnit } from './format.ts'
import { locale, t } from './text.ts'

const number = (value: number): string =>
  new Intl.NumberFormat(locale.value, { maximumSignificantDigits: 4 }).format(value)

export function formatArea(m2: number): string {
  if (m2 < 10_000) return withUnit(number(m2), t('zones.units.m2'))
  return m2 < 1_000_000
    ? withUnit(number(m2 / 10_000), t('zones.units.ha'))
    : withUnit(number(m2 / 1_000_000), t('zones.units.km2'))
}

export const formatLength = (m: number): string =>
  m < 1_000 ? withUnit(number(m), t('zones.units.m')) : withUnit(number(m / 1_000), t('zones.units.km'))

export const formatSpeed = (kmh: number): string => withUnit(number(Math.round(kmh * 10) / 10), t('zones.units.kmh'))

/** The abbreviation of a unit of length that a tool names. */
export function lengthUnit(code: string): string {
  const known = (['m', 'km', 'ft', 'mi'] as const).find((unit) => unit === code)
  return known === undefined ? code : t(`zones.units.${known}`)
}
