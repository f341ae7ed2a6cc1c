/** Results of tools in a browser: the view of each kind, and the list of runs. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { boxOf, saved, startBrowser, visitor } from '../../support/browser/browser.ts'
import { mapOf, rowsOf, shown, smallFleetPages, textOf } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { plainPdf } from '../../support/formats/pdfs.ts'
import { memberAccount } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'
import {
  clipOf,
  darkPixelsOf,
  fixture,
  HOSTILE,
  runTools,
  squares,
  widthsOf,
} from '../../support/workers/run-results.ts'
import { GIS } from '../../support/workers/tools.ts'

const { instance, fleet, tools, open, openOwn, runPage } = smallFleetPages({ width: 1440, height: 1000 })

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
  // the divider follows the pointer, and the slider is as wide as the picture
  const frame = await boxOf(page.locator('.result-picture-frame'))
  expect(Math.abs(((await slider.boundingBox())?.width ?? 0) - frame.width)).toBeLessThan(2)
  await page.mouse.move(frame.x + frame.width * 0.8, frame.y + 20)
  await page.mouse.down()
  await page.mouse.move(frame.x + frame.width * 0.25, frame.y + 30, { steps: 3 })
  await page.mouse.up()
  await eventually(async () => expect(await slider.inputValue()).toBe('25'))
  await page.getByRole('switch', { name: 'Actual size (1:1)' }).click()
  await expectAccessible(page)
}, 300_000)

test('a raster is shown as a picture with the value under the pointer, and on the map at its location', async () => {
  const run = await tools.run('/hillshade', { file: 'dem.tif' })
  const page = await runPage(run, { language: 'ar' })
  const canvas = page.locator('.result-canvas')
  await canvas.waitFor()
  const box = await boxOf(canvas)
  await until(async () => {
    // the values may be loaded later than the picture
    await page.mouse.move(box.x + box.width / 2 + (Date.now() % 5), box.y + box.height / 2)
    return /: .*\d/.test(await shown(page.locator('.result-cell')))
  }, 'the value under the pointer')
  await expectAccessible(page)
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
  await expectAccessible(page)
}, 300_000)

test('a failed download of a PDF is repeated, and scrolling can stop at any height of a page', async () => {
  const file = plainPdf(['The only page', 'This one is deleted'], [800, 674])
  const run = await tools.run('/rotate-pages', { file, operations: { delete: [1] } })
  const browser = await startBrowser(undefined, ['--hide-scrollbars'])
  const context = await visitor(browser, instance.url(), { language: 'ar', width: 1440, height: 900 })
  await context.addCookies([fleet.cookie])
  const page = await context.newPage()
  let isLost = true
  await page.route('**/gis/files/**', (route) => (isLost ? route.abort() : route.continue()))
  await page.goto(`/portal/runs/${run.runId}`)
  await page.locator('.result .failure').waitFor()
  expect(await textOf(page)).not.toContain('تالف')
  isLost = false
  await page.locator('.result-page[data-state="drawn"]').waitFor()
  // a scroll bar that takes width from the page, which then needs no scroll bar
  const widths = new Set<number>()
  for (const endMs = Date.now() + 2_000; Date.now() < endMs; )
    widths.add((await page.locator('.result-page').boundingBox())?.width ?? 0)
  expect([...widths]).toHaveLength(1)
  expect(await page.locator('.result-page canvas').evaluate(darkPixelsOf)).toBeGreaterThan(20)
  await browser.close()
}, 300_000)

test('shows figures, tables, archives and documents', async () => {
  const figures = await tools.run(
    '/convert-coordinates',
    { from_format: 'dd', points: [{ lon: 13.405, lat: 52.52 }] },
    true,
  )
  const page = await runPage(figures)
  await page.getByRole('region', { name: 'Figures' }).waitFor()
  await eventually(async () => expect(await textOf(page)).toContain('13°24'))
  await expectAccessible(page)

  const table = await tools.run('/transform-crs/csv', {
    file: 'cities.csv',
    source_crs: 'EPSG:4326',
    target_crs: 'EPSG:3857',
  })
  await page.goto(`/portal/runs/${table.runId}`)
  await page.locator('.result-cells td').first().waitFor()
  const head = fixture('cities.csv').toString().split(/\r?\n/)[0]?.split(',')[0] ?? ''
  await eventually(async () => expect(await shown(page.locator('.result-cells th').first())).toContain(head))

  // numbers in a list with commas have no thousands separators
  const box = await tools.run('/raster-inspect', { file: 'dem.tif' })
  await page.goto(`/portal/runs/${box.runId}`)
  await eventually(async () =>
    expect((await textOf(page)).replaceAll(/[\u2066-\u2069]/g, '')).toContain('390000, 5817300, 393600, 5820000'),
  )
  // the statistics of a band stand below each other, where no edge cuts a number
  expect(await page.locator('.result-figures dt', { hasText: /^Mean$/ }).count()).toBe(1)
  expect(await page.locator('.result-figures .result-cells').count()).toBe(0)

  const zip = await tools.run('/pdf-to-images', { file: 'report.pdf', dpi: '72' })
  await page.goto(`/portal/runs/${zip.runId}`)
  await page.locator('.result-zip td').first().waitFor()
  await page.locator('.result-zip tbody tr').nth(1).waitFor()

  const word = await tools.run('/pdf-to-word', { file: 'report.pdf' })
  await page.goto(`/portal/runs/${word.runId}`)
  await page.getByText('Browsers do not show files of the format').waitFor()
  const { name, text } = await saved(page.getByRole('button', { name: 'Download' }).first())
  expect([name, text.slice(0, 2)]).toEqual([String(word.data.outputFilename), 'PK'])

  const vector = await tools.run('/centroids', { file: 'districts.geojson', target_format: 'gpkg' })
  await page.goto(`/portal/runs/${vector.runId}`)
  const convert = page.getByRole('link', { name: 'Convert to GeoJSON to see it on the map' })
  await eventually(async () => expect(await convert.getAttribute('href')).toContain(`input=${vector.key}`))
}, 300_000)

const storedAt = (key: string): string => join(instance.dir, 'files', key.slice(-2), key)

test('a damaged, deleted or foreign result is explained', async () => {
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
  await eventually(async () => expect(await textOf(page)).toContain(refused.message.replace('file: ', '')))
  await page.getByRole('button', { name: 'Copy request id' }).waitFor()

  const other = await instance.organization()
  const foreign = await fetch(`${instance.url()}${GIS}/runs?limit=1`, {
    headers: { 'x-api-key': other.publicKey, 'x-api-secret': other.secretKey },
  })
  expect(((await foreign.json()) as { data: { items: unknown[] } }).data.items).toEqual([])
  await page.goto('/portal/runs/run_00000000000000000000000000000000')
  await page.getByText('This run does not exist').waitFor()
}, 300_000)

test('the list: filters in the address, a name, the keyboard, deletion of results', async () => {
  const page = await openOwn('/runs')
  await rowsOf(page).first().waitFor()
  await rowsOf(page).nth(5).waitFor()
  const count = await rowsOf(page).count()
  await expectAccessible(page)
  await page.getByRole('combobox', { name: 'Tool' }).selectOption('raster.hillshade')
  await page.waitForURL(/tool=raster.hillshade/)
  await until(async () => (await rowsOf(page).count()) === 2)
  await page.getByRole('link', { name: 'Failed' }).click()
  await page.getByText('No run matches').waitFor()
  await page.getByRole('link', { name: 'Show all runs' }).click()
  await until(async () => (await rowsOf(page).count()) === count)
  await page.getByRole('link', { name: 'Failed' }).click()
  await until(async () => (await rowsOf(page).count()) === 1)
  await page.goto('/portal/runs?tool=image.enhance-quality')
  await until(async () => (await rowsOf(page).count()) === 1)
  await rowsOf(page).first().click()
  await page.getByRole('button', { name: 'Name this result' }).click()
  await page.getByRole('textbox', { name: 'Name of the result' }).fill(`Roof ${HOSTILE}`)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^Roof <img/ }).waitFor()
  await page.goto('/portal/runs?named=yes')
  await until(async () => (await rowsOf(page).count()) === 1)
  await eventually(async () => expect(await shown(rowsOf(page).first())).toContain('Roof <img'))
  await page.getByRole('searchbox').fill('nothing is named so')
  await page.getByText('No run matches').waitFor()

  await page.goto('/portal/runs?tool=document.pdf-to-word')
  await until(async () => (await rowsOf(page).count()) === 1)
  await rowsOf(page).first().getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Delete results' }).click()
  await page.getByRole('button', { name: 'Delete 1 file' }).click()
  await page.getByText('1 file was deleted').waitFor()
  await rowsOf(page).first().click()
  await page.getByText('was deleted, or its days of storage are over').waitFor()
  const arabic = await openOwn('/runs', { language: 'ar', theme: 'dark', width: 390 })
  await rowsOf(arabic).first().waitFor()
  await expectAccessible(arabic)
}, 300_000)

test('jobs appear without a reload, and a member whose role was removed is refused in a stale tab', async () => {
  const account = await memberAccount(instance, fleet.enterpriseId, 'member')
  const cookie = { ...fleet.cookie, value: account.browser.cookieValue() }
  const page = await open(account, '/runs')
  await page.getByText('No tool has been run yet').waitFor()
  const own = runTools(instance.url, { cookie, enterpriseId: fleet.enterpriseId })
  const form = new FormData()
  form.set('file', new File([squares(2_000)], 'plots.geojson'))
  form.set('target_format', 'geojson')
  const accepted = await own.call('POST', `${GIS}/centroids`, form, { prefer: 'respond-async' })
  expect(accepted.statusCode).toBe(202)
  await until(async () => (await rowsOf(page).count()) === 1 && (await shown(rowsOf(page))).includes('Successful'))
  await page.goto(`/portal/runs/${accepted.data.jobID}`)
  await page.waitForURL(/\/runs\/run_/)
  await mapOf(page).waitFor()
  await instance.manage('DELETE', `/members/${account.memberIds[fleet.enterpriseId]}`)
  const downloads: string[] = []
  page.on('download', (download) => downloads.push(download.suggestedFilename()))
  await page.getByRole('button', { name: 'Download' }).first().click()
  await page.locator('.toast').waitFor()
  expect(downloads).toEqual([])
}, 300_000)
