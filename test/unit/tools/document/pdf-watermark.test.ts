/** Watermarks on PDFs, rendered and read back by Poppler. */
import { describe, expect, test } from 'bun:test'
import {
  changedPart,
  drawn,
  freshPath,
  isSound,
  outlineOf,
  plainPdf,
  qpdfMade,
  REPORT,
  run,
  textOf,
} from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const FONT = 'node_modules/@expo-google-fonts/ibm-plex-sans-arabic/600SemiBold/IBMPlexSansArabic_600SemiBold.ttf'

const mark = (input: object, file: Parameters<typeof runTool>[1]['file'] = 'report.pdf') =>
  runTool('document.pdf-watermark', { file, ...input })

test('adds a text across every page and keeps everything else', async () => {
  const { data, path, filename } = await mark({ text: 'Draft' })
  expect({ data, filename }).toEqual({ data: { pageCount: 3 }, filename: 'report_watermarked.pdf' })
  expect(isSound(path)).toBe(true)
  expect(outlineOf(path)).toEqual(outlineOf(REPORT))
  for (const page of [1, 2, 3]) {
    const part = changedPart(drawn(REPORT, page), drawn(path, page))
    // centred, along most of the diagonal
    expect((part.left + part.right) / 2).toBeCloseTo(0.5, 1)
    expect((part.top + part.bottom) / 2).toBeCloseTo(0.5, 1)
    expect(Math.min(part.right - part.left, part.bottom - part.top)).toBeGreaterThan(0.35)
    expect(Math.max(part.right - part.left, part.bottom - part.top)).toBeLessThan(0.95)
    // each letter is still text
    const letters = [...run('pdftotext', '-f', page, '-l', page, '-raw', path, '-').replace(/\s/g, '')]
    for (const letter of 'Draft') expect(letters).toContain(letter)
  }
})

const PLACES: [string, object][] = [
  ['top-left', { left: [0, 0.1], top: [0, 0.1] }],
  ['top-right', { right: [0.9, 1], top: [0, 0.1] }],
  ['bottom-left', { left: [0, 0.1], bottom: [0.9, 1] }],
  ['bottom-right', { right: [0.9, 1], bottom: [0.9, 1] }],
]
test.each(PLACES)('%s is right as displayed, on rotated and cropped pages too', async (position, sides) => {
  const plain = plainPdf(['', '', '', ''], [400, 300])
  const turned = qpdfMade('--rotate=+90:2', '--rotate=+180:3', '--rotate=+270:4', plain.path)
  for (const [input, share] of [
    [{ text: 'مسودة Draft', position, opacity: 1 }, 0.6],
    [{ wm_mode: 'image', logo: 'logo.png', position, opacity: 1 }, 0.3],
  ] as const) {
    const { path } = await mark(input, turned)
    for (const page of [1, 2, 3, 4]) {
      const part = changedPart(drawn(turned.path, page), drawn(path, page))
      for (const [side, [from, to]] of Object.entries(sides) as ['left', [number, number]][]) {
        expect(part[side]).toBeGreaterThan(from)
        expect(part[side]).toBeLessThan(to)
      }
      expect(part.right - part.left).toBeLessThan(share)
    }
  }
})

test('opacity is the share of the page that is hidden', async () => {
  const black = (path: string) => Math.min(...drawn(path, 1, 36).data)
  const page = plainPdf([''], [400, 300])
  const shown = await Promise.all(
    [1, 0.5, 0.15].map(async (opacity) =>
      black((await mark({ text: 'IIIII', position: 'center', opacity }, page)).path),
    ),
  )
  // 25 % grey over white
  for (const [i, opacity] of [1, 0.5, 0.15].entries())
    expect(Math.abs((shown[i] as number) - (255 - opacity * 0.75 * 255))).toBeLessThanOrEqual(2)
})

/** A PNG by a new process: in this one, another test may have loaded another weight of the same font. */
function renderedByPango(text: string): string {
  const path = freshPath('pango.png')
  const options = { text: { text, font: 'IBM Plex Sans Arabic 40', fontfile: FONT, dpi: 200 } }
  run(process.execPath, '-e', `await require('sharp')(${JSON.stringify(options)}).png().toFile('${path}')`)
  return path
}

test('Arabic with diacritics looks as in Pango', async () => {
  const text = 'سِرّيٌّ مَرْحَبًا لَا (12) Draft'
  const { path } = await mark({ text, position: 'center', opacity: 1 }, plainPdf([''], [600, 300]))
  const { default: sharp } = await import('sharp')
  const size = { width: 400, height: 80, fit: 'fill' as const }
  const page = drawn(path, 1, 200)
  const ours = sharp(page.data, { raw: { width: page.width, height: page.height, channels: 3 } })
  const pango = await sharp(renderedByPango(text)).extractChannel(0).raw().toBuffer({ resolveWithObject: true })
  const theirs = sharp(
    pango.data.map((value) => 255 - value),
    { raw: { ...pango.info, channels: 1 } },
  )
  const [mine, other] = (await Promise.all(
    [ours, theirs].map(async (picture) => {
      const trimmed = await picture.trim({ background: '#ffffff', threshold: 60 }).png().toBuffer()
      return sharp(trimmed).resize(size).extractChannel(0).raw().toBuffer()
    }),
  )) as [Buffer, Buffer]
  let [both, either] = [0, 0]
  for (let i = 0; i < mine.length; i++) {
    const [a, b] = [(mine[i] as number) < 160, (other[i] as number) < 128]
    if (a && b) both++
    if (a || b) either++
  }
  expect(both / either).toBeGreaterThan(0.75)
  expect(textOf(path, 1).replace(/[\u202A-\u202E\u2066-\u2069]/g, '')).toContain('Draft')
  expect(textOf(path, 1).normalize('NFKC')).toContain('12')
})

test('several lines, and other scripts', async () => {
  const { path } = await mark({ text: 'Groundwave\nпроба αβγ', position: 'top-left', opacity: 1 }, plainPdf(['']))
  expect(textOf(path, 1).split('\n')).toEqual(['Groundwave', 'проба αβγ'])
})

describe('rejects', () => {
  test.each([
    ['neither', {}, 'text', 'exactlyOne'],
    ['both', { text: 'x', logo: 'logo.png' }, 'text', 'exactlyOne'],
    ['a logo in the mode for text', { logo: 'logo.png' }, 'wm_mode', 'mode'],
    ['blank text', { text: ' ' }, 'text', 'blank'],
    ['letters that no font contains', { text: '漢字' }, 'text', 'glyphs'],
    ['too faint', { text: 'x', opacity: 0.01 }, 'opacity', 'minimum'],
    ['another position', { text: 'x', position: 'left' }, 'position', 'enum'],
    ['a logo that is not an image', { wm_mode: 'image', logo: 'report.pdf' }, 'logo', 'format'],
  ])('%s', async (_, input, field, rule) => {
    expect(await refusal('document.pdf-watermark', { file: 'report.pdf', ...input })).toMatchObject({ field, rule })
  })
})
