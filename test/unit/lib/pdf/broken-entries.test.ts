/** PDFs with valid values in entries that require another type: processed as far as possible, or rejected. */
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { watermark } from '../../../../src/lib/pdf/drawing/watermark.ts'
import { fillForm, scriptedFields } from '../../../../src/lib/pdf/forms/fill-form.ts'
import { flattenForm } from '../../../../src/lib/pdf/forms/flatten-form.ts'
import { compress } from '../../../../src/lib/pdf/structure/compress.ts'
import { mergePdfs } from '../../../../src/lib/pdf/structure/merge.ts'
import { type OpenPdf, openPdf } from '../../../../src/lib/pdf/structure/open-pdf.ts'
import { freshPath, handMade, isSound, pagesOf, run, stream } from '../../../support/formats/pdfs.ts'
import { runs, succeedsOrRejects } from '../../../support/fuzz.ts'
import { runProgram } from '../../../support/program.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-broken-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
let folders = 0

/** Opened in a separate folder, as in every run. */
async function opened(bytes: Uint8Array): Promise<{ pdf: OpenPdf; to: string }> {
  const folder = join(home, String(++folders))
  mkdirSync(folder)
  writeFileSync(join(folder, 'input'), bytes)
  return { pdf: await openPdf(join(folder, 'input'), 100, 'change'), to: join(folder, 'out.pdf') }
}

const WORK: Record<string, (pdf: OpenPdf, to: string) => Promise<unknown>> = {
  compress: (pdf, to) => compress(pdf, 'screen', 1e7, to, () => undefined),
  watermark: (pdf, to) =>
    pdf.edit((document) => watermark(document, { text: 'x' }, 'center', 0.5, () => undefined), to, { sweep: true }),
  fill: (pdf, to) =>
    pdf.edit(async (document) => {
      await fillForm(
        document,
        { name: 'Layla', notes: 'قياس', agreed: true, kind: 'station' },
        await scriptedFields(document),
      )
      await flattenForm(document)
    }, to),
  merge: (pdf, to) => mergePdfs([pdf, pdf], to),
}

/** Values of any type, with references to missing objects and to objects of another kind. */
const VALUES = ['5', '-1', '(a)', '/N', '[]', '[5]', '[1 0 R 2 0 R]', '<< >>', '<< /A 4 0 R >>', 'null', 'true'].concat(
  Array.from({ length: 8 }, (_, i) => `${i + 1} 0 R`),
  '99999 0 R',
)

/** The files as text that fix-qdf can repair after a change. */
const sources = ['form.pdf', 'report.pdf'].map((name) => {
  const path = freshPath(name)
  run('qpdf', '--qdf', '--object-streams=disable', join(FIXTURES, name), path)
  return readFileSync(path, 'latin1')
})

const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...VALUES)), { minLength: 1, maxLength: 3 })
const broken = fc.tuple(fc.constantFrom(...sources), changes).map(([source, list]) => {
  let text = source
  for (const [at, value] of list) {
    const entries = [...text.matchAll(/^ *\/([A-Za-z]+) (.+)$/gm)]
    const entry = entries[at % entries.length] as RegExpExecArray
    // the old value is kept under another name, because it may continue on further lines
    const rest = text.slice(entry.index + entry[0].length)
    text = `${text.slice(0, entry.index)}/${entry[1]} ${value} /Was ${entry[2]}${rest}`
  }
  return runProgram('fix-qdf', [], { input: Buffer.from(text, 'latin1') }).stdout
})

for (const [name, work] of Object.entries(WORK))
  test(`${name}: entries of a wrong type`, async () => {
    let done = 0
    await fc.assert(
      fc.asyncProperty(broken, async (bytes) => {
        await succeedsOrRejects(async () => {
          const { pdf, to } = await opened(bytes)
          await work(pdf, to)
          expect(pagesOf(to).length).toBeGreaterThan(0)
          done++
        })
      }),
      runs(25),
    )
    // otherwise all of them would be rejected on opening
    expect(done).toBeGreaterThan(0)
  })

const page = (entries: string, ...more: string[]) =>
  handMade([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /Contents 4 0 R ${entries} >>`,
    stream('BT (a) Tj ET'),
    ...more,
  ]).content

const SIZE = '/MediaBox [0 0 512 368]'

test.each<[string, Uint8Array, [width: number, height: number]]>([
  ['resources of another type', page(`${SIZE} /Resources 7`), [512, 368]],
  ['resources that hold themselves', page(`${SIZE} /Resources 5 0 R`, '<< /Font 5 0 R /XObject 3 0 R >>'), [512, 368]],
  ['fonts of another type', page(`${SIZE} /Resources << /Font [] /XObject 3 /ExtGState (a) >>`), [512, 368]],
  ['annotations of another type', page(`${SIZE} /Annots 5`), [512, 368]],
  ['a turn that is none', page(`${SIZE} /Rotate (a)`), [512, 368]],
  ['a visible part that is none', page(`${SIZE} /CropBox [1 2 3]`), [512, 368]],
  ['a size that is none', page('/MediaBox [0 0 (a) 1]'), [612, 792]],
  ['no size', page(''), [612, 792]],
])('a page with %s is marked and compressed', async (_, bytes, [width, height]) => {
  for (const name of ['watermark', 'compress']) {
    const { pdf, to } = await opened(bytes)
    await WORK[name]?.(pdf, to)
    expect(isSound(to)).toBe(true)
    expect(pagesOf(to)).toEqual([{ width, height, rotation: 0 }])
  }
})
