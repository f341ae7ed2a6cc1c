/** PDF to images where renderers disagree: calibrated colours, JBIG2 refinement, fonts that are not embedded. */
import { expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { closeDocument, drawGreyPage } from '../../../../src/lib/ocr/pdf-page.ts'
import { pageCrops } from '../../../../src/lib/pdf/rendering/page-crops.ts'
import { rgba } from '../../../support/formats/images.ts'
import { freshPath, handMade, qpdfMade, run, stream } from '../../../support/formats/pdfs.ts'
import { runTool } from '../../../support/workers/engine.ts'

type File = ReturnType<typeof handMade>

async function rendered(file: File, dpi = '72') {
  const { path, warnings } = await runTool('document.pdf-to-images', { file, dpi })
  const folder = freshPath('pages')
  run('unzip', '-q', path, '-d', folder)
  const name = run('unzip', '-Z1', path).trim().split('\n')[0] as string
  const { data, width } = rgba(`${folder}/${name}`)
  const at = (x: number, y: number): number[] => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)]
  return { at, warnings }
}

const page = (resources: string, content: string, ...more: string[]): File =>
  handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 90 90] /Contents 4 0 R /Resources << ${resources} >> >>`,
    stream(content),
    ...more,
  ])

/** IEC 61966-2-1: the sRGB sample of a share of light. */
const srgb = (light: number): number => 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055)
const VALUES = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1]
const WHITE = '/WhitePoint [0.9505 1 1.089]'

test.each([
  ['gamma 2.2, in the resources', `[/CalGray << ${WHITE} /Gamma 2.2 >>]`, 2.2],
  ['gamma 1, as an object', '5 0 R', 1],
  ['the default gamma', `[/CalGray << ${WHITE} >>]`, 1],
] as const)('CalGray with %s has the light that its gamma says', async (_, space, gamma) => {
  const squares = VALUES.map((value, i) => `${value} sc ${10 * i} 0 10 90 re f`).join(' ')
  const file = page(`/ColorSpace << /C ${space} >>`, `/C cs ${squares}`, `[/CalGray << ${WHITE} /Gamma 1 >>]`)
  // the second file hides its colour space in an object stream
  for (const one of [file, qpdfMade('--object-streams=generate', file.path)]) {
    const { at } = await rendered(one)
    for (const [i, value] of VALUES.entries())
      for (const sample of at(10 * i + 5, 45)) expect(Math.abs(sample - srgb(value ** gamma))).toBeLessThanOrEqual(2)
  }
})

test('images in CalGray, and colours in CalRGB', async () => {
  const samples = Buffer.from(VALUES.map((value) => Math.round(255 * value)))
  const matrix = '/Matrix [0.4124 0.2126 0.0193 0.3576 0.7152 0.1192 0.1805 0.0722 0.9505]'
  const file = page(
    `/XObject << /Im 5 0 R >> /ColorSpace << /C [/CalRGB << ${WHITE} /Gamma [1 1 1] ${matrix} >>] >>`,
    'q 90 0 0 45 0 45 cm /Im Do Q /C cs 0.25 0.5 0.75 sc 0 0 90 45 re f',
    stream(
      deflateSync(samples).toString('latin1'),
      `/Type /XObject /Subtype /Image /Width 9 /Height 1 /BitsPerComponent 8 /ColorSpace [/CalGray << ${WHITE} /Gamma 2.2 >>] /Filter /FlateDecode`,
    ),
  )
  const { at } = await rendered(file)
  for (const [i, value] of VALUES.entries())
    for (const sample of at(10 * i + 5, 20)) expect(Math.abs(sample - srgb(value ** 2.2))).toBeLessThanOrEqual(2)
  for (const [i, light] of [0.25, 0.5, 0.75].entries())
    expect(Math.abs((at(45, 70)[i] as number) - srgb(light))).toBeLessThanOrEqual(2)
})

/**
 * A JBIG2 page that first shows DRAWING with diagonal lines over it, as a generic region, and then replaces these pixels
 * by a refinement of the page (ITU-T T.88, 7.4.7, template 1), which leaves DRAWING alone.
 */
const REFINED = `AAAAADAAAQAAABMAAAAgAAAAEAAAAAAAAAAAQQAAAAAAAScAAQAAAEEAAAAgAAAAEAAAAAAAAAAAAAgD//3/Av7+/lX+4a9fYFVkGktJN+eMRMIC
VEnCaUHoKpiKGnJl25qhm49tU3//rAAAAAIqAAEAAAAlAAAAIAAAABAAAAAAAAAAAAQBq/8TK1DZ843qVFo+WW5JIq//rA==`
const DRAWING = `
................................
................................
......#.........................
......##........................
......###.......................
......####......................
..#########.....................
..##########....................
..##########.....######.........
..#########......#....#.........
......####.......#....#.........
......###........#....#.........
......##.........######.........
......#.........................
................................
................................`

const refinedPage = (): File =>
  handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 320 160] /Contents 4 0 R /Resources << /XObject << /Im 5 0 R >> >> >>',
    stream('q 320 0 0 160 0 0 cm /Im Do Q'),
    stream(
      Buffer.from(REFINED, 'base64').toString('latin1'),
      '/Type /XObject /Subtype /Image /Width 32 /Height 16 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /JBIG2Decode',
    ),
  ])

test('a refinement of a JBIG2 page replaces its pixels', async () => {
  const { at } = await rendered(refinedPage())
  const rows = Array.from({ length: 16 }, (_, y) =>
    Array.from({ length: 32 }, (_, x) => ((at(10 * x + 5, 10 * y + 5)[0] as number) < 128 ? '#' : '.')).join(''),
  )
  expect(rows).toEqual(DRAWING.trim().split('\n'))
})

test('recognition of text and figures of Word documents draw calibrated grey and refinements like pages', async () => {
  const squares = VALUES.map((value, i) => `${value} sc ${10 * i} 0 10 90 re f`).join(' ')
  const grey = page(`/ColorSpace << /C [/CalGray << ${WHITE} /Gamma 2.2 >>] >>`, `/C cs ${squares}`)
  const scanned = await drawGreyPage(grey.path, 0)
  closeDocument()
  const crops = pageCrops(grey.path, 1e6)
  const cropped = await sharp(await crops.crop(1, { left: 0, top: 0, right: 90, bottom: 90 })).raw().toBuffer({ resolveWithObject: true }) // biome-ignore format: one expression
  crops.close()
  const { width, channels } = cropped.info
  for (const [i, value] of VALUES.entries()) {
    const light = srgb(value ** 2.2)
    const [x, row] = [(10 * i + 5) / 90, Math.floor(scanned.height / 2) * scanned.width]
    expect(Math.abs((scanned.data[row + Math.floor(x * scanned.width)] as number) - light)).toBeLessThanOrEqual(2)
    const at = channels * (Math.floor(cropped.info.height / 2) * width + Math.floor(x * width))
    expect(Math.abs((cropped.data[at] as number) - light)).toBeLessThanOrEqual(2)
  }
  const { data, width: wide, height } = await drawGreyPage(refinedPage().path, 0)
  closeDocument()
  const rows = Array.from({ length: 16 }, (_, y) =>
    Array.from({ length: 32 }, (_, x) => {
      const at = Math.floor(((y + 0.5) * height) / 16) * wide + Math.floor(((x + 0.5) * wide) / 32)
      return (data[at] as number) < 128 ? '#' : '.'
    }).join(''),
  )
  expect(rows).toEqual(DRAWING.trim().split('\n'))
})

test('fonts that are neither embedded nor standard are named in a warning', async () => {
  const font = (name: string) =>
    `<< /Type /Font /Subtype /TrueType /BaseFont /${name} /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 32 /Widths [500] /FontDescriptor << /Type /FontDescriptor /FontName /${name} /Flags 32 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >> >>`
  const fonts = ['ABCDEF+Calibri', 'ArialMT', 'TimesNewRomanPS-BoldMT', 'Simplified#20Arabic']
  const names = fonts.map((_, i) => `/F${i} ${6 + i} 0 R`).join(' ')
  const text = (i: number): string => `BT /F${i} 12 Tf 10 ${20 + 15 * i} Td (text) Tj ET`
  const file = page(
    `/Font << ${names} >> /XObject << /Fm 5 0 R >>`,
    `${text(0)} ${text(1)} ${text(2)} /Fm Do`,
    stream(text(3), `/Type /XObject /Subtype /Form /BBox [0 0 90 90] /Resources << /Font << ${names} >> >>`),
    ...fonts.map(font),
  )
  const { warnings } = await rendered(file)
  expect(warnings).toEqual([expect.stringContaining('Calibri, Simplified Arabic.')])
  expect((await rendered(page('/Font << /F0 5 0 R >>', text(0), font('Arial,Bold')))).warnings).toEqual([])
})
