/** What people come to do, from a first page to the outcome, with the number of clicks that it may take at most. */
import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { unzipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { saved } from '../support/browser/browser.ts'
import { clicksOf } from '../support/browser/clicks.ts'
import { squareAround } from '../support/browser/map-data.ts'
import { portalPages } from '../support/browser/portal-pages.ts'
import { drop, fieldOf, run } from '../support/browser/tool-pages.ts'
import { parquetRows } from '../support/export-rows.ts'
import { type MadeSensor, type Organization, untilStored } from '../support/server/instance.ts'
import { collection, feature, toolApisOf, type Verdict } from '../support/server/tool-apis.ts'
import { type Account, memberAccount } from '../support/sessions.ts'
import { eventually, until } from '../support/until.ts'

const { instance, open: openAs } = portalPages()
const fleet = {} as Organization
let owner: Account

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const nowMs = Math.floor(Date.now() / 1000) * 1000

type Reading = { at: string; values: Record<string, number>; location?: [number, number] }
type Sent = { sensor: MadeSensor; readings: Reading[] }
/** A reading some minutes ago. */
const reading = (minutesAgo: number, temperature: number, location?: [number, number]): Reading => ({
  at: new Date(nowMs - minutesAgo * MINUTE_MS).toISOString(),
  values: { temperature },
  ...(location && { location }),
})
async function sensorWith(name: string, readings: Reading[], tags: string[] = []): Promise<Sent> {
  const sensor = await instance.manage<MadeSensor>('POST', `/enterprises/${fleet.id}/sensors`, {
    name,
    assetName: name,
    tags,
    channels: [{ name: 'temperature', measurement: 'number', unit: '°C' }],
  })
  if (readings.length > 0) {
    expect((await instance.send(sensor, { readings })).status).toBe(200)
    await untilStored(() => instance, fleet, sensor, readings.length)
  }
  return { sensor, readings }
}

/** Newest temperatures of the ten stores. */
const NEWEST = [4, -18.5, 7.25, 61.75, 5, 12, -2, 9.5, 3, 8]
const stores: Sent[] = []
let tank: Sent

beforeAll(async () => {
  Object.assign(fleet, await instance.organization('scale'))
  owner = await memberAccount(instance, fleet.id, 'owner')
  // every two hours for nine days
  for (const [i, newest] of NEWEST.entries()) {
    const before = Array.from({ length: 107 }, (_, k) => reading((107 - k) * 120 + 1, i + ((k * 7) % 13) / 4))
    stores.push(await sensorWith(`Store ${i + 1}`, [...before, reading(1, newest)], ['store']))
  }
  // every ten minutes until three hours ago, with a peak in the night
  const minutes = Array.from({ length: 200 }, (_, k) => 180 + (199 - k) * 10)
  tank = await sensorWith(
    'Tank',
    minutes.map((ago) => reading(ago, ago === 600 ? 71.5 : 20 + (ago % 70) / 10)),
  )
  const gate = await sensorWith('Gate', [reading(1, 6.5)])
  await instance.send(gate.sensor, { readings: [{ at: new Date().toISOString(), values: { temprature: 19.25 } }] })
}, 300_000)

const open = (path: string): Promise<Page> => openAs(owner, path, { enterprise: fleet.id, width: 1440 })
const plain = (text: string | null): string => (text ?? '').replaceAll(/[\u2066-\u2069]/g, '').replaceAll(/\s+/g, ' ')
const numbers = (texts: string[]): number[] => texts.map((text) => Number.parseFloat(plain(text)))
const rowsOf = (page: Page) => page.locator('.table-body > .table-row')
const namesOf = (page: Page): Promise<string[]> => page.locator('.table-body .sensor-name').allInnerTexts()
const isDrawn = (page: Page) => page.waitForSelector('.chart-panels[aria-busy="false"][data-points] canvas')
/** Count, lowest, mean, highest and last temperature of a channel in the range of the chart. */
const statistics = async (page: Page, label: string): Promise<number[]> =>
  numbers(
    await page
      .locator('[aria-label="Statistics of this range"] tbody tr')
      .filter({ hasText: label })
      .locator('td')
      .allTextContents(),
  )
function expectStatistics(shown: number[], sent: Reading[]): void {
  const values = sent.map(({ values }) => values.temperature as number)
  const [count, lowest, mean = Number.NaN, highest, last] = shown
  expect([count, lowest, highest, last]).toEqual([
    values.length,
    Math.min(...values),
    Math.max(...values),
    values.at(-1) as number,
  ])
  expect(mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 2)
}

test('is my fleet all right: the broken sensors are on top, with their values and ages, without a click', async () => {
  const page = await open('/sensors')
  const clicks = await clicksOf(page)
  await eventually(async () => {
    const shown = await rowsOf(page).evaluateAll((rows) =>
      rows.map((row) => [
        row.querySelector('.sensor-name')?.textContent,
        row.querySelector('.state')?.getAttribute('data-state'),
      ]),
    )
    expect(shown.length).toBe(12)
    expect(shown.slice(0, 2)).toEqual([
      ['Gate', 'refused'],
      ['Tank', 'silent'],
    ])
    expect(shown.slice(2).every(([, state]) => state === 'sending')).toBe(true)
  })
  await eventually(async () => {
    const silent = plain(await rowsOf(page).filter({ hasText: 'Tank' }).textContent())
    expect(silent).toContain(`${tank.readings.at(-1)?.values.temperature} °C`)
    expect(silent).toContain('3h ago')
  })
  await clicks(0)
}, 300_000)

test('the overview has the broken sensors on top too', async () => {
  const page = await open('/')
  const clicks = await clicksOf(page)
  const worst = page.locator('.overview-table tbody tr')
  await eventually(async () => {
    const [first, second, ...others] = (await worst.allTextContents()).map(plain)
    expect([first?.includes('Gate'), second?.includes('Tank'), others.length]).toEqual([true, true, 0])
  })
  await clicks(0)
}, 300_000)

test('what happened to this one last night: the chart of chosen hours in three clicks', async () => {
  const page = await open('/')
  const clicks = await clicksOf(page)
  await page.locator('.overview-table').getByRole('link', { name: 'Tank' }).click()
  await isDrawn(page)
  // the night ended six hours ago; no reading is at its ends
  const [fromMs, toMs] = [nowMs - 14 * HOUR_MS + 5 * MINUTE_MS, nowMs - 6 * HOUR_MS + 5 * MINUTE_MS]
  await page.getByRole('button', { name: 'From – to' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('From').fill(new Date(fromMs).toISOString().slice(0, 19))
  await dialog.getByLabel('To', { exact: true }).fill(new Date(toMs).toISOString().slice(0, 19))
  await dialog.getByRole('button', { name: 'Show', exact: true }).click()
  await clicks(3)
  const night = tank.readings.filter(({ at }) => Date.parse(at) > fromMs && Date.parse(at) < toMs)
  expect(night.map(({ values }) => values.temperature)).toContain(71.5)
  await isDrawn(page)
  await eventually(async () => expectStatistics(await statistics(page, 'temperature'), night))
}, 300_000)

test('why is this device refused: the reason, what was sent and the remedy in two clicks', async () => {
  const page = await open('/')
  const clicks = await clicksOf(page)
  await page.locator('.overview-table').getByRole('link', { name: 'Gate' }).click()
  await page.getByRole('tab', { name: 'Refused' }).click()
  const reasons = page.locator('.refusals > li')
  await reasons.getByRole('heading', { name: 'channel that the sensor does not have' }).waitFor()
  expect(await reasons.count()).toBe(1)
  expect(await reasons.locator('pre').textContent()).toContain('"temprature": 19.25')
  await reasons.getByRole('link', { name: 'Add the channel' }).waitFor()
  await clicks(2)
}, 300_000)

test('two sensors are compared in three clicks', async () => {
  const page = await open('/sensors?tag=store&sort=name')
  const clicks = await clicksOf(page)
  for (const name of ['Store 3', 'Store 7']) await rowsOf(page).filter({ hasText: name }).getByRole('checkbox').click()
  await page.getByRole('link', { name: 'Compare', exact: true }).click()
  await clicks(3)
  await isDrawn(page)
  const sinceMs = Date.now() - DAY_MS
  for (const i of [3, 7]) {
    const recent = (stores[i - 1] as Sent).readings.filter(({ at }) => Date.parse(at) > sinceMs)
    await eventually(async () => expectStatistics(await statistics(page, `Store ${i} · temperature`), recent))
  }
}, 300_000)

test('the hottest sensor now is on top after one click', async () => {
  const page = await open('/sensors?tag=store&sort=name&columns=state,name,lastAt,c.temperature')
  await until(async () => (await namesOf(page)).length === 10, 'the stores')
  const clicks = await clicksOf(page)
  await page.getByRole('columnheader', { name: 'temperature, °C' }).getByRole('button').click()
  const hottestFirst = NEWEST.map((value, i) => ({ value, name: `Store ${i + 1}` })).sort((a, b) => b.value - a.value)
  await eventually(async () => {
    expect(await namesOf(page)).toEqual(hottestFirst.map(({ name }) => name))
    const shown = numbers(await rowsOf(page).locator('.table-number').allTextContents())
    expect(shown).toEqual(hottestFirst.map(({ value }) => value))
  })
  await clicks(1)
}, 300_000)

test('the last week of ten sensors is a Parquet file after three clicks', async () => {
  const page = await open('/sensors?tag=store&sort=name')
  await until(async () => (await namesOf(page)).length === 10, 'the stores')
  const clicks = await clicksOf(page)
  await page.getByLabel('Select the loaded rows').click()
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const { bytes } = await saved(page.getByRole('button', { name: 'Parquet', exact: true }))
  await clicks(3)
  const { rows } = await parquetRows(new Response(new Uint8Array(bytes)))
  // no reading is as old as a week to the minute
  const sinceMs = Date.now() - 7 * DAY_MS
  const line = (sensorId: unknown, at: unknown, value: unknown): string => `${sensorId} ${at} ${value}`
  const sent = stores.flatMap(({ sensor, readings }) =>
    readings
      .filter(({ at }) => Date.parse(at) > sinceMs)
      .map(({ at, values }) => line(sensor.id, at, values.temperature)),
  )
  expect(sent.length).toBe(10 * 84)
  expect(rows.map(({ sensorId, at, value }) => line(sensorId, at, value)).toSorted()).toEqual(sent.toSorted())
}, 300_000)

test('where are they, and who entered the yard: the live map and the zone events in two clicks', async () => {
  const yard = await instance.manage<{ id: string }>('POST', `/owners/${fleet.id}/layers`, {
    name: 'Yard',
    geojson: squareAround('Yard', 0.2),
  })
  const rule = await fetch(`${instance.url()}/enterprise/v1/assets/rules`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': fleet.publicKey, 'x-api-secret': fleet.secretKey },
    body: JSON.stringify({ name: 'Into the yard', layerId: yard.id, when: 'enter', sensorIds: 'all' }),
  })
  expect(rule.status).toBe(200)
  const send = async (name: string, longitudes: number[]): Promise<void> => {
    const { sensor } = await sensorWith(name, [])
    for (const longitude of longitudes) {
      const at = new Date().toISOString()
      await instance.send(sensor, { readings: [{ at, values: { temperature: 1 }, location: [longitude, 0] }] })
    }
  }
  await send('Van', [0.1, 0.21])
  await send('Cart', [0.1, 0.11])
  // the map chooses its first view by the positions that it finds
  await eventually(async () => {
    const live = await fetch(`${instance.url()}/enterprise/v1/assets/live`, {
      headers: { 'x-api-key': fleet.publicKey, 'x-api-secret': fleet.secretKey },
    })
    const { data } = (await live.json()) as { data: Points }
    expect(data.features.map(({ geometry }) => geometry.coordinates[0]).toSorted()).toEqual([0.11, 0.21])
  })
  const page = await open('/')
  const clicks = await clicksOf(page)
  await page.locator('nav').getByRole('link', { name: 'Map', exact: true }).first().click()
  await eventually(async () => {
    const assets = (await page.locator('.asset-list [role="option"]').allTextContents()).map(plain)
    expect(assets.map((text) => /Van|Cart/.exec(text)?.[0]).toSorted()).toEqual(['Cart', 'Van'])
  })
  // the first view has both in its middle
  await page.waitForURL(/[?&]at=/)
  const [latitude, longitude] = (new URL(page.url()).searchParams.get('at') ?? '').split(',').map(Number)
  expect(latitude).toBeCloseTo(0, 2)
  expect(longitude).toBeCloseTo(0.16, 2)
  await page.getByRole('link', { name: 'Zone events' }).click()
  const events = page.locator('.event-table tbody tr')
  await eventually(async () => {
    const shown = (await events.allTextContents()).map(plain)
    expect(shown.length).toBe(1)
    expect(shown[0]).toMatch(/Van.*[Ee]ntered.*Yard/)
  })
  await clicks(2)
}, 300_000)

type Points = { features: { geometry: { type: string; coordinates: [number, number] } }[] }
/** The squares of `squareAround` have their centres on the equator. */
function expectCentres(points: Points, longitudes: number[]): void {
  const centres = points.features.map(({ geometry }) => geometry.coordinates)
  expect(centres.length).toBe(longitudes.length)
  for (const [i, [longitude, latitude]] of centres.entries()) {
    expect(longitude).toBeCloseTo(longitudes[i] as number, 6)
    expect(latitude).toBeCloseTo(0, 6)
  }
}
const squares = (longitudes: number[]): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: longitudes.map((longitude, i) => squareAround(`Square ${i}`, longitude)),
  })

test('an own layer is in a tool after two clicks, and its result is a layer after two more', async () => {
  const longitudes = [10, 20.5, 31.25]
  const layer = await instance.manage<{ id: string }>('POST', `/owners/${fleet.id}/layers`, {
    name: 'Fields',
    geojson: JSON.parse(squares(longitudes)),
  })
  const page = await open(`/data/layers/${layer.id}`)
  await page.getByRole('button', { name: 'Use in a tool' }).waitFor()
  const toTool = await clicksOf(page)
  await page.getByRole('button', { name: 'Use in a tool' }).click()
  await page.getByRole('menuitem', { name: 'Centroids', exact: true }).click()
  await fieldOf(page, 'file').getByText('Fields').waitFor()
  await toTool(2)
  await run(page, '/centroids')

  await page.getByRole('button', { name: 'Save as layer' }).waitFor()
  const toLayer = await clicksOf(page)
  await page.getByRole('button', { name: 'Save as layer' }).click()
  await page.getByRole('menuitem', { name: 'New layer', exact: true }).click()
  await page.waitForURL(/data\/layers\/lay_/)
  await toLayer(2)
  const id = new URL(page.url()).pathname.split('/').at(-1)
  expect(id).not.toBe(layer.id)
  const exported = await fetch(`${instance.url()}/manage/v1/owners/${fleet.id}/layers/${id}/export?format=geojson`, {
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
  })
  expectCentres((await exported.json()) as Points, longitudes)
}, 300_000)

test('a result is what an existing Tool API is bound to after two clicks, which can be undone', async () => {
  const toolApis = toolApisOf(() => instance)
  const old = await toolApis.layer(fleet.id, squareAround('Old area', 10))
  const api = await toolApis.save(fleet.id, 'vector.inside-check', {
    name: 'Area check',
    binding: { kind: 'layer', id: old.id },
  })
  await toolApis.save(fleet.id, 'vector.centroids', { name: 'Middle of areas' })
  /** The verdicts of a caller for points in the old area, and in the new one. */
  const verdicts = async (): Promise<boolean[]> => {
    const points = [10, 20.5].map((longitude) => feature({ type: 'Point', coordinates: [longitude, 0] }))
    const { data } = await toolApis.run<Verdict>(api, { input: collection(...points) })
    return data.results.map(({ pass }) => pass)
  }
  expect(await verdicts()).toEqual([true, false])

  const page = await open('/tools/vector.buffer')
  const content = JSON.stringify(squareAround('New area', 20.5))
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'area.geojson', content })
  await fieldOf(page, 'distance_m').locator('input').fill('10')
  await run(page, '/buffer')
  await page.getByRole('button', { name: 'Save as layer' }).waitFor()
  const clicks = await clicksOf(page)
  await page.getByRole('button', { name: 'Save as layer' }).click()
  const bind = page.getByRole('menuitem', { name: /^Bind to .*Area check/ })
  await bind.waitFor()
  // a tool without a second input has nothing to bind
  expect(await page.getByRole('menuitem', { name: 'Middle of areas' }).count()).toBe(0)
  await bind.click()
  await page.waitForURL(new RegExp(`/tool-apis/${api.id}`))
  await clicks(2)
  expect(await verdicts()).toEqual([false, true])

  await page.getByRole('button', { name: 'Undo' }).click()
  await page.waitForURL(/data\/layers\/lay_/)
  expect(await verdicts()).toEqual([true, false])
}, 300_000)

test('twenty files run as a batch, and the results are one file, in three clicks', async () => {
  const page = await open('/tools/vector.centroids')
  const field = fieldOf(page, 'file')
  await field.getByRole('button', { name: /Choose files/ }).waitFor()
  const clicks = await clicksOf(page)
  const picker = page.waitForEvent('filechooser')
  await field.getByRole('button', { name: /Choose files/ }).click()
  await (await picker).setFiles(
    Array.from({ length: 20 }, (_, i) => ({
      name: `field-${i}.geojson`,
      mimeType: 'application/geo+json',
      buffer: Buffer.from(squares([i + 0.5])),
    })),
  )
  await page.getByRole('button', { name: 'Run for 20 files' }).click()
  const download = page.getByRole('button', { name: 'Download all as ZIP' })
  // twenty jobs take long beside other work
  await download.and(page.locator(':enabled')).waitFor({ timeout: 250_000 })
  const { path } = await saved(download)
  await clicks(3)
  const results = Object.values(unzipSync(new Uint8Array(readFileSync(path)))).map(
    (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Points,
  )
  expect(results.length).toBe(20)
  for (const [i, points] of results.entries()) expectCentres(points, [i + 0.5])
}, 300_000)
