/** Sign PDF: the position of the stamp on pages rendered by Poppler. */
import { describe, expect, test } from 'bun:test'
import { picture, pngOfSize, rgba } from '../../../support/formats/images.ts'
import {
  freshPath,
  isSound,
  outlineOf,
  plainPdf,
  qpdfMade,
  REPORT,
  run,
  textOf,
} from '../../../support/formats/pdfs.ts'
import { runProgram } from '../../../support/program.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const red = (size = '100x100') => picture('red.png', '-size', size, 'xc:#ff0000', 'PNG24:')
const sign = (file: unknown, placements: object[], signature: unknown = red()) =>
  runTool('document.document-sign', { file, signature, placements })

/** Bounding box of the red pixels of a page as displayed, in fractions of the page. */
function redBox(path: string, page: number) {
  const out = freshPath('seen')
  run('pdftoppm', '-png', '-cropbox', '-r', 72, '-f', page + 1, '-l', page + 1, '-singlefile', path, out)
  const { data, width, height } = rgba(`${out}.png`)
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4
      if ((data[at] as number) < 200 || (data[at + 1] as number) > 60 || (data[at + 2] as number) > 60) continue
      left = Math.min(left, x)
      right = Math.max(right, x + 1)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y + 1)
    }
  return { x: left / width, y: top / height, w: (right - left) / width, h: (bottom - top) / height }
}

const near = (a: Record<string, number>, b: Record<string, number>): void => {
  for (const [name, value] of Object.entries(b)) expect(Math.abs((a[name] as number) - value)).toBeLessThan(0.006)
}

/** Aspect ratio of an image that fills a box given in fractions of the page. */
const filling = (width: number, height: number, w: number, h: number) =>
  red(`${Math.round(width * w)}x${Math.round(height * h)}`)

test.each([0, 90, 180, 270])('on a page rotated by %i degrees the stamp is where it was placed', async (degrees) => {
  const page = qpdfMade(...(degrees === 0 ? [] : [`--rotate=+${degrees}:1`]), plainPdf(['one'], [600, 800]).path)
  const [width, height] = degrees % 180 === 0 ? [600, 800] : [800, 600]
  const place = { x: 0.55, y: 0.8, w: 0.3, h: 0.1 }
  const { path, data, filename } = await sign(page, [{ page: 0, ...place }], filling(width, height, 0.3, 0.1))
  expect({ data, filename }).toEqual({ data: { placementCount: 1 }, filename: 'made_signed.pdf' })
  near(redBox(path, 0), place)
  expect(isSound(path)).toBe(true)
})

test.each([0, 90, 270])('a crop box is respected, rotated by %i degrees', async (degrees) => {
  const cropped = plainPdf(['one'], [600, 800])
    .content.toString('latin1')
    .replace('/MediaBox [0 0 600 800]', '/CropBox [100 50 500 650]/MediaBox [0 0 600 800]')
  const at = freshPath('cropped.pdf')
  await Bun.write(at, Buffer.from(cropped, 'latin1'))
  // the inserted bytes shift the cross-reference table, so qpdf rewrites it
  const laid = freshPath('laid.pdf')
  runProgram('qpdf', [...(degrees === 0 ? [] : [`--rotate=+${degrees}:1`]), at, laid])
  const [width, height] = degrees % 180 === 0 ? [400, 600] : [600, 400]
  const place = { x: 0.1, y: 0.05, w: 0.2, h: 0.2 }
  const file = { name: 'a.pdf', content: Buffer.from(await Bun.file(laid).bytes()) }
  const { path } = await sign(file, [{ page: 0, ...place }], filling(width, height, 0.2, 0.2))
  near(redBox(path, 0), place)
})

test('keeps the aspect ratio, centred in the box; stamps several positions and pages; keeps text and outline', async () => {
  const { path, data } = await sign('report.pdf', [
    { page: 1, x: 0.1, y: 0.5, w: 0.4, h: 0.1 },
    { page: 2, x: 0.5, y: 0.5, w: 0.1, h: 0.4 },
  ])
  expect(data).toEqual({ placementCount: 2 })
  // on 595 by 842 points: a square as high as the box
  const side = 0.1 * 842
  near(redBox(path, 1), { x: 0.1 + (0.4 - side / 595) / 2, y: 0.5, w: side / 595, h: 0.1 })
  expect([1, 2, 3].map((page) => textOf(path, page))).toEqual([1, 2, 3].map((page) => textOf(REPORT, page)))
  expect(outlineOf(path)).toEqual(outlineOf(REPORT))
  expect(run('pdfinfo', path)).toContain('Field report')
})

test('the graphics state of a page cannot move the stamp', async () => {
  const moving = plainPdf(['one'], [600, 800])
  const content = moving.content
    .toString('latin1')
    .replace('BT /F1', '2 0 0 2 99 9 cm BT /F1')
    .replace(/\/Length (\d+)/, (_, length) => `/Length ${Number(length) + 16}`)
  const at = freshPath('moving.pdf')
  await Bun.write(at, Buffer.from(content, 'latin1'))
  const laid = freshPath('laid.pdf')
  runProgram('qpdf', [at, laid])
  const place = { x: 0.2, y: 0.6, w: 0.2, h: 0.15 }
  const { path } = await sign(
    { name: 'a.pdf', content: Buffer.from(await Bun.file(laid).bytes()) },
    [{ page: 0, ...place }],
    filling(600, 800, 0.2, 0.15),
  )
  near(redBox(path, 0), place)
})

describe('rejects', () => {
  const place = { page: 0, x: 0.1, y: 0.1, w: 0.2, h: 0.2 }
  test.each([
    ['no position', [], 'placements', 'minItems'],
    ['a fraction above 1', [{ ...place, x: 1.2 }], 'placements.0.x', 'maximum'],
    ['a fraction below 0', [{ ...place, y: -0.1 }], 'placements.0.y', 'minimum'],
    ['no width', [{ ...place, w: 0 }], 'placements.0.w', undefined],
    ['a box over the edge', [place, { ...place, x: 0.9 }], 'placements.1', 'outside'],
    ['a page that does not exist', [{ ...place, page: 3 }], 'placements.0', 'range'],
    ['a page of 0.5', [{ ...place, page: 0.5 }], 'placements.0.page', undefined],
    ['an unknown key', [{ ...place, z: 1 }], 'placements.0.z', 'additionalProperties'],
  ])('%s', async (_what, placements, field, rule) => {
    const refused = await refusal('document.document-sign', { file: 'report.pdf', signature: 'logo.png', placements })
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', field, ...(rule && { rule }) })
  })

  test('a signature that is not a PNG, or is broken', async () => {
    for (const [signature, rule] of [
      ['dull.jpg', 'format'],
      [pngOfSize(40, 40), 'truncated'],
    ] as const)
      expect(
        await refusal('document.document-sign', { file: 'report.pdf', signature, placements: [place] }),
      ).toMatchObject({
        code: 'INPUT_UNREADABLE',
        field: 'signature',
        rule,
      })
  })
})
