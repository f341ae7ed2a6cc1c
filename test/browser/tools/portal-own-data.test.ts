/** Layers, files and results of an owner in tools, and results of tools as layers, in a browser. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import sharp from 'sharp'
import { boxOf } from '../../support/browser/browser.ts'
import { smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { squareAround } from '../../support/browser/map-data.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { drop, fieldOf, run, runButton, stations } from '../../support/browser/tool-pages.ts'
import { until } from '../../support/until.ts'
import { FIXTURES, fetchFile, gisOf } from '../../support/workers/tools.ts'

const { instance, fleet, organization, openOwn } = smallFleetPages()
const { read } = gisOf(
  () => instance,
  () => organization,
)
const owned = () => `/owners/${fleet.enterpriseId}`
type Points = { features: { geometry: { coordinates: number[] } }[] }
const geojson = () => JSON.parse(stations) as { features: object[] }

test('a layer goes into a tool with two clicks, and a field takes layers, files, versions and results', async () => {
  const layer = await instance.manage<{ id: string }>('POST', `${owned()}/layers`, {
    name: 'Pumps',
    geojson: geojson(),
  })
  const page = await openOwn(`/data/layers/${layer.id}`)
  await page.getByRole('button', { name: 'Use in a tool' }).click()
  await page
    .getByRole('menuitem', { name: 'Buffer', exact: true })
    .or(page.locator('[data-item]', { hasText: /^Buffer/ }))
    .first()
    .click()
  const field = fieldOf(page, 'file')
  await field.getByText('Pumps').waitFor()
  // the columns of a layer
  await page.getByRole('combobox', { name: 'Distance source' }).selectOption('field')
  const column = page.getByRole('combobox', { name: 'Distance column' })
  await until(async () => (await column.locator('option').allTextContents()).includes('range_m'), 'the columns')
  await column.selectOption('range_m')
  const first = await run(page, '/buffer')
  expect(first).toMatchObject({ code: 'SUCCESS', data: { featureCount: geojson().features.length } })

  // the second field of another tool takes the result
  await page.goto('/portal/tools/vector.clip')
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'own.geojson', content: stations })
  const mask = fieldOf(page, 'mask')
  await mask.getByRole('button', { name: 'Choose own data' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /Pumps.*version 1/ }).waitFor()
  await expectAccessible(page)
  await dialog.getByRole('tab', { name: 'Results of runs' }).click()
  await dialog.getByLabel('Search by name').fill('buffer')
  await dialog
    .locator('.own-choices button', { hasText: /buffer/i })
    .first()
    .click()
  await dialog.waitFor({ state: 'detached' })
  const clipped = await run(page, '/clip')
  expect(clipped.code).toBe('SUCCESS')
  const { data } = await read<{ inputs: { key: string }[] }>(`/runs/${clipped.data.usage.runId}`)
  expect(data.inputs[1]?.key).toBe(first.data.key)
}, 300_000)

test('a result becomes a layer, its next version or the layer of a Tool API with two clicks', async () => {
  const page = await openOwn('/tools/vector.centroids')
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'wells.geojson', content: stations })
  const { data } = await run(page, '/centroids')
  const save = page.getByRole('button', { name: 'Save as layer' })
  const choose = (name: string) => page.getByRole('menuitem', { name, exact: true }).click()
  await save.click()
  await expectAccessible(page)
  await choose('New layer')
  await page.waitForURL(/data\/layers\/lay_/)
  const id = new URL(page.url()).pathname.split('/').at(-1) as string
  const layer = () => instance.manage<{ name: string; version: number }>('GET', `${owned()}/layers/${id}`)
  const { name, version } = await layer()
  expect(version).toBe(1)

  await page.goto(`/portal/runs/${data.usage.runId}`)
  await save.click()
  await page
    .getByRole('menuitem', { name: /version 2/ })
    .filter({ hasText: name })
    .click()
  await page.waitForURL(new RegExp(`data/layers/${id}`))
  expect((await layer()).version).toBe(2)

  await page.goto(`/portal/runs/${data.usage.runId}`)
  await save.click()
  await choose('New layer for a Tool API')
  await page.waitForURL(/tool-apis\/new\?layer=lay_/)
  const bound = new URL(page.url()).searchParams.get('layer') as string
  await page.getByRole('combobox', { name: 'Tool' }).selectOption('vector.inside-check')
  await until(async () => (await page.locator('.binding-choices input:checked').count()) === 1, 'the bound layer')
  expect(bound).not.toBe(id)

  // a Tool API that needs polygons keeps its layer; the points are a layer nevertheless
  const zones = await instance.manage<{ id: string }>('POST', `${owned()}/layers`, {
    name: 'Zones',
    geojson: squareAround('Zone', 10),
  })
  const binding = { kind: 'layer', id: zones.id }
  const toolApi = { tool: 'vector.inside-check', name: 'Zone check', binding }
  const { id: apiId } = await instance.manage<{ id: string }>('POST', `${owned()}/tool-apis`, toolApi)
  await page.goto(`/portal/runs/${data.usage.runId}`)
  await save.click()
  await page.getByRole('menuitem', { name: /^Bind to .*Zone check/ }).click()
  await page.waitForURL(/data\/layers\/lay_/)
  await page.locator('.toast-error', { hasText: 'polygons' }).waitFor()
  expect(await instance.manage<object>('GET', `/tool-apis/${apiId}`)).toMatchObject({ binding })

  // what cannot become a layer says so before a click
  await page.goto('/portal/tools/vector.centroids')
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'wells.geojson', content: stations })
  await page.locator('.process-output summary').click()
  await fieldOf(page, 'target_format').locator('select').selectOption('kml')
  await run(page, '/centroids')
  await page.getByText(/A layer needs GeoJSON; this file is/).waitFor()
  expect(await save.isDisabled()).toBe(true)
}, 300_000)

test('a raster becomes a stored file, or the file of a Tool API with two clicks, which can be undone', async () => {
  const page = await openOwn('/tools/raster.hillshade')
  const dem = join(FIXTURES, 'dem.tif')
  await fieldOf(page, 'file').locator('input[type="file"]').setInputFiles(dem)
  const { data } = await run(page, '/hillshade')
  const result = await fetchFile(instance, organization, data.key)
  const save = page.getByRole('button', { name: 'Save as file' })
  const stored = async (id: string) => {
    const address = `${instance.url()}/manage/v1${owned()}/files/${id}/versions/1/content`
    const response = await fetch(address, { headers: { authorization: `Bearer ${instance.operatorToken()}` } })
    return Buffer.from(await response.arrayBuffer())
  }
  // no layer can be made of it
  expect(await page.getByRole('button', { name: 'Save as layer' }).count()).toBe(0)
  await save.click()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'New file for a Tool API', exact: true }).click()
  await page.waitForURL(/tool-apis\/new\?/)
  await until(async () => (await page.locator('.binding-choices input:checked').count()) === 1, 'the bound file')
  const query = new URL(page.url()).searchParams
  expect(query.get('tool')).toBe('raster.zonal-stats')
  expect((await stored(query.get('file') as string)).equals(result)).toBe(true)
  const binding = { kind: 'file', id: query.get('file') as string }

  const toolApi = { tool: 'raster.zonal-stats', name: 'Light on roofs', binding, settings: { stats: ['mean'] } }
  const { id } = await instance.manage<{ id: string }>('POST', `${owned()}/tool-apis`, toolApi)
  const layerApi = { tool: 'vector.centroids', name: 'Without a raster', settings: {} }
  await instance.manage('POST', `${owned()}/tool-apis`, layerApi)
  const bound = async () => (await instance.manage<{ binding: { id: string } }>('GET', `/tool-apis/${id}`)).binding
  await page.goto(`/portal/runs/${data.usage.runId}`)
  await save.click()
  await page.getByRole('menuitem', { name: /^Bind to .*Light on roofs/ }).waitFor()
  expect(await page.getByRole('menuitem', { name: /Without a raster/ }).count()).toBe(0)
  await page.getByRole('menuitem', { name: /^Bind to .*Light on roofs/ }).click()
  await page.waitForURL(new RegExp(`tool-apis/${id}`))
  const next = await bound()
  expect(next).toMatchObject({ kind: 'file' })
  expect(next.id).not.toBe(binding.id)
  expect((await stored(next.id)).equals(result)).toBe(true)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await bound()).id === binding.id, 'the binding before')
}, 300_000)

test('several files run as a batch in three clicks; a file that fails stops no other, and all results are one ZIP', async () => {
  const page = await openOwn('/tools/vector.centroids')
  const square = (i: number): string =>
    JSON.stringify({
      type: 'Feature',
      properties: { i },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [i, 0],
            [i + 1, 0],
            [i + 1, 1],
            [i, 1],
            [i, 0],
          ],
        ],
      },
    })
  const files = Array.from({ length: 20 }, (_, i) => ({
    name: `field-${i % 2}.geojson`,
    mimeType: 'application/geo+json',
    buffer: Buffer.from(i === 7 ? 'not a map' : square(i)),
  }))
  const picker = page.waitForEvent('filechooser')
  await fieldOf(page, 'file')
    .getByRole('button', { name: /Choose files/ })
    .click()
  await (await picker).setFiles(files)
  await page.getByRole('button', { name: 'Run for 20 files' }).click()
  await page.getByText('19 done. 1 file has no result').waitFor({ timeout: 120_000 })
  const states = await Promise.all(
    (await page.locator('.batch .run-state').all()).map((one) => one.getAttribute('data-state')),
  )
  expect(states).toEqual(Array.from({ length: 20 }, (_, i) => (i === 7 ? 'failed' : 'successful')))
  await expectAccessible(page)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download all as ZIP' }).click()
  const entries = unzipSync(new Uint8Array(readFileSync(await (await saved).path())))
  const longitudes = Object.values(entries).map((bytes) => {
    const { features } = JSON.parse(new TextDecoder().decode(bytes)) as Points
    return features[0]?.geometry.coordinates[0]
  })
  expect(longitudes).toEqual(Array.from({ length: 20 }, (_, i) => i + 0.5).filter((x) => x !== 7.5))

  // each file is an ordinary run, and the runs are in one folder
  await page.getByRole('link', { name: 'Show in the list of runs' }).click()
  await page.waitForURL(/runs\?folder=/)
  const folder = new URL(page.url()).searchParams.get('folder') as string
  const { data } = await read<{ items: object[] }>(`/runs?${new URLSearchParams({ folder })}`)
  expect(data.items).toHaveLength(19)
}, 300_000)

test('the tools that made a result run again as a recipe, which stops at a step that fails', async () => {
  const page = await openOwn('/tools/vector.centroids')
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'first.geojson', content: stations })
  const first = await run(page, '/centroids')
  await page.goto(
    `/portal/tools/vector.buffer?${new URLSearchParams({ input: first.data.key, name: 'centres.geojson' })}`,
  )
  await fieldOf(page, 'distance_m').locator('input').fill('250')
  const second = await run(page, '/buffer')
  await page.goto(`/portal/runs/${second.data.usage.runId}`)
  await page.getByRole('button', { name: 'Save as recipe' }).click()
  const dialog = page.getByRole('dialog')
  await until(async () => (await dialog.locator('.recipe-steps li').count()) === 2, 'both steps')
  await dialog.getByLabel('Name').fill('Centres with a ring')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save as recipe' }).click()
  await page.waitForURL(/recipes\/rec_/)
  const address = page.url()
  await page.goto('/portal/recipes')
  const row = page.getByRole('row', { name: /Centres with a ring/ })
  await row.getByRole('cell', { name: 'Only mine' }).waitFor()
  await expectAccessible(page)
  await row.getByRole('link').click()
  await page.waitForURL(address)

  const zone = (
    await instance.manage<{ id: string }>('POST', `${owned()}/layers`, {
      name: 'Two wells',
      geojson: { ...geojson(), features: geojson().features.slice(0, 2) },
    })
  ).id
  await page.getByRole('button', { name: 'Choose own data' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Two wells/ })
    .click()
  await page.getByRole('button', { name: 'Run recipe' }).click()
  await page.getByRole('heading', { name: 'Result' }).waitFor({ timeout: 120_000 })
  await expectAccessible(page)
  const { data } = await read<{
    items: {
      processID: string
      settings: { distance_m?: number }
      artifacts: { key: string }[]
      inputs: { key: string }[]
    }[]
  }>('/runs?limit=2')
  const [ring, centres] = data.items
  expect([ring?.processID, ring?.settings.distance_m, centres?.processID]).toEqual([
    'vector.buffer',
    250,
    'vector.centroids',
  ])
  expect(ring?.inputs[0]?.key).toBe(centres?.artifacts[0]?.key as string)
  expect(zone).toMatch(/^lay_/)

  await page.goto(address)
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'broken.geojson', content: 'not a map' })
  await page.getByRole('button', { name: 'Run recipe' }).click()
  await page.getByText(/The recipe stopped at step 1/).waitFor()
  expect(await page.locator('.recipe-steps .run-state').nth(1).getAttribute('data-state')).toBe('accepted')

  // a tool that is not offered any more is said before the run
  await page.route('**/gis/processes?lang=*', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as { processes: { id: string }[] }
    const processes = body.processes.filter(({ id }) => id !== 'vector.buffer')
    await route.fulfill({ response: answer, json: { ...body, processes } })
  })
  await page.goto(address)
  await page.getByText(/This recipe cannot run: 1 of its tools/).waitFor()
  expect(await page.getByRole('button', { name: 'Run recipe' }).isDisabled()).toBe(true)
}, 300_000)

test('a reopened result fills its form, errors are counted, and a result is coloured by a column', async () => {
  const page = await openOwn('/tools/vector.buffer')
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'stations.geojson', content: stations })
  await fieldOf(page, 'distance_m').locator('input').fill('250')
  const { data } = await run(page, '/buffer')

  const other = await openOwn(`/tools/vector.buffer?run=${data.usage.runId}`)
  await fieldOf(other, 'file').getByText('stations.geojson').waitFor()
  expect(await fieldOf(other, 'distance_m').locator('input').inputValue()).toBe('250')
  // the format is in the summary of the folded fields
  expect(await other.locator('.process-output > summary').textContent()).toContain('GeoJSON')
  expect(await fieldOf(other, 'coordinate_precision').isVisible()).toBe(false)

  await other.setViewportSize({ width: 1_280, height: 480 })
  await fieldOf(other, 'file')
    .getByRole('button', { name: /Remove/ })
    .click()
  await runButton(other).click()
  await other.getByText('1 field needs a change').waitFor()
  const [fault, bar] = await Promise.all([
    boxOf(other.locator('.field-error').first()),
    boxOf(other.locator('.run-bar')),
  ])
  expect(fault.y + fault.height).toBeLessThanOrEqual(bar.y)
  await expectAccessible(other)

  await page.getByLabel('Colour by').selectOption('range_m')
  const legend = page.locator('.result-legend li')
  const values = geojson()
    .features.map((feature) => (feature as { properties: { range_m: number } }).properties.range_m)
    .toSorted((one, next) => one - next)
  const distinct = [...new Set(values)]
  await until(async () => (await legend.count()) === Math.min(5, distinct.length), 'the legend')
  expect(await legend.first().textContent()).toContain(String(distinct[0]))
  expect(await legend.last().textContent()).toContain(distinct.at(-1)?.toLocaleString('en') ?? '')
  expect(new URL(page.url()).searchParams.get('colour')).toBe('range_m')
  await page.locator('.result-features[data-drawn="true"]').waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Picture of the map (PNG)' }).click()
  const picture = sharp(readFileSync(await (await saved).path()))
  const { width = 0, height = 0, format } = await picture.metadata()
  expect([format, width > 100, height > 100]).toEqual(['png', true, true])
  // the darkest colour of the legend, which stands below the map at its start
  const { data: pixels, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const dark = Array.from({ length: info.width * info.height }, (_, i) =>
    pixels.subarray(i * 3, i * 3 + 3).toString('hex'),
  )
  expect(dark.filter((colour) => colour === '00336f').length).toBeGreaterThan(100)

  await page.goto('/portal/tools/raster.zonal-stats')
  await page.getByRole('button', { name: 'Usual' }).click()
  const chosen = fieldOf(page, 'stats').locator('input:checked')
  await until(async () => (await chosen.count()) === 4, 'the usual statistics')
}, 300_000)
