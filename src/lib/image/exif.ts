/** Reads position, altitude and time from the EXIF data of JPEG photos (JEITA CP-3451). */
import { createRequire } from 'node:module'
import type * as ExifReaderModule from 'exifreader'
import { InputError } from '../input-error.ts'

export type PhotoMetadata = {
  hasGps: boolean
  latitude: number | null
  longitude: number | null
  /** Metres, negative below sea level. */
  altitude: number | null
  /** ISO 8601. */
  timestamp: string | null
}

type Tag = { value?: unknown; description?: unknown; computed?: unknown }

const require = createRequire(import.meta.url)

/** @throws InputError when the bytes are not a JPEG */
export function readPhoto(bytes: Uint8Array): PhotoMetadata {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff)
    throw new InputError('jpeg', 'must be a JPEG photo')
  const ExifReader = require('exifreader') as typeof ExifReaderModule
  let tags: { exif?: Record<string, Tag>; gps?: { Latitude?: number; Longitude?: number; Altitude?: number } }
  try {
    tags = ExifReader.load(bytes.slice().buffer as ArrayBuffer, { expanded: true }) as typeof tags
  } catch (error) {
    // thrown for a photo without metadata
    if ((error as Error).name === 'MetadataMissingError') tags = {}
    else throw new InputError('exif', 'must have readable EXIF data', error)
  }
  const { exif = {}, gps = {} } = tags
  const latitude = within(gps.Latitude, 90)
  const longitude = within(gps.Longitude, 180)
  const hasGps = latitude !== null && longitude !== null
  return {
    hasGps,
    latitude: hasGps ? latitude : null,
    longitude: hasGps ? longitude : null,
    altitude: hasGps ? within(gps.Altitude, 100_000) : null,
    timestamp: timestampOf(exif),
  }
}

function within(value: number | undefined, limit: number): number | null {
  return value !== undefined && Number.isFinite(value) && Math.abs(value) <= limit ? value : null
}

/** Converts `2026:01:31 12:00:00` and the offset that EXIF 2.31 added to ISO 8601. */
function timestampOf(exif: Record<string, Tag>): string | null {
  for (const [name, offsetName] of [
    ['DateTimeOriginal', 'OffsetTimeOriginal'],
    ['DateTimeDigitized', 'OffsetTimeDigitized'],
    ['DateTime', 'OffsetTime'],
  ] as const) {
    const found = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/.exec(textOf(exif[name]))
    if (found === null || found[1] === '0000') continue
    const offset = /^[+-]\d\d:\d\d$/.exec(textOf(exif[offsetName]))?.[0] ?? ''
    return `${found[1]}-${found[2]}-${found[3]}T${found[4]}${offset}`
  }
  return null
}

function textOf(tag: Tag | undefined): string {
  const value = Array.isArray(tag?.value) ? tag.value[0] : tag?.value
  return typeof value === 'string' ? value : ''
}
