/** Tables in Chromium: names of any length, wide and on a phone, in both languages. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../../support/browser/accessibility.ts'
import { fleetPages } from '../../support/browser/fleet-pages.ts'
import { sampleOf } from '../../support/rounds.ts'

const LONG = 'Pumpenstationsschlüssel'.repeat(9).slice(0, 200)

const { instance, fleet, openOwn } = fleetPages()
beforeAll(async () => {
  const sensor = fleet.addressOf('/sensors/:id')
  await instance.manage('PATCH', `${sensor}`, {
    channels: ['temperature', 'humidity', LONG].map((name) => ({ name, measurement: 'number', unit: 'm' })),
  })
  await instance.manage('POST', `${sensor}/keys`, { name: LONG })
  const application = fleet.addressOf('/settings/applications/:id')?.replace('/settings', '')
  await instance.manage('POST', `${application}/keys`, { name: LONG })
  await instance.manage('POST', '/operators/tokens', { name: LONG.slice(0, 100) })
}, 300_000)

const TABLES = ':is(.rows-on-phone, .values-on-phone)'
/** Query of a page with a table of readings or of a chart, which the page shows on request. */
const CHART_TABLE = '?range=24h'
const PAGES: [route: string, query: string, tables: number][] = [
  ['/sensors/:id', '?tab=readings&range=24h', 1],
  ['/sensors/:id', CHART_TABLE, 1],
  ['/sensors/:id', '?tab=settings', 1],
  ['/settings/applications/:id', '', 1],
  ['/settings/applications', '', 1],
  ['/settings/destinations', '', 1],
  ['/settings/destinations/:id', '', 1],
  ['/data/files/:id', '', 1],
  ['/operator/people', '?tab=operators', 1],
  ['/operator/people', '?tab=tokens', 1],
  ['/operator/health', '', 2],
  ['/operator/queues', '', 1],
]

/** Layout faults in the tables of the page. */
async function faultsOf(page: Page, isPhone: boolean): Promise<string[]> {
  const tables = page.locator(TABLES)
  return (
    await tables.evaluateAll((found, onPhone) => {
      const faults: string[] = []
      for (const table of found) {
        const name = table.getAttribute('aria-label')
        if (table.scrollWidth > table.clientWidth)
          faults.push(`${name} scrolls by ${table.scrollWidth - table.clientWidth}`)
        const box = table.getBoundingClientRect()
        for (const cell of table.querySelectorAll('tbody :is(th, td)')) {
          if (cell.textContent === '' && cell.childElementCount === 0) continue
          const inner = cell.getBoundingClientRect()
          if (inner.left < box.left - 1 || inner.right > box.right + 1)
            faults.push(`${name}: "${cell.textContent}" is cut`)
          if (cell.scrollWidth > cell.clientWidth + 1) faults.push(`${name}: "${cell.textContent}" does not fit`)
          const hasName = cell.hasAttribute('data-label') || cell.querySelector('button') !== null
          if (onPhone && cell.tagName === 'TD' && !hasName && cell !== cell.parentElement?.firstElementChild)
            faults.push(`${name}: "${cell.textContent}" has no name`)
        }
      }
      return faults
    }, isPhone)
  ).sort()
}

for (const language of sampleOf(['en', 'ar'] as const, 1))
  for (const [device, width] of [
    ['a phone', 390],
    ['a tablet', 820],
    ['a wide screen', 1440],
  ] as const)
    test(`${language}: tables fit into ${device} with names of 200 characters`, async () => {
      const page = await openOwn('/account', { language, width, height: 900 })
      const faults: Record<string, string[]> = {}
      for (const [route, query, tables] of sampleOf(PAGES, 4)) {
        await page.goto(`/portal${fleet.addressOf(route)}${query}`)
        if (query === CHART_TABLE) await page.locator('.chart > button').last().click()
        await page
          .locator(`${TABLES} tbody tr`)
          .nth(tables - 1)
          .waitFor()
        const found = await faultsOf(page, width < 720)
        if (width < 720) found.push(...(await accessibilityFaults(page)).map((fault) => JSON.stringify(fault)))
        if (found.length > 0) faults[route + query] = found
      }
      expect(faults).toEqual({})
    }, 300_000)

const LISTS = [
  '/sensors',
  '/tool-apis',
  '/data/layers',
  '/data/files',
  '/settings/audit',
  '/operator/enterprises',
  '/operator/people',
]

for (const language of sampleOf(['en', 'ar'] as const, 1))
  test(`${language}: lists fit into a phone`, async () => {
    const page = await openOwn('/', { language, theme: 'dark', width: 390, height: 900 })
    const tooWide: Record<string, number> = {}
    await page.locator('.overview-table tbody tr').first().waitFor()
    const overview = page.locator('.overview-table')
    expect(await overview.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    for (const route of sampleOf(LISTS, 4)) {
      await page.goto(`/portal${route}`)
      await page.locator('.table-body .table-row').first().waitFor()
      const by = await page
        .locator('.table-scroll')
        .evaluateAll((found) => Math.max(...found.map((one) => one.scrollWidth - one.clientWidth)))
      if (by > 0) tooWide[route] = by
    }
    expect(tooWide).toEqual({})
  }, 300_000)
