/** Rotate and delete pages, read back by Poppler and qpdf. */
import { describe, expect, test } from 'bun:test'
import { isSound, outlineOf, pagesOf, plainPdf, qpdfMade, REPORT, run, textOf } from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const edit = (operations: object, file: Parameters<typeof runTool>[1]['file'] = 'report.pdf') =>
  runTool('document.rotate-pages', { file, operations })

test('rotates pages clockwise from their current orientation and keeps the others', async () => {
  const turned = qpdfMade('--rotate=+90:2', REPORT)
  const { data, path, filename } = await edit({ rotations: { 0: 90, 1: 270, 2: 180 } }, turned)
  expect({ data, filename }).toEqual({
    data: { pageCount: 3, rotatedCount: 3, deletedCount: 0 },
    filename: 'made_edited.pdf',
  })
  expect(pagesOf(path).map(({ rotation }) => rotation)).toEqual([90, 0, 180])
  expect(isSound(path)).toBe(true)
})

test('deletes pages and rotates the right ones, numbered before the deletion', async () => {
  const file = plainPdf(Array.from({ length: 12 }, (_, i) => `page ${i}`))
  const { data, path } = await edit({ rotations: { 3: 90, 4: 90, 7: 180, 5: 270 }, delete: [0, 5, 11] }, file)
  expect(data).toEqual({ pageCount: 9, rotatedCount: 3, deletedCount: 3 })
  const kept = [1, 2, 3, 4, 6, 7, 8, 9, 10]
  expect(kept.map((_, i) => textOf(path, i + 1))).toEqual(kept.map((page) => `page ${page}`))
  expect(pagesOf(path).map(({ rotation }) => rotation)).toEqual([0, 0, 90, 90, 0, 180, 0, 0, 0])
})

test('keeps outline, links and metadata', async () => {
  const { path } = await edit({ rotations: { 2: 90 } })
  expect(outlineOf(path)).toEqual(outlineOf(REPORT))
  expect(run('pdfinfo', path)).toContain('Field report')
  expect(run('qpdf', '--qdf', '--object-streams=disable', path, '-')).toContain('/Subtype /Link')
  const { path: shorter } = await edit({ delete: [1] })
  expect(outlineOf(shorter).filter(({ page }) => page !== null)).toEqual([
    { title: 'Summary', page: 1 },
    { title: 'Sites', page: 2 },
  ])
})

describe('rejects', () => {
  test.each([
    ['nothing to do', {}, 'operations', 'operations'],
    ['empty operations', { rotations: {}, delete: [] }, 'operations', 'operations'],
    ['all pages', { delete: [0, 1, 2] }, 'operations', 'delete'],
    ['a page that does not exist', { rotations: { 3: 90 } }, 'operations', 'range'],
    ['a page to delete that does not exist', { delete: [9999] }, 'operations', 'range'],
    ['45 degrees', { rotations: { 0: 45 } }, 'operations.rotations.0', undefined],
    ['360 degrees', { rotations: { 0: 360 } }, 'operations.rotations.0', 'maximum'],
    ['a page of -1', { delete: [-1] }, 'operations.delete.0', 'minimum'],
    ['a page that is not a number', { rotations: { a: 90 } }, 'operations.rotations.a', 'additionalProperties'],
    ['a page twice', { delete: [1, 1] }, 'operations.delete', 'uniqueItems'],
    ['an unknown operation', { turn: 1 }, 'operations.turn', 'additionalProperties'],
  ])('%s', async (_what, operations, field, rule) => {
    const refused = await refusal('document.rotate-pages', { file: 'report.pdf', operations })
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', field, ...(rule && { rule }) })
  })

  test('rejects a file that is not a PDF, cannot be repaired, or is encrypted', async () => {
    const operations = { rotations: { 0: 90 } }
    const refuse = (name: string, content: string | Uint8Array) =>
      refusal('document.rotate-pages', { file: { name, content }, operations })
    expect(await refuse('a.pdf', 'PK\u0003\u0004'.padEnd(2000))).toMatchObject({
      code: 'INPUT_UNREADABLE',
      field: 'file',
      rule: 'format',
    })
    expect(await refuse('a.pdf', '%PDF-1.7\nnothing else')).toMatchObject({
      code: 'INPUT_UNREADABLE',
      rule: 'unreadable',
    })
    const locked = qpdfMade('--encrypt', 'user', 'owner', 256, '--', REPORT)
    expect(await refuse('a.pdf', locked.content)).toMatchObject({
      code: 'INPUT_UNREADABLE',
      rule: 'encrypted',
      message: expect.stringContaining('password'),
    })
  })

  test('rejects a page tree with a loop, and too many pages', async () => {
    const { content } = plainPdf(['one', 'two'])
    const loop = content.toString('latin1').replace('/Kids [4 0 R 6 0 R]', '/Kids [4 0 R 2 0 R]')
    const file = { name: 'loop.pdf', content: Buffer.from(loop, 'latin1') }
    const outcome = await refusal('document.rotate-pages', { file, operations: { rotations: { 0: 90 } } }).catch(
      (error: Error) => error.message,
    )
    // a damaged tree may be repaired, but must never loop forever
    expect(typeof outcome === 'string' ? outcome : outcome.code).toMatch(/took it|INPUT_UNREADABLE/)
    const long = plainPdf(Array.from({ length: 2_001 }, () => 'x'))
    expect(await refusal('document.rotate-pages', { file: long, operations: { rotations: { 0: 90 } } })).toMatchObject({
      code: 'FILE_TOO_LARGE',
      field: 'file',
      rule: 'pages',
    })
  })
})
