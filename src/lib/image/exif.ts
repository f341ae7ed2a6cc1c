/** Reads position, altitude, time and camera from the EXIF (JEITA CP-3451) and XMP data of JPEG and HEIC photos. */
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
  camera: string | null
  /** How the photo is to be turned, 1 to 8 as in EXIF. */
  orientation: number | null
}

type Tag = { value?: unknown; description?: unknown; computed?: unknown }

type Groups = {
  exif?: Record<string, Tag>
  xmp?: Record<string, Tag>
  gps?: { Latitude?: number; Longitude?: number; Altitude?: number }
}

const require = createRequire(import.meta.url)

/** Photos in the container of ISO 14496-12; only their metadata is read. */
const HEIF_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'mif1', 'msf1', 'avif']

/** @throws InputError when the bytes are neither JPEG nor HEIC */
export function readPhoto(bytes: Uint8Array): PhotoMetadata {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  const isHeif = head.slice(4, 8) === 'ftyp' && HEIF_BRANDS.includes(head.slice(8, 12))
  if (!head.startsWith('\xff\xd8\xff') && !isHeif) throw new InputError('jpeg', 'must be a JPEG or HEIC photo')
  const ExifReader = require('exifreader') as typeof ExifReaderModule
  let tags: Groups
  try {
    tags = ExifReader.load(bytes.slice().buffer as ArrayBuffer, { expanded: true }) as typeof tags
  } catch (error) {
    // thrown for a photo without metadata
    if ((error as Error).name === 'MetadataMissingError') tags = {}
    else throw new InputError('exif', 'must have readable EXIF data', error)
  }
  const { exif = {}, xmp = {}, gps = {} } = tags
  const latitude = within(gps.Latitude, 90)
  const longitude = within(gps.Longitude, 180)
  const hasGps = latitude !== null && longitude !== null
  return {
    hasGps,
    latitude: hasGps ? latitude : null,
    longitude: hasGps ? longitude : null,
    altitude: hasGps ? within(gps.Altitude ?? rationalOf(exif.GPSAltitude), 100_000) : null,
    timestamp: timestampOf(exif) ?? xmpTimestampOf(xmp),
    camera: cameraOf(exif),
    orientation: orientationOf(exif.Orientation),
  }
}

/** Without a reference, an altitude is above sea level, the reference's default. */
function rationalOf(tag: Tag | undefined): number | undefined {
  const [numerator, denominator] = Array.isArray(tag?.value) ? (tag.value as unknown[]) : []
  return typeof numerator === 'number' && typeof denominator === 'number' ? numerator / denominator : undefined
}

/** Make and model; many models begin with their make. */
function cameraOf({ Make, Model }: Record<string, Tag>): string | null {
  const [make, model] = [textOf(Make).trim(), textOf(Model).trim()]
  const camera = model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`.trim()
  return camera === '' ? null : camera
}

function orientationOf(tag: Tag | undefined): number | null {
  const value = Array.isArray(tag?.value) ? (tag.value as unknown[])[0] : tag?.value
  return typeof value === 'number' && value >= 1 && value <= 8 ? value : null
}

/** XMP has dates in ISO 8601, to any precision; only those with a time count. */
function xmpTimestampOf(xmp: Record<string, Tag>): string | null {
  for (const name of ['DateTimeOriginal', 'DateCreated', 'CreateDate']) {
    const found = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(textOf(xmp[name]).trim())
    if (found !== null) return found[1] === undefined ? found[0].replace(/T(\d\d:\d\d)/, 'T$1:00') : found[0]
  }
  return null
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
