/** JPEG files with noise in their data: the tools that show them warn whenever libjpeg notices it. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDamaged, openImage } from '../../../../src/lib/image/image.ts'
import { picture } from '../../../support/formats/images.ts'
import { REPORT } from '../../../support/formats/pdfs.ts'
import { runProgram } from '../../../support/program.ts'
import { type Random, seeded, whole } from '../../../support/random.ts'
import { rounds } from '../../../support/rounds.ts'
import { runTool } from '../../../support/workers/engine.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-jpeg-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const NOISE = ['-size', '211x157', '-seed', '7', 'plasma:fractal', '-attenuate', '0.3', '+noise', 'Gaussian']
const drawn = (...args: string[]): Buffer => picture('sound.jpg', ...NOISE, ...args).content
const KINDS: Record<string, () => Buffer> = {
  baseline: () => drawn('-define', 'jpeg:optimize-coding=false'),
  'baseline with its own tables': () => drawn('-define', 'jpeg:optimize-coding=true'),
  'without subsampling': () => drawn('-sampling-factor', '1x1'),
  'with other subsampling': () => drawn('-sampling-factor', '4x1,1x1,1x1'),
  'in grey': () => drawn('-colorspace', 'Gray'),
  'in CMYK': () => drawn('-colorspace', 'CMYK'),
  progressive: () => drawn('-interlace', 'JPEG'),
  'with restart markers': () => withRestarts(24, 24, 5),
  // in larger files, several codes are read in one step
  'large, of little detail': () => drawn('-resize', '3000x2000!', '-blur', '0x6', '-quality', '75'),
  'large, of much detail': () => drawn('-resize', '800x600!', '+noise', 'Gaussian', '-quality', '97'),
  'large, with its own tables': () => drawn('-resize', '1500x1000!', '-define', 'jpeg:optimize-coding=true'),
  'large, in CMYK': () => drawn('-resize', '900x700!', '-colorspace', 'CMYK'),
  'large, with restart markers': () => withRestarts(300, 300, 7),
}
const LARGE_BYTES = 110_000

const segment = (marker: number, ...content: number[]): number[] => [
  0xff,
  marker,
  (content.length + 2) >> 8,
  (content.length + 2) & 255,
  ...content,
]

/** A grey JPEG of random blocks, with a marker after each `interval` blocks, which ImageMagick does not write. */
function withRestarts(across: number, down: number, interval: number): Buffer {
  const random = seeded(3)
  const bytes: number[] = []
  let bits = ''
  const flush = (): void => {
    for (; bits.length % 8 !== 0; ) bits += '1'
    for (const byte of bits.match(/.{8}/g) ?? []) {
      bytes.push(Number.parseInt(byte, 2))
      if (bytes.at(-1) === 0xff) bytes.push(0)
    }
    bits = ''
  }
  for (let block = 0; block < across * down; block++) {
    if (block > 0 && block % interval === 0) {
      flush()
      bytes.push(0xff, 0xd0 + ((block / interval - 1) % 8))
    }
    // a difference of two bits, some coefficients of one bit, and the end of the block
    bits += `0010${random() < 0.5 ? '10' : '01'}`
    for (let i = whole(random, 6); i > 0; i--) bits += `${random() < 0.3 ? '10' : '01'}${whole(random, 2)}`
    bits += '00'
  }
  flush()
  const [width, height] = [8 * across, 8 * down]
  return Buffer.from([
    0xff,
    0xd8,
    ...segment(0xdb, 0, ...Array<number>(64).fill(16)),
    ...segment(0xc0, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0),
    // twelve codes of four bits, and three of two
    ...segment(0xc4, 0x00, 0, 0, 0, 12, ...Array<number>(12).fill(0), ...Array(12).keys()),
    ...segment(0xc4, 0x10, 0, 3, ...Array<number>(14).fill(0), 0x00, 0x01, 0x11),
    ...segment(0xdd, 0, interval),
    ...segment(0xda, 1, 1, 0, 0, 63, 0),
    ...bytes,
    0xff,
    0xd9,
  ])
}

/** Changes bytes of the compressed data. */
function withNoise(sound: Buffer, count: number, random: Random): Buffer {
  const start = sound.indexOf(Buffer.from([0xff, 0xda])) + 16
  const bytes = Buffer.from(sound)
  for (let i = 0; i < count; i++) {
    const at = start + whole(random, bytes.length - start - 2)
    bytes[at] = (bytes[at] as number) ^ (1 + whole(random, 255))
  }
  return bytes
}

let made = 0
function written(bytes: Buffer): string {
  // libvips remembers files by their names
  const path = join(home, `${++made}.jpg`)
  writeFileSync(path, bytes)
  return path
}

/** Whether libjpeg warns when ImageMagick reads all of the file. */
const warns = (path: string): boolean => runProgram('/usr/bin/convert', [path, 'null:']).stderr.includes('jpeg.c')

async function isReported(path: string): Promise<boolean> {
  try {
    const image = await openImage(path, { maxPixels: 1e8 })
    await image.pipeline().raw().toBuffer()
    return await isDamaged(image)
  } catch {
    return true
  }
}

test.each(Object.keys(KINDS))('noise in a file that is %s', async (kind) => {
  const sound = (KINDS[kind] as () => Buffer)()
  if (kind.startsWith('large')) expect(sound.length).toBeGreaterThan(LARGE_BYTES)
  const path = written(sound)
  expect([warns(path), await isReported(path)]).toEqual([false, false])
  const random = seeded(20)
  let [noticed, unnoticed] = [0, 0]
  for (let i = 0; i < rounds(12, 24); i++) {
    const damaged = written(withNoise(sound, [1, 3, 20][i % 3] as number, random))
    if (!warns(damaged)) continue
    noticed++
    if (!(await isReported(damaged))) unnoticed++
  }
  expect(noticed).toBeGreaterThan(rounds(0, 5))
  expect(unnoticed).toBe(0)
})

const noisy = { name: 'noisy.jpg', content: withNoise(drawn(), 20, seeded(1)) }
const WARNING = 'is damaged: parts of its picture may be shifted or have other colours.'
test.each([
  ['image.convert-format', { file: noisy, target_format: 'png' }, 'file'],
  ['image.enhance-quality', { file: noisy }, 'file'],
  ['image.image-watermark', { file: noisy, text: 'A' }, 'file'],
  ['image.image-watermark', { file: 'dull.jpg', wm_mode: 'image', logo: noisy }, 'logo'],
  ['image.merge-images', { files: ['dull.jpg', noisy] }, 'files.1'],
  ['document.images-to-pdf', { files: ['dull.jpg', noisy] }, 'files.1'],
  ['document.ocr', { file: noisy }, 'file'],
  [
    'document.pdf-watermark',
    { file: { name: 'report.pdf', content: readFileSync(REPORT) }, wm_mode: 'image', logo: noisy },
    'logo',
  ],
] as const)('%s warns of it', async (id, input, field) => {
  expect((await runTool(id, input)).warnings).toContain(`The JPEG in ${field} ${WARNING}`)
})

test('bytes after the picture and fill bytes before markers do not count as damage', async () => {
  const sound = drawn()
  for (const bytes of [
    Buffer.concat([sound, Buffer.from('more')]),
    Buffer.concat([sound.subarray(0, -2), Buffer.from([0xff, 0xff, 0xff, 0xd9])]),
  ])
    expect(await isReported(written(bytes))).toBeFalse()
})
