/** Results of tools in a browser: what each kind looks like, and the list of runs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { buildPortal } from '../src/setup/build-portal.ts'
import { accessibilityFaults } from './support/accessibility.ts'
import { SOFTWARE_WEBGL, startBrowser, type View, visitor } from './support/browser.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { pixelOf } from './support/portal-data.ts'
import { type PortalFleet, portalFleet } from './support/portal-fleet.ts'
import {
  clipOf,
  darkPixelsOf,
  fixture,
  HOSTILE,
  type MadeRun,
  runTools,
  squares,
  threePoints,
  widthsOf,
} from './support/run-results.ts'
import { memberAccount } from './support/sessions.ts'
import { GIS } from './support/tools.ts'
import { eventually, until } from './support/until.ts'

let instance: Instance
let fleet: PortalFleet
let browser: Browser
let tools: ReturnType<typeof runTools>

beforeAll(async () => {
  await buildPortal()
  instance = await createInstance()
  fleet = await portalFleet(instance)
  tools = runTools(instance.url, fleet)
  browser = await startBrowser(SOFTWARE_WEBGL)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
})

async function open(address: string, view: View = {}): Promise<Page> {
  const context = await visitor(browser, instance.url(), { width: 1440, height: 1000, ...view })
  await context.addCookies([fleet.cookie])
  const page = await context.newPage()
  await page.goto(`/portal${address}`)
  return page
}
const runPage = (run: MadeRun, view: View = {}): Promise<Page> => open(`/runs/${run.runId}`, view)
const shown = async (found: Locator): Promise<string> => (await found.allInnerTexts()).join('\n')
const text = (page: Page): Promise<string> => shown(page.locator('main'))

const mapped = (page: Page) => page.locator('.result-features[data-drawn="true"]')
const body = (page: Page) => page.locator('.table-body > .table-row')

test('features are on a map and in a table, which select each other', async () => {
  const file = { name: `${HOSTILE}.geojson`, content: threePoints() }
  const run = await tools.run('/buffer', { file, target_format: 'geojson', distance_m: '5000' })
  const page = await runPage(run)
  await mapped(page).waitFor()
  await body(page).nth(1).waitFor()
  await page.getByRole('gridcell', { name: '2024', exact: true }).waitFor()
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  await page.getByRole('button', { name: 'depth' }).click()
  await until(async () => /12/.test(await shown(body(page).first())))
  await body(page).nth(1).click()
  const panel = page.getByRole('region', { name: 'Feature 2' })
  await panel.waitFor()
  await eventually(async () => {
    expect(await shown(panel)).toContain('2024')
    expect(await body(page).nth(1).getAttribute('aria-selected')).toBe('true')
  })
  await page.getByRole('switch', { name: 'Show the input beneath' }).click()
  await page.waitForURL(/input=shown/)
  await panel.getByRole('button', { name: 'Close' }).click()
  await page.mouse.click(...(await pixelOf(page, [31, 30])))
  await page.waitForURL(/feature=0/)
  const marked = page.locator('.table-row[aria-selected="true"]')
  await until(async () => (await shown(marked)).includes('<img src=x'))
  expect(await accessibilityFaults(page)).toEqual([])
  await page.reload()
  await page.getByRole('region', { name: 'Feature 1' }).waitFor()
  const arabic = await runPage(run, { language: 'ar', theme: 'dark', width: 390 })
  await mapped(arabic).waitFor()
  await eventually(async () => expect(await text(arabic)).toContain('معلمان'))
  expect(await accessibilityFaults(arabic)).toEqual([])
}, 300_000)

/** How much of the map has a colour that is clearly more blue than red: the features, and nothing else of the map. */
async function blueShare(page: Page): Promise<number> {
  const { data, info } = await sharp(await page.locator('.maplibregl-canvas').screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  let blue = 0
  for (let i = 0; i < data.length; i += 3) if ((data[i + 2] ?? 0) > (data[i] ?? 0) + 12) blue++
  return blue / (info.width * info.height)
}

test('a hundred thousand features are drawn, sorted and found', async () => {
  const content = squares(100_000)
  const file = { name: 'plots.geojson', content }
  const run = await tools.run('/validate-convert', { file, target_format: 'geojson' })
  const page = await open('/runs')
  await page.goto(`/portal/runs/${run.runId}`)
  await mapped(page).waitFor()
  await eventually(async () => expect(await shown(page.locator('.table-count'))).toBe('100,000 features'))
  // the file covers a square of a third of the map at least
  await until(async () => (await blueShare(page)) > 0.2, 'the picture of the features')
  await page.locator('.maplibregl-canvas').click()
  await page.waitForURL(/feature=\d+/)
  await page.locator('.result-feature').getByRole('button', { name: 'Close' }).click()
  await page.locator('.result-feature').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'number' }).click()
  await until(async () => (await shown(body(page).first())).includes('plot 0'), 'the first order')
  await page.getByRole('button', { name: 'number' }).click()
  await until(async () => (await shown(body(page).first())).includes('plot 99999'))
  await page.goto(`/portal/runs/${run.runId}?feature=54321`)
  await page.getByRole('region', { name: 'Feature 54,322' }).waitFor()
  await until(async () => (await shown(page.locator('.table-row[aria-selected="true"]'))).includes('plot 54321'))
}, 300_000)

test('features stay on the map in another theme, when it is moved, and with what went in beneath them', async () => {
  const plots = { name: 'plots.geojson', content: squares(400) }
  const run = await tools.run('/buffer', { file: plots, target_format: 'geojson', distance_m: '300' })
  const context = await visitor(browser, instance.url(), { width: 1000, height: 800 })
  await context.addCookies([fleet.cookie, { name: 'gw_view', value: 'en.auto', url: `${instance.url()}/portal` }])
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await page.goto(`/portal/runs/${run.runId}`)
  await mapped(page).waitFor()
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
  await context.close()
}, 240_000)

test('pictures have a slider between before and after, which the keyboard moves', async () => {
  const run = await tools.run('/enhance-quality', { file: 'dull.jpg' })
  const page = await runPage(run)
  const slider = page.getByRole('slider', { name: 'Compare before and after' })
  await slider.focus()
  for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowRight')
  await eventually(async () => {
    expect(await slider.inputValue()).toBe('60')
    const clip = await page.locator('.result-picture-before').evaluate(clipOf)
    expect(clip).toContain('40%')
    const widths = await page.locator('.result-picture-frame img').evaluateAll(widthsOf)
    expect(widths.length).toBe(2)
    for (const width of widths) expect(width).toBeGreaterThan(0)
  })
  await page.getByRole('switch', { name: 'Actual size (1:1)' }).click()
  expect(await accessibilityFaults(page)).toEqual([])
}, 300_000)

test('a raster is a picture with the value under the pointer, and has its place on the map', async () => {
  const run = await tools.run('/hillshade', { file: 'dem.tif' })
  const page = await runPage(run, { language: 'ar' })
  const canvas = page.locator('.result-canvas')
  await canvas.waitFor()
  const box = await canvas.boundingBox()
  if (box === null) throw new Error('the picture has no place')
  await until(async () => {
    // the values may be there later than the picture
    await page.mouse.move(box.x + box.width / 2 + (Date.now() % 5), box.y + box.height / 2)
    return /: .*\d/.test(await shown(page.locator('.result-cell')))
  }, 'the value under the pointer')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('tab', { name: 'على الخريطة' }).click()
  await page.locator('.map[data-ready="true"]').waitFor()
}, 300_000)

test('the pages of a PDF are drawn as they come into view, and their text can be selected', async () => {
  const run = await tools.run('/rotate-pages', { file: 'report.pdf', operations: { rotations: { 0: 90 } } })
  const page = await runPage(run)
  const failures: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|unsafe-eval/.test(message.text())) failures.push(message.text())
  })
  await page.reload()
  await page.locator('.result-page[data-state="drawn"]').first().waitFor()
  await until(
    async () => (await shown(page.locator('.result-page-text').first())).trim().length > 10,
    'the text of the page',
  )
  await page.getByRole('button', { name: 'Next page' }).click()
  await until(async () => /Page 2 of/.test(await shown(page.locator('.result-pdf [role="status"]'))))
  await page.getByRole('button', { name: 'Larger' }).click()
  await until(async () => (await page.locator('.result-page[data-state="drawn"] canvas').count()) > 0)
  await eventually(async () =>
    expect(await page.locator('.result-page canvas').first().evaluate(darkPixelsOf)).toBeGreaterThan(20),
  )
  expect(failures).toEqual([])
  expect(await accessibilityFaults(page)).toEqual([])
}, 300_000)

test('figures, tables, archives and documents', async () => {
  const figures = await tools.run(
    '/convert-coordinates',
    { from_format: 'dd', points: [{ lon: 13.405, lat: 52.52 }] },
    true,
  )
  const page = await runPage(figures)
  await page.getByRole('region', { name: 'Figures' }).waitFor()
  await eventually(async () => expect(await text(page)).toContain('13°24'))
  expect(await accessibilityFaults(page)).toEqual([])

  const table = await tools.run('/transform-crs/csv', {
    ...{ file: 'cities.csv', source_crs: 'EPSG:4326', target_crs: 'EPSG:3857' },
  })
  await page.goto(`/portal/runs/${table.runId}`)
  await page.locator('.result-cells td').first().waitFor()
  const head = fixture('cities.csv').toString().split(/\r?\n/)[0]?.split(',')[0] ?? ''
  await eventually(async () => expect(await shown(page.locator('.result-cells th').first())).toContain(head))

  const zip = await tools.run('/pdf-to-images', { file: 'report.pdf', dpi: '72' })
  await page.goto(`/portal/runs/${zip.runId}`)
  await page.locator('.result-zip td').first().waitFor()
  await page.locator('.result-zip tbody tr').nth(1).waitFor()

  const word = await tools.run('/pdf-to-word', { file: 'report.pdf' })
  await page.goto(`/portal/runs/${word.runId}`)
  await page.getByText('Browsers do not show files of the format').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).first().click()
  const saved = await download
  expect(saved.suggestedFilename()).toBe(String(word.data.outputFilename))
  expect(
    readFileSync(await saved.path())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK')

  const vector = await tools.run('/centroids', { file: 'districts.geojson', target_format: 'gpkg' })
  await page.goto(`/portal/runs/${vector.runId}`)
  const convert = page.getByRole('link', { name: 'Convert to GeoJSON to see it on the map' })
  await eventually(async () => expect(await convert.getAttribute('href')).toContain(`input=${vector.key}`))
}, 300_000)

const storedAt = (key: string): string => join(instance.dir, 'files', key.slice(-2), key)

test('a damaged, deleted or foreign result says so', async () => {
  const pdf = await tools.run('/rotate-pages', { file: 'report.pdf', operations: { rotations: { 0: 90 } } })
  writeFileSync(storedAt(pdf.key as string), 'no PDF at all')
  const page = await runPage(pdf)
  await page.getByText('its content is damaged').waitFor()
  const raster = await tools.run('/hillshade', { file: 'dem.tif' })
  writeFileSync(storedAt(raster.key as string), Buffer.alloc(5_000, 7))
  await page.goto(`/portal/runs/${raster.runId}`)
  await page.getByText('its content is damaged').waitFor()
  const points = await tools.run('/centroids', { file: 'districts.geojson', target_format: 'geojson' })
  await tools.call('DELETE', `${GIS}/files/${points.key}`)
  await page.goto(`/portal/runs/${points.runId}`)
  await page.getByText('was deleted, or its days of storage are over').waitFor()

  const failed = await tools.call('POST', `${GIS}/convert-coordinates`, { from_format: 'dd', points: [] })
  expect(failed.statusCode).toBe(422)
  const broken = new FormData()
  broken.set('file', new File(['{"type":"Nothing"}'], 'broken.geojson'))
  broken.set('target_format', 'geojson')
  const refused = await tools.call('POST', `${GIS}/centroids`, broken)
  const { items } = (await tools.call('GET', `${GIS}/runs?limit=1`)).data as { items: { runId: string }[] }
  await page.goto(`/portal/runs/${items[0]?.runId}`)
  await page.getByRole('heading', { name: 'The run failed' }).waitFor()
  await eventually(async () => expect(await text(page)).toContain(refused.message.replace('file: ', '')))
  await page.getByRole('button', { name: 'Copy request id' }).waitFor()

  const other = await instance.organization()
  const foreign = await fetch(`${instance.url()}${GIS}/runs?limit=1`, {
    headers: { 'x-api-key': other.publicKey, 'x-api-secret': other.secretKey },
  })
  expect(((await foreign.json()) as { data: { items: unknown[] } }).data.items).toEqual([])
  await page.goto('/portal/runs/run_00000000000000000000000000000000')
  await page.getByText('This does not exist').waitFor()
}, 300_000)

test('the list: filters in the address, a name, the keyboard, deleting results', async () => {
  const page = await open('/runs')
  await body(page).first().waitFor()
  await body(page).nth(5).waitFor()
  const count = await body(page).count()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('combobox', { name: 'Tool' }).selectOption('raster.hillshade')
  await page.waitForURL(/tool=raster.hillshade/)
  await until(async () => (await body(page).count()) === 2)
  await page.getByRole('link', { name: 'Failed' }).click()
  await page.getByText('No run matches').waitFor()
  await page.getByRole('link', { name: 'Show all runs' }).click()
  await until(async () => (await body(page).count()) === count)
  await page.getByRole('link', { name: 'Failed' }).click()
  await until(async () => (await body(page).count()) === 1)
  await page.goto('/portal/runs?tool=image.enhance-quality')
  await until(async () => (await body(page).count()) === 1)
  await body(page).first().click()
  await page.getByRole('button', { name: 'Name this result' }).click()
  await page.getByRole('textbox', { name: 'Name of the result' }).fill(`Roof ${HOSTILE}`)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^Roof <img/ }).waitFor()
  await page.goto('/portal/runs?named=yes')
  await until(async () => (await body(page).count()) === 1)
  await eventually(async () => expect(await shown(body(page).first())).toContain('Roof <img'))
  await page.getByRole('searchbox').fill('nothing is named so')
  await page.getByText('No run matches').waitFor()

  await page.goto('/portal/runs?tool=document.pdf-to-word')
  await until(async () => (await body(page).count()) === 1)
  await body(page).first().getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Delete results' }).click()
  await page.getByRole('button', { name: 'Delete 1 file' }).click()
  await page.getByText('1 file was deleted').waitFor()
  await body(page).first().click()
  await page.getByText('was deleted, or its days of storage are over').waitFor()
  const arabic = await open('/runs', { language: 'ar', theme: 'dark', width: 390 })
  await body(arabic).first().waitFor()
  expect(await accessibilityFaults(arabic)).toEqual([])
}, 300_000)

test('jobs appear by themselves, and a member whose role was removed is refused in a stale tab', async () => {
  const account = await memberAccount(instance, fleet.enterpriseId, 'member')
  const context = await visitor(browser, instance.url(), {})
  const cookie = { ...fleet.cookie, value: account.browser.cookieValue() }
  await context.addCookies([cookie])
  const page = await context.newPage()
  await page.goto(`/portal/runs`)
  await page.getByText('No tool has been run yet').waitFor()
  const own = runTools(instance.url, { cookie, enterpriseId: fleet.enterpriseId })
  const form = new FormData()
  form.set('file', new File([squares(2_000)], 'plots.geojson'))
  form.set('target_format', 'geojson')
  const accepted = await own.call('POST', `${GIS}/centroids`, form, { prefer: 'respond-async' })
  expect(accepted.statusCode).toBe(202)
  await until(async () => (await body(page).count()) === 1 && (await shown(body(page))).includes('Successful'))
  await page.goto(`/portal/runs/${accepted.data.jobID}`)
  await page.waitForURL(/\/runs\/run_/)
  await mapped(page).waitFor()
  await instance.manage('DELETE', `/members/${account.memberIds[fleet.enterpriseId]}`)
  const downloads: string[] = []
  page.on('download', (download) => downloads.push(download.suggestedFilename()))
  await page.getByRole('button', { name: 'Download' }).first().click()
  await page.locator('.toast').waitFor()
  expect(downloads).toEqual([])
}, 300_000)
