/** Units on pages of tools, in both languages: Arabic pages have the Arabic abbreviations. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type RunPages, runPages, textOf } from './support/run-pages.ts'
import { eventually } from './support/until.ts'

let pages: RunPages
beforeAll(async () => {
  pages = await runPages()
}, 300_000)
afterAll(() => pages?.remove())

const withoutMarks = (text: string): string => text.replaceAll(/[\u2066-\u2069]/g, '')

for (const [language, metres, bound] of [
  ['en', '25 m', '100,000 m'],
  ['ar', '25 م', '100,000 م'],
] as const)
  test(`${language}: the units of a result and of a form`, async () => {
    const run = await pages.tools.run('/buffer', { file: 'stations.geojson', distance_m: 25, target_format: 'geojson' })
    const page = await pages.runPage(run, { language })
    await eventually(async () => expect(withoutMarks(await textOf(page))).toMatch(new RegExp(`${metres}(\\s|$)`)))
    expect(await textOf(page)).not.toMatch(/\bnull\b/)
    await page.goto('/portal/tools/vector.buffer')
    await eventually(async () => expect(withoutMarks(await textOf(page))).toMatch(new RegExp(`${bound}(\\s|$)`)))
    await page.context().close()
  }, 300_000)

test('on Arabic pages plans and tiers have Arabic names', async () => {
  const page = await pages.open('/operator/people', { language: 'ar' })
  await page.locator('.table-row', { hasText: 'nour@example.org' }).getByText('الاحترافية').waitFor()
  await page.goto(`/portal/operator/enterprises/${pages.fleet.enterpriseId}`)
  await page.locator('option', { hasText: 'الأعمال' }).waitFor({ state: 'attached' })
  await page.context().close()
}, 300_000)
