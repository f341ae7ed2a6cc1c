/**
 * PDFs that other programs open in spite of damage, a password that only restricts changes, or a partly broken form.
 */
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshPath, isSound, pagesOf, qpdfMade, REPORT, run, textOf } from '../../../support/formats/pdfs.ts'
import { runProgram } from '../../../support/program.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

const plain = qpdfMade('--qdf', '--object-streams=disable', REPORT).content.toString('latin1')
const packed = qpdfMade('--object-streams=generate', REPORT).content.toString('latin1')
const truth = pagesOf(REPORT).map((_, i) => textOf(REPORT, i + 1))

const DAMAGED: Record<string, string> = {
  'a startxref that leads nowhere': plain.replace(/startxref\s+\d+/, 'startxref\n7'),
  'no startxref': plain.slice(0, plain.lastIndexOf('startxref')),
  'no end': plain.slice(0, -8),
  'offsets of an earlier version': plain.replace('\n', '\n% a line more\n'),
  'a wrong number of pages': plain.replace(/\/Count \d+/, '/Count 1000'),
  'pages without a type': plain.replaceAll('/Type /Page\n', '\n'),
  'a tree of pages without a type': plain.replaceAll('/Type /Pages\n', '\n'),
  'pages that are missing': plain.replace('/Kids [', '/Kids [ null 999 0 R'),
  'objects that do not end': plain.replace(/endobj\n/, '').replace(/endobj\n/, ''),
  'a stream whose length is another object': plain.replace(/\/Length \d+ 0 R/, '/Length 1 0 R'),
  'a stream of offsets that leads nowhere': packed.replace(/startxref\s+\d+/, 'startxref\n7'),
  'the first half only': plain.slice(0, plain.length / 2),
}

const opens = (path: string): boolean =>
  [0, 3].includes(runProgram('qpdf', [path, freshPath('native.pdf')]).status) ||
  runProgram('pdfinfo', [path]).status === 0

describe.each(Object.entries(DAMAGED))('%s', (_, text) => {
  const content = Buffer.from(text, 'latin1')
  const file = { name: 'a.pdf', content }
  const given = freshPath('given.pdf')
  writeFileSync(given, content)
  const isOpened = opens(given)

  test(
    isOpened ? 'is read as by qpdf and Poppler, with a warning' : 'is rejected, as by qpdf and Poppler',
    async () => {
      if (!isOpened) {
        const outcome = await runTool('document.split-pdf', { file, ranges: '1-' }).then(
          ({ warnings }) => warnings.join(),
          (error: { code?: string }) => error.code,
        )
        // pdf-lib may recover more pages, but never without a warning
        expect(outcome).toMatch(/INPUT_UNREADABLE|does not conform/)
        return
      }
      const { path, warnings } = await runTool('document.split-pdf', { file, ranges: '1-' })
      expect(isSound(path)).toBe(true)
      expect(pagesOf(path).map((_, i) => textOf(path, i + 1))).toEqual(truth)
      expect(warnings.join()).toContain('does not conform')
      const merged = await runTool('document.merge-pdf', { files: [file, file] })
      expect(merged.data).toMatchObject({ pageCount: 2 * truth.length })
      expect(pagesOf(merged.path).map((_, i) => textOf(merged.path, i + 1))).toEqual([...truth, ...truth])
      expect(merged.warnings.join()).toContain('does not conform')
      const images = await runTool('document.pdf-to-images', { file, dpi: '72' })
      expect(images.data).toMatchObject({ pageCount: truth.length })
    },
  )
})

describe('a file that opens without a password', () => {
  const form = readFileSync(join(FIXTURES, 'form.pdf'))
  const formPath = freshPath('form.pdf')
  writeFileSync(formPath, form)
  const owned = (path: string) => qpdfMade('--encrypt', '', 'owner', '256', '--modify=none', '--', path)

  test.each<[string, Record<string, unknown>]>([
    ['document.rotate-pages', { file: owned(REPORT), operations: { rotations: { 0: 90 } } }],
    ['document.merge-pdf', { files: [owned(REPORT), owned(REPORT)] }],
    ['document.compress-pdf', { file: owned(REPORT), quality: 'ebook' }],
    ['document.split-pdf', { file: owned(REPORT), ranges: '1' }],
    ['document.fill-pdf', { file: owned(formPath), values: {} }],
  ])('%s writes one without protection, and says so', async (tool, input) => {
    const { path, warnings } = await runTool(tool, input)
    expect(warnings.join()).toContain('protected')
    expect(isSound(path)).toBe(true)
    expect(run('qpdf', '--show-encryption', path)).toContain('not encrypted')
  })

  test('one that needs its password is rejected', async () => {
    const file = qpdfMade('--encrypt', 'user', 'owner', '256', '--', REPORT)
    expect(await refusal('document.split-pdf', { file, ranges: '1' })).toMatchObject({ rule: 'encrypted' })
  })
})

test('a part of a form with scripts', async () => {
  const pages = pagesOf(join(FIXTURES, 'form.pdf')).length
  const both = qpdfMade('--empty', '--pages', join(FIXTURES, 'form.pdf'), REPORT, '--')
  const text = run('qpdf', '--qdf', '--object-streams=disable', both.path, '-')
  const scripted = text.replace(
    '/Type /Catalog',
    '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> /Type /Catalog',
  )
  const path = freshPath('scripted.pdf')
  writeFileSync(path, scripted, 'latin1')
  const sound = freshPath('sound.pdf')
  // exit code 3 of qpdf: the offsets are wrong after the change
  expect(runProgram('qpdf', [path, sound]).status).toBe(3)
  const whole = { name: 'form.pdf', content: readFileSync(sound) }
  for (const ranges of ['1', '2-3', '1-']) {
    const { path: part, warnings } = await runTool('document.split-pdf', { file: whole, ranges })
    expect(isSound(part)).toBe(true)
    const expected = ranges === '1' ? 1 : ranges === '2-3' ? 2 : pages + truth.length
    expect(pagesOf(part)).toHaveLength(expected)
    expect(warnings.join()).toContain('JavaScript')
  }
})
