/** Pages whose layout misleads recognition, compared with their true text. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { run } from '../../support/formats/pdfs.ts'
import { FACES } from '../../support/formats/scanned-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import { runTool } from '../../support/workers/engine.ts'

const fileOf = (name: string) => ({
  name,
  content: readFileSync(join(import.meta.dir, '../../fixtures/field-cases', name)),
})
type Facts = { turn: number }
const turnOf = (data: Record<string, unknown>): number | undefined => (data.pages as Facts[])[0]?.turn

test('an upright list stays upright, with each bullet beside its line', async () => {
  const { data, path } = await runTool('document.ocr', { file: fileOf('151-list.png'), result: 'pdf' })
  expect(turnOf(data)).toBe(0)
  const lines = run('pdftotext', '-layout', path, '-')
    .split('\n')
    .map((line) => line.trim())
  const found = Array.from({ length: 30 }, (_, i) => `Item ${i}`).filter((item) => lines.includes(item))
  expect(found.length).toBeGreaterThanOrEqual(28)
})

// both directions take a minute on a busy machine
test.each(sampleOf([90, 270], 1))('the same list on its side is turned: %p', async (degrees) => {
  const { content } = fileOf('151-list.png')
  const file = { name: 'list.png', content: await sharp(content).rotate(degrees).png().toBuffer() }
  const { data } = await runTool('document.ocr', { file })
  expect(turnOf(data)).toBe(360 - degrees)
  expect(String(data.text)).toContain('Item 17')
})

test('light text on a dark page', async () => {
  const { data } = await runTool('document.ocr', { file: fileOf('153-white-on-black.png') })
  const lines = String(data.text)
    .split('\n')
    .filter((line) => line !== '')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toStartWith('The quick brown fox')
  expect(lines[3]).toStartWith('Contact: info@example.org')
})

test('the columns of a skewed page are read one after the other', async () => {
  const lines = (word: string): string => Array.from({ length: 12 }, (_, i) => `${word} ${i + 10}`).join('\n')
  const columns = await Promise.all(
    ['Left', 'Right'].map(async (word, i) => {
      const given = { text: { text: lines(word), ...FACES.latin, font: `${FACES.latin.font} 11`, dpi: 200 } }
      const input = await sharp(given).extractChannel(0).negate().png().toBuffer()
      return { input, left: 200 + 500 * i, top: 150 }
    }),
  )
  const paper = { width: 1_200, height: 900, channels: 3, background: '#ffffff' } as const
  const page = await sharp({ create: paper }).composite(columns).png().toBuffer()
  const content = await sharp(page).rotate(4, { background: '#ffffff' }).greyscale().png().toBuffer()
  const { data } = await runTool('document.ocr', { file: { name: 'columns.png', content } })
  expect(turnOf(data)).toBeWithin(355.5, 356.5)
  expect(String(data.text).split(/\n+/)).toEqual([...lines('Left').split('\n'), ...lines('Right').split('\n')])
})
