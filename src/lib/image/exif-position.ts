/**
 * The position of a photo, from the GPS tags of EXIF, or from XMP, where editors write it. Only the first letter of a
 * reference counts, in any case: programs also write whole words and lower case, which exifreader reads as north and
 * east.
 */
import { type Warning, warning } from '../../warnings/warning.ts'

export type Tag = { value?: unknown; description?: unknown; computed?: unknown }
export type Tags = Record<string, Tag>

/** Degrees in WGS 84, and metres, negative below sea level. */
type Position = { latitude: number; longitude: number; altitude: number | null }

const MAX_ALTITUDE = 100_000
/** EXIF 3.0: below sea level, and below the ellipsoid. */
const BELOW = new Set([1, 3])
const WGS84 = /^(wgs[-_ ]?(19)?84|epsg:4326)?$/i

export function positionOf(exif: Tags, xmp: Tags): { position: Position | undefined; doubts: Warning[] } {
  const doubts: Warning[] = []
  // both from one source: editors write a new position into one of them
  const sides = [
    [
      angleOf(exif.GPSLatitude, exif.GPSLatitudeRef, 'NS', 90),
      angleOf(exif.GPSLongitude, exif.GPSLongitudeRef, 'EW', 180),
    ],
    [xmpAngleOf(xmp.GPSLatitude, 'NS', 90), xmpAngleOf(xmp.GPSLongitude, 'EW', 180)],
  ]
  const [latitude, longitude] = sides.find((pair) => !pair.includes(undefined)) ?? []
  if (latitude === undefined || longitude === undefined) {
    if (rationalsOf(exif.GPSLatitude).some((number) => number > 0)) doubts.push(warning('positionLeftOut'))
    return { position: undefined, doubts }
  }
  const datum = textOf(exif.GPSMapDatum)
  if (!WGS84.test(datum)) doubts.push(warning('datumAssumed', { datum }))
  if (/^v/i.test(textOf(exif.GPSStatus))) doubts.push(warning('positionMarkedInvalid'))
  return { position: { latitude, longitude, altitude: altitudeOf(exif) ?? altitudeOf(xmp) ?? null }, doubts }
}

/** Numbers of a tag, which EXIF stores as pairs, and XMP as text. */
export function rationalsOf(tag: Tag | undefined): number[] {
  const value = tag?.value
  const pairs: unknown[] =
    typeof value === 'string' ? [value.split('/').map(Number)] : Array.isArray(value) ? value : []
  const list = typeof pairs[0] === 'number' ? [pairs] : pairs
  return list.map((pair) => {
    const [numerator, denominator = 1] = Array.isArray(pair) ? (pair as unknown[]) : []
    return typeof numerator === 'number' && typeof denominator === 'number' ? numerator / denominator : Number.NaN
  })
}

/** @param letters of the positive and the negative direction */
function angleOf(tag: Tag | undefined, ref: Tag | undefined, letters: string, limit: number): number | undefined {
  return signed(rationalsOf(tag), textOf(ref).charAt(0), letters, limit)
}

/** `DDD,MM,SSk` or `DDD,MM.mmk` (XMP, part 2, GPSCoordinate). */
function xmpAngleOf(tag: Tag | undefined, letters: string, limit: number): number | undefined {
  const [, degrees, minutes, seconds = '0', letter = ''] =
    /^(\d{1,3}),(\d{1,2}(?:\.\d+)?)(?:,(\d{1,2}(?:\.\d+)?))?([NSEW])$/i.exec(textOf(tag)) ?? []
  return signed([Number(degrees), Number(minutes), Number(seconds)], letter, letters, limit)
}

function signed(parts: readonly number[], letter: string, letters: string, limit: number): number | undefined {
  const [degrees = Number.NaN, minutes = 0, seconds = 0] = parts
  const sign = letter === '' ? undefined : [1, -1][letters.indexOf(letter.toUpperCase())]
  const angle = degrees + minutes / 60 + seconds / 3600
  return sign === undefined || !(Math.abs(angle) <= limit) ? undefined : sign * angle
}

/** Without a reference, an altitude is above sea level, the reference's default. */
function altitudeOf({ GPSAltitude, GPSAltitudeRef }: Tags): number | undefined {
  const [altitude = Number.NaN] = rationalsOf(GPSAltitude)
  const ref = Array.isArray(GPSAltitudeRef?.value) ? (GPSAltitudeRef.value as unknown[])[0] : GPSAltitudeRef?.value
  const metres = BELOW.has(Number.parseInt(String(ref), 10)) ? -Math.abs(altitude) : altitude
  return Math.abs(metres) <= MAX_ALTITUDE ? metres : undefined
}

export function textOf(tag: Tag | undefined): string {
  const value = Array.isArray(tag?.value) ? (tag.value as unknown[])[0] : tag?.value
  if (typeof value !== 'string') return ''
  const end = value.indexOf('\0')
  return (end < 0 ? value : value.slice(0, end)).trim()
}
