/** Generated EXIF and XMP data of photos, read by the product and by exiftool. */
import { expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { readPhoto } from '../../../src/lib/image/exif.ts'
import { outputOf } from '../../support/program.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { type Entry, exifBlock, exifSegment, TYPE, withSegments, xmpSegment } from '../../support/twins/exif-blocks.ts'

const seed = testSeed
process.stderr.write(`replay with TEST_SEED=${seed}\n`)
const BATCH = 200
const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T
const maybe = (random: Random, share: number, ...entries: Entry[]): Entry[] => (random() < share ? entries : [])
const { ASCII, BYTE, LONG, RATIONAL, SHORT, SRATIONAL, UNDEFINED } = TYPE

const TIMES = [
  '2024:05:06 07:08:09\0',
  '2024:05:06 07:08:09',
  '2024-05-06T07:08:09\0',
  '2024:05:06 07:08:09.25\0',
  '2024:05:06 07:08:09+03:00\0',
  '2024:02:29 00:00:00\0',
  '2023:02:29 10:00:00\0',
  '0000:00:00 00:00:00\0',
  '2024:13:01 10:00:00\0',
  '2024:06:31 10:00:00\0',
  '2024:01:01 24:00:00\0',
  '1899:12:31 23:59:59\0',
  '    :  :     :  :  \0',
  '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0',
  '2024:05:06 07:08:60\0',
  '2024:05:06\0',
  'yesterday\0',
]
const OFFSETS = ['+02:00\0', '-03:30\0', 'Z\0', '+14:00\0', '+15:00\0', '   :  \0', '\0', '+00:00']

/** Degrees, minutes and seconds in the forms of cameras, phones and programs. */
function anyAngle(random: Random, limit: number): number[] {
  const degrees = whole(random, random() < 0.95 ? limit : 2 * limit)
  return some(random, [
    [degrees, 1, whole(random, 60), 1, whole(random, 60), 1],
    [degrees, 1, whole(random, 60), 1, whole(random, 60_000), 1_000],
    [degrees, 1, whole(random, 600_000), 10_000, 0, 1],
    [degrees * 1e6 + whole(random, 1e6), 1e6, 0, 1, 0, 1],
    [degrees, 1, whole(random, 60), 1, whole(random, 2 ** 31), 2 ** 26],
    [degrees, 1, whole(random, 600_000), 10_000, 0, 0],
    [degrees, 1, whole(random, 60), 1],
    [degrees * 1000, 1000],
    [0, 0, 0, 0, 0, 0],
    [degrees, 0, 0, 1, 0, 1],
  ])
}
const refs = (a: string, b: string): string[] => [
  ...Array(6)
    .fill([`${a}\0`, `${b}\0`])
    .flat(),
  a,
  `${b.toLowerCase()}\0`,
  '\0',
  'X\0',
]

function anyPhoto(random: Random, base: Buffer): Buffer {
  const text = (tag: number, values: readonly string[]): Entry => [tag, ASCII, some(random, values)]
  const note: Entry = [0x927c, UNDEFINED, Array.from({ length: 5 + whole(random, 60) }, () => whole(random, 256))]
  const orientation = (): Entry => [0x112, some(random, [SHORT, SHORT, SHORT, LONG]), [whole(random, 10)]]
  const ifd0 = [
    ...maybe(random, 0.6, text(0x10f, ['Canon\0', 'NIKON CORPORATION\0', 'Apple', ' \0', 'samsung  \0', 'Ä\0'])),
    ...maybe(random, 0.6, text(0x110, ['Canon EOS R5\0', 'NIKON D850\0', 'iPhone 15', 'Pixel 8\0\0\0', '\0'])),
    ...maybe(random, 0.5, orientation()),
    ...maybe(random, 0.4, text(0x132, TIMES)),
  ]
  const exif = [
    ...maybe(random, 0.5, text(0x9003, TIMES)),
    ...maybe(random, 0.4, text(0x9004, TIMES)),
    ...maybe(random, 0.3, text(0x9010, OFFSETS)),
    ...maybe(random, 0.4, text(0x9011, OFFSETS)),
    ...maybe(random, 0.3, text(0x9012, OFFSETS)),
    ...maybe(random, 0.2, note),
    ...maybe(random, 0.2, text(0x9291, ['25\0', '007\0'])),
  ]
  const gps = [
    ...maybe(random, 0.8, text(1, refs('N', 'S'))),
    ...maybe(random, 0.8, [2, RATIONAL, anyAngle(random, 90)]),
    ...maybe(random, 0.8, text(3, refs('E', 'W'))),
    ...maybe(random, 0.8, [4, RATIONAL, anyAngle(random, 180)]),
    ...maybe(random, 0.5, [5, BYTE, [whole(random, 4)]]),
    ...maybe(random, 0.3, [6, RATIONAL, [whole(random, 2 ** 31), some(random, [0, 1, 1000, 1_000_000])]]),
    ...maybe(random, 0.2, [6, SRATIONAL, [-whole(random, 5_000), 10]]).slice(0, 1),
    ...maybe(random, 0.4, [7, RATIONAL, [whole(random, 25), 1, whole(random, 60), 1, whole(random, 60_000), 1_000]]),
    ...maybe(random, 0.4, text(29, ['2024:05:06\0', '2024-05-06\0', '2024:02:30\0', '\0'])),
  ]
  const seen = new Set<number>()
  const once = gps.filter(([tag]) => !seen.has(tag) && seen.add(tag))
  const ifd1 = maybe(random, 0.3, orientation(), text(0x132, TIMES))
  const segments: Buffer[] = []
  if (random() < 0.95) segments.push(exifSegment(exifBlock({ ifd0, exif, gps: once, ifd1 }, random() < 0.5)))
  if (random() < 0.4) segments.push(xmpSegment(anyXmp(random)))
  return withSegments(base, ...(random() < 0.5 ? segments : segments.reverse()))
}

function anyXmp(random: Random): string {
  const angle = (limit: number, letters: string): string => {
    const degrees = whole(random, limit)
    const end = some(random, [...letters])
    return some(random, [
      `${degrees},${whole(random, 60)}.${whole(random, 1e6)}${end}`,
      `${degrees},${whole(random, 60)},${whole(random, 60)}${end}`,
    ])
  }
  const time = (): string =>
    some(random, [
      '2024-05-06T07:08:09',
      '2024-05-06T07:08:09+03:00',
      '2024-05-06T07:08',
      '2024-05-06T07:08:09.5Z',
      '2024-05-06',
      '2024-02-30T01:02:03',
    ])
  const fields = [
    ...(random() < 0.6 ? [['exif:GPSLatitude', angle(90, 'NS')]] : []),
    ...(random() < 0.6 ? [['exif:GPSLongitude', angle(180, 'EW')]] : []),
    ...(random() < 0.4 ? [['exif:GPSAltitude', `${whole(random, 90_000)}/10`]] : []),
    ...(random() < 0.4 ? [['exif:GPSAltitudeRef', some(random, ['0', '1'])]] : []),
    ...(random() < 0.4 ? [['exif:DateTimeOriginal', time()]] : []),
    ...(random() < 0.3 ? [['photoshop:DateCreated', time()]] : []),
    ...(random() < 0.3 ? [['xmp:CreateDate', time()]] : []),
  ]
  const asElements = random() < 0.5
  const attributes = asElements ? '' : fields.map(([name, value]) => ` ${name}="${value}"`).join('')
  const elements = asElements ? fields.map(([name, value]) => `<${name}>${value}</${name}>`).join('\n') : ''
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"${attributes}>${elements}</rdf:Description></rdf:RDF></x:xmpmeta>`
}

type Tags = Record<string, unknown>

/** exiftool's values, in the order of sources that docs/api-tools.md states. */
function wanted(tags: Tags) {
  const side = (name: string, letters: string, limit: number): number | undefined => {
    const letter = String(tags[`GPS:${name}Ref`] ?? '')
      .charAt(0)
      .toUpperCase()
    const value = tags[`GPS:${name}`]
    if (letter === '' || !letters.includes(letter) || typeof value !== 'number' || value > limit) return undefined
    return letter === letters.charAt(0) ? value : -value
  }
  const xmpSide = (name: string, limit: number): number | undefined => {
    const value = tags[`XMP-exif:${name}`]
    return typeof value === 'number' && Math.abs(value) <= limit ? value : undefined
  }
  // both from one source
  const position = [
    [side('GPSLatitude', 'NS', 90), side('GPSLongitude', 'EW', 180)],
    [xmpSide('GPSLatitude', 90), xmpSide('GPSLongitude', 180)],
  ].find((pair) => !pair.includes(undefined))
  const [latitude = null, longitude = null] = position ?? []
  const hasGps = position !== undefined
  const height = (group: string): number | undefined => {
    const value = tags[`${group}:GPSAltitude`]
    const below = [1, 3].includes(Number(tags[`${group}:GPSAltitudeRef`] ?? 0))
    return typeof value === 'number' && Math.abs(value) <= 100_000 ? (below ? -Math.abs(value) : value) : undefined
  }
  const orientation = Number(tags['IFD0:Orientation'] ?? 0)
  const [make, model] = [tags['IFD0:Make'], tags['IFD0:Model']].map((text) => String(text ?? '').trim()) as [
    string,
    string,
  ]
  const times = [
    ['ExifIFD:DateTimeOriginal', 'ExifIFD:OffsetTimeOriginal'],
    ['ExifIFD:CreateDate', 'ExifIFD:OffsetTimeDigitized'],
    ['IFD0:ModifyDate', 'ExifIFD:OffsetTime'],
    ['XMP-exif:DateTimeOriginal'],
    ['XMP-photoshop:DateCreated'],
    ['XMP-xmp:CreateDate'],
    ['Composite:GPSDateTime'],
  ].map(([name, offset]) => isoOf(tags[name as string], tags[offset ?? ''] ?? '', (name as string).startsWith('XMP')))
  return {
    hasGps,
    latitude,
    longitude,
    altitude: hasGps ? (height('GPS') ?? height('XMP-exif') ?? null) : null,
    timestamp: times.find((time) => time !== undefined) ?? null,
    camera: (model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`.trim()) || null,
    orientation: orientation >= 1 && orientation <= 8 ? orientation : null,
  }
}

/** A time that exists in the calendar. XMP's times are ISO 8601 already and keep fractions of seconds. */
function isoOf(text: unknown, offset: unknown, isXmp: boolean): string | undefined {
  const [date = [], rest] = [String(text).match(/\d+/g)?.slice(0, 6) ?? [], String(text)]
  if (date.length < 5) return undefined
  const iso = `${date.slice(0, 3).join('-')}T${[...date.slice(3), ...(date.length < 6 || /^\S+ \d\d:\d\d[+-Z]/.test(rest) ? ['00'] : [])].slice(0, 3).join(':')}`
  const at = new Date(`${iso}Z`)
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 19) !== iso || iso.startsWith('0000')) return undefined
  const own = /([+-]\d\d:\d\d|Z)$/.exec(rest)?.[1] ?? String(offset)
  const fraction = isXmp ? (/:\d\d(\.\d+)/.exec(rest)?.[1] ?? '') : ''
  return iso + fraction + (/^([+-](0\d|1[0-4]):[0-5]\d|Z)$/.test(own) ? own : '')
}

const isSame = (a: unknown, b: unknown): boolean =>
  typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) < 1e-7 : a === b

test('position, time, camera and orientation match exiftool', async () => {
  const random = seeded(seed)
  const base = await sharp({ create: { width: 16, height: 16, channels: 3, background: '#345' } })
    .jpeg()
    .toBuffer()
  const folder = join(sharedFolder('photo-twins'), 'batch')
  let positions = 0
  for (let done = 0; done < rounds(BATCH, 30_000); done += BATCH) {
    const faults: unknown[] = []
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const photos = Array.from({ length: BATCH }, () => anyPhoto(random, base))
    for (const [i, photo] of photos.entries()) writeFileSync(join(folder, `${i}.jpg`), photo)
    const read = outputOf('exiftool', ['-j', '-n', '-G1', '-q', '-q', '-m', '-charset', 'exif=utf8', folder]).toString()
    const tags = new Map((JSON.parse(read) as Tags[]).map((one) => [String(one.SourceFile).replace(/^.*\//, ''), one]))
    for (const [i, photo] of photos.entries()) {
      const truth = tags.get(`${i}.jpg`) as Tags
      const { metadata } = readPhoto(photo)
      const expected: Record<string, unknown> = wanted(truth)
      for (const [name, value] of Object.entries(metadata))
        if (!isSame(value, expected[name]))
          faults.push({ round: done + i, name, value, expected: expected[name], truth })
      positions += metadata.hasGps ? 1 : 0
    }
    expect({ seed, faults }).toEqual({ seed, faults: [] })
  }
  expect(positions).toBeGreaterThan(BATCH / 10)
})
