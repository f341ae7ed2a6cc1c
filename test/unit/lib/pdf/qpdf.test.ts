/** Side effects of qpdf in the process that it runs in. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '../../../../src/lib/input-error.ts'
import { openPdf } from '../../../../src/lib/pdf/structure/open-pdf.ts'
import { qpdfFor } from '../../../../src/lib/pdf/structure/qpdf.ts'
import { isSound, pagesOf, REPORT } from '../../../support/formats/pdfs.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-qpdf-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Files of the test that this process has open, including deleted ones. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(home) ? [path] : []
    } catch {
      // the file from which the folder was read
      return []
    }
  })

const report = readFileSync(REPORT)

test.each<[string, Buffer]>([
  ['cut after its head', report.subarray(0, 60)],
  ['without anything behind its head', Buffer.from('%PDF-1.7\n')],
])('a file %s is refused and not held open', async (_, bytes) => {
  const path = join(mkdtempSync(join(home, 'run-')), 'input')
  writeFileSync(path, bytes)
  await expect(openPdf(path, 100, 'change')).rejects.toThrow(InputError)
  expect(openFiles()).toEqual([])
})

test('a file that was read, and one that cannot be written, are closed', async () => {
  const path = join(mkdtempSync(join(home, 'run-')), 'input')
  writeFileSync(path, report)
  const pdf = await openPdf(path, 100, 'change')
  await pdf.write(['--rotate=+90:1'], join(path, '../out.pdf'))
  await expect(pdf.write(['--no-such-option'], join(path, '../out.pdf'))).rejects.toThrow(InputError)
  await expect(pdf.write([], join(path, '../no/such/folder.pdf'))).rejects.toThrow(InputError)
  expect(openFiles()).toEqual([])
})

test('hundreds of runs with many words each leave enough memory for later ones', async () => {
  const folder = mkdtempSync(join(home, 'run-'))
  const path = join(folder, 'input')
  writeFileSync(path, report)
  const pages = pagesOf(REPORT).length
  for (let i = 0; i < 1_500; i++) {
    const qpdf = qpdfFor(folder)
    const words = Array.from({ length: 20 }, () => '--suppress-recovery')
    expect((await qpdf.run(['--show-npages', ...words, qpdf.at(path)])).output).toBe(`${pages}\n`)
  }
  const qpdf = qpdfFor(folder)
  const to = join(folder, 'out.pdf')
  const parts = Array.from({ length: 200 }, () => [qpdf.at(path), '1-z']).flat()
  expect(await qpdf.run([qpdf.at(path), '--pages', ...parts, '--', qpdf.at(to)])).toEqual({
    code: 0,
    output: '',
    errors: '',
  })
  expect(isSound(to)).toBe(true)
  expect(pagesOf(to)).toHaveLength(200 * pages)
})
