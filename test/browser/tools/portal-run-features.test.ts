/** Results with features in a browser: the map and the table. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { mapOf, rowsOf, shown, smallFleetPages, textOf } from '../../support/browser/fleet-pages.ts'
import { pixelOf } from '../../support/browser/portal-data.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { eventually, until } from '../../support/until.ts'
import { HOSTILE, squares, threePoints } from '../../support/workers/run-results.ts'

const { instance, tools, device, openOwn, runPage } = smallFleetPages({ width: 1440, height: 1000 })

test('features are on a map and in a table, which select each other', async () => {
  const file = { name: `${HOSTILE}.geojson`, content: threePoints() }
  const run = await tools.run('/buffer', { file, target_format: 'geojson', distance_m: '5000' })
  const page = await runPage(run)
  await mapOf(page).waitFor()
  await rowsOf(page).nth(1).waitFor()
  await page.getByRole('gridcell', { name: '2024', exact: true }).waitFor()
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  await page.getByRole('button', { name: 'depth' }).click()
  await until(async () => /12/.test(await shown(rowsOf(page).first())))
  await rowsOf(page).nth(1).click()
  const panel = page.getByRole('region', { name: 'Feature 2' })
  await panel.waitFor()
  await eventually(async () => {
    expect(await shown(panel)).toContain('2024')
    expect(await rowsOf(page).nth(1).getAttribute('aria-selected')).toBe('true')
  })
  await page.getByRole('switch', { name: 'Show the input beneath' }).click()
  await page.waitForURL(/input=shown/)
  await panel.getByRole('button', { name: 'Close' }).click()
  // a click before the map has drawn the feature finds nothing
  await eventually(async () => {
    await page.mouse.click(...(await pixelOf(page, [31, 30])))
    await page.waitForURL(/feature=0/, { timeout: 2_000 })
  })
  const marked = page.locator('.table-row[aria-selected="true"]')
  await until(async () => (await shown(marked)).includes('<img src=x'))
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('region', { name: 'Feature 1' }).waitFor()
  const arabic = await runPage(run, { language: 'ar', theme: 'dark', width: 390 })
  await mapOf(arabic).waitFor()
  await eventually(async () => expect(await textOf(arabic)).toContain('عنصران'))
  await expectAccessible(arabic)
}, 300_000)

/** The share of the map that is clearly more blue than red: only features have such a colour. */
async function blueShare(page: Page): Promise<number> {
  const { data, info } = await sharp(await page.locator('.maplibregl-canvas').screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  let blue = 0
  for (let i = 0; i < data.length; i += 3) if ((data[i + 2] ?? 0) > (data[i] ?? 0) + 12) blue++
  return blue / (info.width * info.height)
}

const MEANS = [59.14488279758146, -30.568131311975343, 0.1234567890123456, 123456789012345.6]

/** How far the text of each number begins before its cell, in pixels: 0 if its first digits are in view. */
const CUT_AT_START = `[...document.querySelectorAll('.table-body [role="gridcell"].table-number')].map((cell) => {
  const text = document.createRange()
  text.selectNodeContents(cell)
  return Math.max(0, cell.getBoundingClientRect().left - text.getBoundingClientRect().left)
})`

test('a number that is too long for its column is rounded, cut at its end, and copied in full', async () => {
  const features = MEANS.map((mean, i) => ({
    type: 'Feature',
    properties: { mean },
    geometry: { type: 'Point', coordinates: [31 + i / 10, 30] },
  }))
  const content = JSON.stringify({ type: 'FeatureCollection', features })
  const file = { name: 'means.geojson', content }
  const run = await tools.run('/validate-convert', { file, target_format: 'geojson' })
  for (const view of [{}, { language: 'ar', width: 390 }, { language: 'ar', width: 768 }] as const) {
    const page = await runPage(run, view)
    await rowsOf(page)
      .nth(MEANS.length - 1)
      .waitFor()
    expect(await page.evaluate(CUT_AT_START)).toEqual(new Array(2 * MEANS.length).fill(0))
    const cell = rowsOf(page).first().getByRole('gridcell').last()
    // the digits of the number: rounded by the independent toPrecision
    const text = (await shown(cell)).replace(/[\u2066-\u2069]/g, '')
    if (!('language' in view)) expect(text).toBe(MEANS[0]?.toPrecision(8) ?? '')
    expect(await cell.getByTitle(String(MEANS[0])).count()).toBe(1)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.table-body data'))`)
    await page.keyboard.press('Control+c')
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(String(MEANS[0]))
  }
}, 300_000)

test('a hundred thousand features are drawn, sorted and found', async () => {
  const content = squares(100_000)
  const file = { name: 'plots.geojson', content }
  const run = await tools.run('/validate-convert', { file, target_format: 'geojson' })
  const page = await openOwn('/runs')
  await page.goto(`/portal/runs/${run.runId}`)
  await mapOf(page).waitFor()
  await eventually(async () => expect(await shown(page.locator('.table-count'))).toBe('100,000 features'))
  // the file covers at least a square of a third of the map
  await until(async () => (await blueShare(page)) > 0.2, 'the picture of the features')
  await eventually(async () => {
    await page.locator('.maplibregl-canvas').click()
    await page.waitForURL(/feature=\d+/, { timeout: 2_000 })
  })
  await page.locator('.result-feature').getByRole('button', { name: 'Close' }).click()
  await page.locator('.result-feature').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'number' }).click()
  await until(async () => (await shown(rowsOf(page).first())).includes('plot 0'), 'the first order')
  await page.getByRole('button', { name: 'number' }).click()
  await until(async () => (await shown(rowsOf(page).first())).includes('plot 99999'))
  await page.goto(`/portal/runs/${run.runId}?feature=54321`)
  await page.getByRole('region', { name: 'Feature 54,322' }).waitFor()
  await until(async () => (await shown(page.locator('.table-row[aria-selected="true"]'))).includes('plot 54321'))
}, 300_000)

test('features stay on the map in another theme and when it is moved, with the input beneath them', async () => {
  const plots = { name: 'plots.geojson', content: squares(400) }
  const run = await tools.run('/buffer', { file: plots, target_format: 'geojson', distance_m: '300' })
  const context = await device()
  await context.addCookies([{ name: 'gw_view', value: 'en.auto', url: `${instance.url()}/portal` }])
  const page = await context.newPage()
  await page.setViewportSize({ width: 1000, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await page.goto(`/portal/runs/${run.runId}`)
  await mapOf(page).waitFor()
  await until(async () => (await blueShare(page)) > 0.1, 'the picture of the features')
  const before = await blueShare(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await until(async () => Math.abs((await blueShare(page)) - before) < before / 4, 'the features in the dark theme')
  await page.locator('.maplibregl-ctrl-zoom-out').click()
  await until(async () => {
    const share = await blueShare(page)
    return share > 0 && share < before / 2
  }, 'the features from farther away')
  await page.getByRole('switch', { name: 'Show the input beneath' }).click()
  await page.waitForURL(/input=shown/)
  await page.locator('.maplibregl-canvas').click()
  await page.waitForURL(/feature=\d+/)
  expect(errors).toEqual([])
}, 240_000)
