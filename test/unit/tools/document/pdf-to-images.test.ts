/** PDF to images, compared with Poppler's rendering. */
import { expect, test } from 'bun:test'
import { difference, rgba } from '../../../support/formats/images.ts'
import { freshPath, plainPdf, qpdfMade, REPORT, run } from '../../../support/formats/pdfs.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

async function pages(file: Parameters<typeof runTool>[1]['file'], dpi?: string) {
  const ran = await runTool('document.pdf-to-images', { file, ...(dpi && { dpi }) })
  const folder = freshPath('pages')
  run('unzip', '-q', ran.path, '-d', folder)
  const names = run('unzip', '-Z1', ran.path).trim().split('\n')
  return { ...ran, names, paths: names.map((name) => `${folder}/${name}`) }
}

test.each([['72'], ['150'], ['300']])('at %s dpi every page looks as in Poppler and has the same size', async (dpi) => {
  const { data, filename, names, paths } = await pages('report.pdf', dpi)
  expect({ data, filename, names }).toEqual({
    data: { pageCount: 3 },
    filename: 'report_pages.zip',
    names: ['report_1.png', 'report_2.png', 'report_3.png'],
  })
  for (const [i, path] of paths.entries()) {
    const theirs = freshPath('theirs')
    run('pdftoppm', '-png', '-r', dpi, '-f', i + 1, '-l', i + 1, '-singlefile', REPORT, theirs)
    const [mine, other] = [rgba(path), rgba(`${theirs}.png`)]
    expect(Math.abs(mine.width - other.width) + Math.abs(mine.height - other.height)).toBeLessThanOrEqual(2)
    const same = rgba(path, '-resize', `${other.width}x${other.height}!`)
    expect(difference(same, other).mean).toBeLessThan(1.5)
  }
})

test.each([
  ['A4', [595.276, 841.89], [2480, 3508]],
  ['a card', [242.65, 153.01], [1011, 638]],
] as const)('%s at 300 dpi has the nearest whole number of pixels', async (_, size, expected) => {
  const { paths } = await pages(plainPdf(['x'], size), '300')
  const { width, height } = rgba(paths[0] as string)
  expect([width, height]).toEqual([...expected])
})

test('the default is 150 dpi; a rotated page is rendered as displayed; page numbers sort', async () => {
  const { paths } = await pages(qpdfMade('--rotate=+90:1', REPORT))
  const { width, height } = rgba(paths[0] as string)
  // 842 by 595 points; half a pixel may be rounded either way
  expect([Math.abs(width - 1754), Math.abs(height - 1240)].every((off) => off <= 1)).toBe(true)
  const many = await pages(
    plainPdf(
      Array.from({ length: 11 }, (_, i) => `page ${i}`),
      [100, 100],
    ),
    '72',
  )
  expect(many.names).toEqual(Array.from({ length: 11 }, (_, i) => `plain_${String(i + 1).padStart(2, '0')}.png`))
})

test('rejects pages of 200 inches before rendering, naming the page', async () => {
  const file = plainPdf(['small', 'large'], [14_400, 14_400])
  expect(await refusal('document.pdf-to-images', { file, dpi: '72' })).toMatchObject({
    code: 'FILE_TOO_LARGE',
    field: 'file',
    rule: 'pixels',
    message: expect.stringContaining('page 1'),
  })
  expect(await refusal('document.pdf-to-images', { file: 'report.pdf', dpi: '96' })).toMatchObject({
    field: 'dpi',
    rule: 'enum',
  })
})
