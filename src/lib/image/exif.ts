/** Reads position, altitude, time and camera from the EXIF (JEITA CP-3451) and XMP data of JPEG and HEIC photos. */

import { createRequire } from 'node:module'
import type * as ExifReaderModule from 'exifreader'
import { fieldText } from '../../field-texts/field-text.ts'
import { type Warning, warning } from '../../warnings/warning.ts'
import { InputError } from '../input-error.ts'
import { positionOf, rationalsOf, type Tag, type Tags, textOf } from './exif-position.ts'

export type PhotoMetadata = {
  hasGps: boolean
  latitude: number | null
  longitude: number | null
  /** Metres, negative below sea level. */
  altitude: number | null
  /** ISO 8601. */
  timestamp: string | null
  camera: string | null
  /** Orientation of the photo, 1 to 8 as in EXIF. */
  orientation: number | null
}

/** @property doubts reasons to doubt the position */
export type Photo = { metadata: PhotoMetadata; doubts: Warning[] }

const require = createRequire(import.meta.url)

/** Photos in the container of ISO 14496-12; only their metadata is read. */
const HEIF_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'mif1', 'msf1', 'avif']

/** Entries of items with EXIF data (ISO/IEC 14496-12, 8.11.6; 23008-12, annex A). */
const EXIF_ITEM = /infe(?:.{8}|.{10})Exif/gs
const HEIF_HEAD_BYTES = 2 ** 20

/** @throws InputError when the bytes are neither JPEG nor HEIC */
export function readPhoto(bytes: Uint8Array): Photo {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  const isHeif = head.slice(4, 8) === 'ftyp' && HEIF_BRANDS.includes(head.slice(8, 12))
  if (!head.startsWith('\xff\xd8\xff') && !isHeif) throw new InputError('jpeg', fieldText('photo'))
  const ExifReader = require('exifreader') as typeof ExifReaderModule
  let tags: { exif?: Tags; xmp?: Tags }
  try {
    tags = ExifReader.load(bytes.slice().buffer as ArrayBuffer, { expanded: true }) as typeof tags
  } catch (error) {
    // thrown for a photo without metadata
    if ((error as Error).name === 'MetadataMissingError') tags = {}
    else throw new InputError('exif', fieldText('exifMissing'), error)
  }
  const { exif = {}, xmp = {} } = tags
  const { position, doubts } = positionOf(exif, xmp)
  const items = isHeif
    ? (Buffer.from(bytes.subarray(0, HEIF_HEAD_BYTES)).toString('latin1').match(EXIF_ITEM) ?? [])
    : []
  if (items.length > 1) doubts.push(warning('onlyFirstExifRead', { n: items.length }))
  const metadata = {
    hasGps: position !== undefined,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    altitude: position?.altitude ?? null,
    timestamp: exifTimeOf(exif) ?? xmpTimeOf(xmp) ?? gpsTimeOf(exif),
    camera: cameraOf(exif),
    orientation: orientationOf(exif.Orientation),
  }
  return { metadata, doubts }
}

/** Make and model; many models begin with their make. */
function cameraOf({ Make, Model }: Tags): string | null {
  const [make, model] = [textOf(Make), textOf(Model)]
  const camera = model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`.trim()
  return camera === '' ? null : camera
}

function orientationOf(tag: Tag | undefined): number | null {
  const value = Array.isArray(tag?.value) ? (tag.value as unknown[])[0] : tag?.value
  return typeof value === 'number' && value >= 1 && value <= 8 ? value : null
}

/** Parts of a time, as written. */
type TimeParts = { date: readonly string[]; time: readonly string[]; offset: string }

/** ISO 8601, for a time that exists; cameras without a clock write zeros. */
function timeText({ date, time, offset }: TimeParts): string | null {
  const [year = 0, month = 0, day = 0] = date.map(Number)
  const [hour = 0, minute = 0, second = 0] = time.map(Number)
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, day)
  const exists = year > 0 && at.getUTCMonth() === month - 1 && at.getUTCDate() === day
  if (!exists || hour > 23 || minute > 59 || !(second < 60)) return null
  return `${date.join('-')}T${time.join(':')}${/^([+-](0\d|1[0-4]):[0-5]\d|Z)$/.test(offset) ? offset : ''}`
}

/** EXIF has colons in the date. Programs also write the signs of ISO 8601, and put a fraction or an offset behind it. */
const EXIF_TIME = /^(\d{4})[:\-/.](\d\d)[:\-/.](\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.\d+)?\s*([+-]\d\d:\d\d|Z)?$/

function exifTimeOf(exif: Tags): string | null {
  for (const [name, offsetName] of [
    ['DateTimeOriginal', 'OffsetTimeOriginal'],
    ['DateTimeDigitized', 'OffsetTimeDigitized'],
    ['DateTime', 'OffsetTime'],
  ] as const) {
    const [, year = '', month = '', day = '', ...rest] = EXIF_TIME.exec(textOf(exif[name])) ?? []
    const [hour = '', minute = '', second = '', offset = textOf(exif[offsetName])] = rest
    const text = timeText({ date: [year, month, day], time: [hour, minute, second], offset })
    if (text !== null) return text
  }
  return null
}

const XMP_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?(Z|[+-]\d\d:\d\d)?$/

/** XMP has dates in ISO 8601, to any precision; only those with a time count. */
function xmpTimeOf(xmp: Tags): string | null {
  for (const name of ['DateTimeOriginal', 'DateCreated', 'CreateDate']) {
    const [, year = '', month = '', day = '', hour = '', minute = '', second = '00', offset = ''] =
      XMP_TIME.exec(textOf(xmp[name])) ?? []
    const text = timeText({ date: [year, month, day], time: [hour, minute, second], offset })
    if (text !== null) return text
  }
  return null
}

/** The time of the satellites, which is UTC. */
function gpsTimeOf({ GPSDateStamp, GPSTimeStamp }: Tags): string | null {
  const [, year = '', month = '', day = ''] = /^(\d{4})[:-](\d\d)[:-](\d\d)$/.exec(textOf(GPSDateStamp)) ?? []
  const numbers = rationalsOf(GPSTimeStamp)
  if (numbers.length !== 3 || !numbers.every((number) => number >= 0)) return null
  const time = numbers.map((number) => String(Math.floor(number)).padStart(2, '0'))
  return timeText({ date: [year, month, day], time, offset: 'Z' })
}
