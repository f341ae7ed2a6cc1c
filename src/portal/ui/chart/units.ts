/** Units that sensors measure in, and the usual one for the name of a channel. */
const USUAL: readonly (readonly [RegExp, string])[] = [
  [/temp|حرار/i, '°C'],
  [/humid|moist|رطوب/i, '%'],
  [/press|ضغط/i, 'hPa'],
  [/batt|volt|بطاري|جهد/i, 'V'],
  [/current|amp|تيار/i, 'A'],
  [/energy|طاقة مستهلكة/i, 'kWh'],
  [/power|قدرة/i, 'W'],
  [/wind|speed|veloc|سرعة|رياح/i, 'm/s'],
  [/co2|co₂|voc|gas|غاز/i, 'ppm'],
  [/pm ?(1|2\.?5|10)|dust|غبار/i, 'µg/m³'],
  [/flow|تدفق/i, 'm³/h'],
  [/level|depth|height|dist|منسوب|ارتفاع|عمق/i, 'm'],
  [/rain|precip|مطر/i, 'mm'],
  [/light|lux|illum|إضاءة/i, 'lx'],
  [/noise|sound|ضوضاء/i, 'dB'],
  [/weight|mass|load|وزن/i, 'kg'],
  [/freq|تردد/i, 'Hz'],
  [/rssi|signal|إشارة/i, 'dBm'],
  [/rpm/i, 'rpm'],
]

export const usualUnit = (name: string): string | undefined => USUAL.find(([pattern]) => pattern.test(name))?.[1]

const COMMON_UNITS: readonly string[] = [
  ...new Set([
    ...USUAL.map(([, unit]) => unit),
    '°F',
    'K',
    'bar',
    'kPa',
    'mV',
    'mA',
    'kW',
    'km/h',
    'l/min',
    'cm',
    'mm',
  ]),
]

/** The usual one first. */
export function unitsFor(name: string): readonly string[] {
  const usual = usualUnit(name)
  return usual === undefined ? COMMON_UNITS : [usual, ...COMMON_UNITS.filter((unit) => unit !== usual)]
}
