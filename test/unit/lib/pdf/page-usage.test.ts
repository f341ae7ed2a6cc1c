/** Images and fonts that pages use, compared with Poppler: the resolution of images, and the font of each string. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { loadPdf } from '../../../../src/lib/pdf/structure/open-pdf.ts'
import { usageOf } from '../../../../src/lib/pdf/structure/page-usage.ts'
import { handMade, run, stream } from '../../../support/formats/pdfs.ts'
import { mutated, runs, sampled, succeedsOrRejects } from '../../../support/fuzz.ts'

type Action =
  | { kind: 'block'; actions: Action[] }
  | { kind: 'scale'; matrix: number[] }
  | { kind: 'picture' | 'form'; index: number }
  | { kind: 'font'; index: number }
  | { kind: 'text'; text: string }

const PICTURES: readonly [width: number, height: number][] = [
  [40, 40],
  [64, 16],
  [9, 90],
]
const FORMS = 2
const FONTS = 3
const FIRST_PICTURE = 5
const FIRST_FORM = FIRST_PICTURE + PICTURES.length
const FIRST_FONT = FIRST_FORM + FORMS

/** Not too small, so that rounded resolutions can be compared. */
const factor = fc.integer({ min: 50, max: 200 }).map((percent) => percent / 100)
const matrix = fc
  .tuple(factor, factor, fc.nat({ max: 359 }), fc.integer({ min: -50, max: 50 }), fc.boolean())
  .map(([sx, sy, degrees, shift, mirrored]) => {
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
    return [sx * cos, sx * sin, -sy * sin * (mirrored ? -1 : 1), sy * cos * (mirrored ? -1 : 1), shift, 2 * shift].map(
      (value) => Number(value.toFixed(6)),
    )
  })

/** @param forms whether forms may be drawn as well */
const actions = (depth: number, forms: boolean): fc.Arbitrary<Action[]> => {
  const one: fc.Arbitrary<Action>[] = [
    fc.record({ kind: fc.constant('scale' as const), matrix }),
    fc.record({ kind: fc.constant('picture' as const), index: fc.nat({ max: PICTURES.length - 1 }) }),
    fc.record({ kind: fc.constant('font' as const), index: fc.nat({ max: FONTS - 1 }) }),
    fc.record({
      kind: fc.constant('text' as const),
      text: fc.string({ unit: fc.constantFrom(...'abc'), minLength: 1 }),
    }),
  ]
  if (forms) one.push(fc.record({ kind: fc.constant('form' as const), index: fc.nat({ max: FORMS - 1 }) }))
  if (depth > 0) one.push(fc.record({ kind: fc.constant('block' as const), actions: actions(depth - 1, forms) }))
  return fc.array(fc.oneof(...one), { minLength: 1, maxLength: 5 })
}

const contentOf = (list: readonly Action[]): string =>
  list
    .map((action) => {
      if (action.kind === 'block') return `q ${contentOf(action.actions)} Q`
      if (action.kind === 'scale') return `${action.matrix.join(' ')} cm`
      if (action.kind === 'font') return `/F${action.index} 12 Tf`
      if (action.kind === 'text') return `BT (${action.text}) Tj ET`
      return `/${action.kind === 'picture' ? 'P' : 'X'}${action.index} Do`
    })
    .join('\n')

type Sheet = { page: Action[]; forms: { actions: Action[]; matrix: number[] }[] }

const sheets: fc.Arbitrary<Sheet> = fc.record({
  page: actions(3, true),
  forms: fc.array(fc.record({ actions: actions(1, false), matrix }), { minLength: FORMS, maxLength: FORMS }),
})

function pdfOf({ page, forms }: Sheet) {
  const names = (letter: string, count: number, first: number): string =>
    Array.from({ length: count }, (_, i) => `/${letter}${i} ${first + i} 0 R`).join(' ')
  const pictures = names('P', PICTURES.length, FIRST_PICTURE)
  const fonts = `/Font << ${names('F', FONTS, FIRST_FONT)} >>`
  const inner = `/Resources << /XObject << ${pictures} >> ${fonts} >>`
  return handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << ${pictures} ${names('X', FORMS, FIRST_FORM)} >> ${fonts} >> >>`,
    // an image is one unit wide and high, here a hundred
    stream(`100 0 0 100 0 0 cm ${contentOf(page)}`),
    ...PICTURES.map(([width, height]) =>
      stream(
        '\x7f'.repeat(width * height),
        `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`,
      ),
    ),
    ...forms.map(({ actions, matrix }) =>
      stream(
        contentOf(actions),
        `/Type /XObject /Subtype /Form /BBox [-9999 -9999 9999 9999] /Matrix [${matrix.join(' ')}] ${inner}`,
      ),
    ),
    ...Array.from({ length: FONTS }, () => '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
  ])
}

const usageIn = async (bytes: Uint8Array) => usageOf(await loadPdf(bytes))

/** Minimum resolution of each picture, by the number of its object, as Poppler lists it. */
function popplersDpi(path: string): Map<number, number> {
  const found = new Map<number, number>()
  for (const line of run('pdfimages', '-list', path).split('\n').slice(2)) {
    const [, , , , , , , , , , object, , xPpi, yPpi] = line.trim().split(/\s+/)
    if (object === undefined) continue
    const dpi = Math.min(Number(xPpi), Number(yPpi))
    found.set(Number(object), Math.min(found.get(Number(object)) ?? Number.POSITIVE_INFINITY, dpi))
  }
  return found
}

/** Strings in the fonts that are set when they are shown; a form begins with the font of where it is drawn. */
function shownIn({ page, forms }: Sheet): Map<number, Set<string>> {
  const shown = new Map<number, Set<string>>()
  const walk = (list: readonly Action[], start: number | undefined): void => {
    let font = start
    for (const action of list)
      if (action.kind === 'block') walk(action.actions, font)
      else if (action.kind === 'font') font = action.index
      else if (action.kind === 'form') walk(forms[action.index]?.actions ?? [], font)
      else if (action.kind === 'text' && font !== undefined) {
        const texts = shown.get(FIRST_FONT + font) ?? new Set()
        shown.set(FIRST_FONT + font, texts.add(action.text))
      }
  }
  walk(page, undefined)
  return shown
}

test('images are drawn with the resolution that Poppler reports', async () => {
  for (const sheet of sampled(sheets, 40)) {
    const { path, content } = pdfOf(sheet)
    const { dpi } = await usageIn(content)
    const theirs = popplersDpi(path)
    expect([...dpi.keys()].map(({ objectNumber }) => objectNumber).sort()).toEqual([...theirs.keys()].sort())
    for (const [{ objectNumber }, ours] of dpi) {
      const expected = theirs.get(objectNumber) as number
      // forms of nearly the same size are treated as one
      expect({ objectNumber, isNear: Math.abs(ours - expected) <= 1 + 0.06 * expected }).toEqual({
        objectNumber,
        isNear: true,
      })
    }
  }
})

test('strings are read with the font that shows them', async () => {
  await fc.assert(
    fc.asyncProperty(sheets, async (sheet) => {
      const { shown } = await usageIn(pdfOf(sheet).content)
      const ours = [...shown].map(
        ([{ objectNumber }, texts]) =>
          [objectNumber, [...new Set(texts.map((text) => Buffer.from(text).toString()))].sort()] as const,
      )
      const expected = [...shownIn(sheet)].map(([font, texts]) => [font, [...texts].sort()] as const)
      expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(expected))
    }),
    runs(100),
  )
})

test('a broken file is rejected, or its pages are read', async () => {
  const files = sampled(sheets, 10).map((sheet) => pdfOf(sheet).content)
  await fc.assert(
    fc.asyncProperty(mutated(...files), async (bytes) => {
      const usage = await succeedsOrRejects(() => usageIn(bytes))
      for (const dpi of usage?.dpi.values() ?? []) expect(dpi).toBeGreaterThanOrEqual(0)
    }),
    runs(400),
  )
})

test.each<[string, string]>([
  ['resources of another type', '/Contents 4 0 R /Resources 7'],
  ['contents of another type', '/Contents 7 /Resources << >>'],
  ['contents that are missing', '/Contents 99 0 R /Resources << >>'],
  ['annotations of another type', '/Annots 5 /Contents 4 0 R /Resources << >>'],
  ['annotations that are not dictionaries', '/Annots [5 (a) null 4 0 R] /Contents 4 0 R /Resources << >>'],
  ['a box of another type', '/Annots [<< /Rect 5 /AP << /N 4 0 R >> >>] /Contents 4 0 R'],
])('a page with %s draws its valid parts', async (_, entries) => {
  const { content } = handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${entries} >>`,
    stream('/P Do (a) Tj'),
  ])
  const usage = await usageIn(content)
  expect([usage.dpi.size, usage.shown.size]).toEqual([0, 0])
})
