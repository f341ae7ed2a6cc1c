/** The map and the zones of the portal in Chromium, with readings of real sensors. */
import { beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { accessibilityFaults } from '../../support/browser/accessibility.ts'
import { boxOf, saved, startBrowser, type View, visitor } from '../../support/browser/browser.ts'
import { journey, squareAround } from '../../support/browser/map-data.ts'
import { portalPages, widthOf } from '../../support/browser/portal-pages.ts'
import { pmtilesOf } from '../../support/formats/pmtiles.ts'
import { sampleOf } from '../../support/rounds.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { type MadeSensor, type Organization, outcomeOf } from '../../support/server/instance.ts'
import { type Account, operatorAccount } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'

const baseMap = join(sharedFolder('base-map'), 'world.pmtiles')
const { instance, open: openPage } = portalPages({ SENSOR_CALLS_PER_MINUTE: '100000', MAP_PMTILES: baseMap })

type Position = [longitude: number, latitude: number]
type ZoneLayer = { items: { geometry: { coordinates: Position[][] } }[] }
let organization: Organization
let operator: Account
const sensors: MadeSensor[] = []
const NAMES = ['Truck 1', 'شاحنة ٢', '<b>Truck</b> \u202e3', 'Depot']
const PLACES: Position[] = [
  [31.2, 30],
  [31.31, 30.06],
  [46.7, 24.7],
]
const TILE_COLOUR = { r: 200, g: 40, b: 160 }

async function send(sensor: MadeSensor | undefined, location: Position, secondsAgo = 0): Promise<void> {
  const at = new Date(Date.now() - secondsAgo * 1000).toISOString()
  await outcomeOf(await instance.send(sensor as MadeSensor, { readings: [{ at, location, values: { a: 1 } }] }))
}

// the server reads the file when it starts
const tile = sharp({ create: { width: 256, height: 256, channels: 3, background: TILE_COLOUR } }).png()
writeFileSync(baseMap, pmtilesOf(await tile.toBuffer()))

beforeAll(async () => {
  organization = await instance.organization('scale')
  operator = await operatorAccount(instance)
  for (const name of NAMES)
    sensors.push(await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }], name))
  await send(sensors[0], [31.1, 29.9], 600)
  for (const [i, place] of PLACES.entries()) await send(sensors[i], place, 2)
}, 300_000)

/** The enterprise that the operator chose last is the enterprise of the test. */
const open = (path: string, view: View = {}): Promise<Page> =>
  openPage(operator, path, { ...view, enterprise: organization.id })
const mapReady = (page: Page) => page.waitForSelector('.map[data-ready="true"]')
const shot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.PORTAL_SHOTS
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` })
}

test('list and map share one selection, which is in the address, and a shown asset moves', async () => {
  const page = await open('/map')
  await mapReady(page)
  const rows = page.locator('.asset-row')
  await page.waitForSelector('.asset-row:has-text("Truck 1")')
  await eventually(async () =>
    expect((await rows.locator('.asset-name').allTextContents()).sort()).toEqual(NAMES.slice(0, 3).sort()),
  )
  // with the keyboard alone: to the row of the first truck, and Enter
  await page.locator('.asset-list').focus()
  await page.keyboard.press('Home')
  // states that arrive meanwhile change the order of the rows
  await until(async () => {
    const names = await rows.locator('.asset-name').allTextContents()
    if ((await page.locator('.asset-active .asset-name').textContent()) === 'Truck 1') return true
    await page.keyboard.press('Home')
    for (let i = 0; i < names.indexOf('Truck 1'); i++) await page.keyboard.press('ArrowDown')
    return false
  }, 'the row of the first truck')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.map-asset h2:has-text("Truck 1")')
  const asset = new URL(page.url()).searchParams.get('asset')
  await page.locator('.asset-row[aria-selected="true"] .asset-name', { hasText: 'Truck 1' }).waitFor()
  await page.getByRole('button', { name: 'Follow' }).click()
  await send(sensors[0], [35.5, 33.9])
  // the map follows the asset to its new place
  await until(() => {
    const [latitude, longitude] = (new URL(page.url()).searchParams.get('at') ?? '').split(',').map(Number)
    return Math.abs((latitude ?? 0) - 33.9) < 0.01 && Math.abs((longitude ?? 0) - 35.5) < 0.01
  }, 'following the asset')
  await page.selectOption('.track-range select', '1h')
  await page.waitForSelector('.track-player')
  await page.locator('.track-moment', { hasText: '3 positions' }).waitFor()
  await shot(page, 'map-selected')
  await page.reload()
  await page.waitForSelector('.map-asset h2:has-text("Truck 1")')
  expect(new URL(page.url()).searchParams.get('asset')).toBe(asset)
}, 300_000)

/** Whether a click in the middle of an element reaches it. */
const isOnTop = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const element = document.querySelector('${selector}')
    const { x, y, width, height } = element.getBoundingClientRect()
    return document.elementFromPoint(x + width / 2, y + height / 2) === element
  })()`)

test('a phone and a zoomed page show map and search, and on a phone the selected asset is above its panel', async () => {
  const everyState = '?state=refused,silent,late,held,sending,new,off'
  const page = await open(`/map${everyState}`, { width: 390 })
  await mapReady(page)
  await page.locator('.asset-row').first().waitFor()
  expect(await widthOf(page)).toBe(390)
  for (const [width, height] of [
    [390, 844],
    // 1280 by 720 at 200 %
    [640, 360],
    [390, 422],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.locator('.map-filters input').scrollIntoViewIfNeeded()
    expect([width, await widthOf(page), await isOnTop(page, '.map-filters input')]).toEqual([width, width, true])
  }
  await page.setViewportSize({ width: 390, height: 800 })
  await page.locator('.asset-row', { hasText: 'Truck 1' }).click()
  await page.waitForSelector('.map-asset h2:has-text("Truck 1")')
  // the middle of the map is south of the asset, on its meridian
  await until(() => {
    const [latitude, longitude] = (new URL(page.url()).searchParams.get('at') ?? '').split(',').map(Number)
    const south = 33.9 - (latitude ?? 0)
    return south > 0.0005 && south < 0.1 && Math.abs((longitude ?? 0) - 35.5) < 0.0005
  }, 'the asset in the upper half')
}, 300_000)

test('search finds names in any case and script, for the list and the count at once', async () => {
  const page = await open('/map?q=شاحنة', { language: 'ar' })
  await page.waitForSelector('.asset-row:has-text("شاحنة")')
  await until(async () => (await page.locator('.asset-row').count()) === 1, 'the filter')
  await page.fill('input[type="search"]', 'TRUCK')
  await until(async () => (await page.locator('.asset-row').count()) === 2, 'another filter')
  expect(await page.locator('.asset-row b').count()).toBe(0)
  await shot(page, 'map-ar')
}, 300_000)

test("the operator's base map is served in ranges, and drawn", async () => {
  const whole = await fetch(`${instance.url()}/portal/map.pmtiles`)
  const bytes = new Uint8Array(await whole.arrayBuffer())
  const part = await fetch(`${instance.url()}/portal/map.pmtiles`, { headers: { range: 'bytes=0-6' } })
  expect([whole.status, part.status, part.headers.get('content-range')]).toEqual([
    200,
    206,
    `bytes 0-6/${bytes.length}`,
  ])
  expect(await part.text()).toBe('PMTiles')
  // the middle of the Sahara, where the map is empty
  const square = squareAround('Sahara', 0)
  for (const position of square.geometry.coordinates[0] ?? []) {
    position[0] = (position[0] as number) * 200
    position[1] = (position[1] as number) * 200 + 22
  }
  const { id } = await instance.manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
    name: 'Desert',
    geojson: square,
  })
  const page = await open('/map?at=22,0,3')
  await mapReady(page)
  const colour = async (): Promise<string> => {
    const clip = { x: 800, y: 420, width: 1, height: 1 }
    return [
      ...(await sharp(await page.screenshot({ clip }))
        .raw()
        .toBuffer()),
    ]
      .slice(0, 3)
      .join()
  }
  const ofTiles = [TILE_COLOUR.r, TILE_COLOUR.g, TILE_COLOUR.b].join()
  await until(async () => (await colour()) === ofTiles, 'drawing the base map')

  // switched off, and a layer of the enterprise on; both are in the address
  await page.getByRole('button', { name: 'Layers', exact: true }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Base map' }).click()
  await until(async () => (await colour()) !== ofTiles, 'hiding the base map')
  const land = await colour()
  await page.getByRole('menuitemcheckbox', { name: 'Desert' }).click()
  await until(async () => (await colour()) !== land, 'drawing the layer')
  // the menu is its legend, here with --series-1 of the light theme
  const ofSwatch = "getComputedStyle(document.querySelector('[aria-checked=true] .layer-swatch')).backgroundColor"
  expect(await page.evaluate<string>(ofSwatch)).toBe('rgb(0, 114, 178)')
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('hide'), searchParams.get('layers')]).toEqual(['base', id])
}, 300_000)

test('a drawn zone shows the assets inside, its rule is created once, and its events appear without a reload', async () => {
  await send(sensors[0], [35.5, 33.9])
  const page = await open('/zones/new')
  await page.waitForSelector('.draw-tools')
  await page.getByRole('button', { name: 'Create zone rule' }).click()
  await page.locator('.field-error', { hasText: 'Draw a zone' }).waitFor()
  await page.getByRole('button', { name: 'Draw rectangle' }).click()
  await page.getByRole('button', { name: 'Draw rectangle', pressed: true }).waitFor()
  const box = await boxOf(page.locator('.map'))
  // the left half, around the two western assets
  await page.mouse.click(box.x + 30, box.y + 120)
  await page.mouse.move(box.x + box.width / 2 - 40, box.y + box.height - 140, { steps: 4 })
  await page.mouse.move(box.x + box.width / 2, box.y + box.height - 100, { steps: 4 })
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 100)
  await page.waitForSelector('[data-testid="inside"]')
  await page.locator('.draw-measure', { hasText: /\skm².*, edge .*\skm/ }).waitFor()
  await page.fill('input[maxlength="200"]', 'Yard')
  await page.waitForSelector('.inside-now li')
  await shot(page, 'zone-new')
  // a double click makes one rule
  await page.locator('button[type="submit"]').dblclick()
  await page.waitForURL(/zones\/rul_/)
  const rules = (
    await instance.query<{ items: { id: string; name: string; layerId: string }[] }>(organization, '/rules')
  ).data
  expect(rules.items.map(({ name }) => name)).toEqual(['Yard'])
  const layerId = rules.items[0]?.layerId
  const layer = await instance.manage<ZoneLayer>('GET', `/owners/${organization.id}/layers/${layerId}/features`)
  const ring = layer.items[0]?.geometry.coordinates[0] as Position[]
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)]
  const [west, east, south, north] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const now: Position[] = [[35.5, 33.9], PLACES[1] as Position, PLACES[2] as Position]
  const count = now.filter(([x, y]) => x >= west && x <= east && y >= south && y <= north).length
  const expected = count === 1 ? '1 sensor' : `${count} sensors`
  const inside = page.locator('[data-testid="inside"]')
  await until(async () => (await inside.count()) === 1 && (await inside.textContent()) === expected, expected)

  await page.goto('/portal/zones?tab=events')
  await page.waitForSelector('.zone-none')
  await send(sensors[2], [west - 1, south - 1])
  await send(sensors[2], [(west + east) / 2, (south + north) / 2])
  await page.waitForSelector('.event')
  await page.locator('.event', { hasText: 'Yard' }).first().waitFor()
  await shot(page, 'zone-events')
  await page.goto(`/portal/zones/${rules.items[0]?.id}?tab=events`)
  await page.waitForSelector('.event')
  await shot(page, 'zone-rule-events')
  // the name is below the way back
  const [above, { x, y }] = [await boxOf(page.locator('.page-parent')), await boxOf(page.locator('h1'))]
  expect([y >= above.y + above.height - 4, Math.abs(x - above.x) < 16]).toEqual([true, true])

  await page.goto('/portal/zones')
  await page.waitForSelector('.rule-table tbody tr')
  await page.locator('.rule-table input[role="switch"]').click()
  await until(async () => {
    const { data } = await instance.query<{ enabled: boolean }>(organization, `/rules/${rules.items[0]?.id}`)
    return data.enabled === false
  }, 'switching the rule off')
  await page.getByRole('button', { name: 'Delete' }).click()
  await until(async () => (await page.locator('.rule-table tbody tr').count()) === 0, 'hiding the rule')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.waitForSelector('.rule-table tbody tr')
  expect((await instance.query<{ items: unknown[] }>(organization, '/rules')).data.items.length).toBe(1)
}, 300_000)

const plain = (text: string): string => text.replace(/[\u2066-\u2069]/g, '').replaceAll('\u00a0', ' ')
const EQUATOR_DEGREE_KM = (6378.137 * Math.PI) / 180

test('the card shows values, speed, zone and place with their age, and the track its distance, stops and files', async () => {
  const layer = await instance.manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
    name: 'Yards',
    geojson: {
      type: 'FeatureCollection',
      features: [squareAround('Quay', 0.5), squareAround('', 20)],
    },
  })
  const made = await fetch(`${instance.url()}/enterprise/v1/assets/rules`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': organization.publicKey,
      'x-api-secret': organization.secretKey,
    },
    body: JSON.stringify({ name: 'Quay', layerId: layer.id, when: 'enter', sensorIds: [sensors[3]?.id] }),
  })
  expect(made.ok).toBe(true)
  await outcomeOf(await instance.send(sensors[3] as MadeSensor, { readings: journey() }))
  const page = await open('/map')
  await mapReady(page)
  await page.locator('.asset-row', { hasText: 'Depot' }).click()
  const fact = (name: string) => page.locator(`.map-facts tr:has(th bdi:text-is("${name}")) td`)
  await fact('Speed by position').first().waitFor()
  const texts = async (name: string) => (await fact(name).allTextContents()).map(plain)
  expect((await texts('Speed by position'))[0]).toBe(`${(EQUATOR_DEGREE_KM * 0.6).toFixed(1)} km/h`)
  expect((await texts('Heading'))[0]).toBe('east 90°')
  expect((await texts('Zone'))[0]).toBe('Quay')
  expect((await texts('Position'))[0]).toBe('0.00000, 0.50000')
  // every row has an age
  for (const text of await page.locator('.map-facts td:last-child').allTextContents()) expect(text).toMatch(/ ago$/)

  await page.selectOption('.track-range select', '6h')
  const facts = page.locator('.track-facts')
  await facts.waitFor()
  const shown = plain((await facts.textContent()) ?? '')
  // 0 to 0.2 and 0.3 to 0.5 degrees
  expect(shown).toContain(`Distance${(EQUATOR_DEGREE_KM * 0.4).toFixed(2)} km`)
  expect(shown).toContain('In Quay5 min')
  expect(shown).toContain('2.2 hr in 1 gap')
  await page.locator('.track-stops summary', { hasText: '1 stop' }).click()
  await page.locator('.track-stops li', { hasText: '10 min' }).getByRole('button').click()
  // the whole track was in view; the stop is shown from near
  await until(() => {
    const [latitude, longitude, zoom] = (new URL(page.url()).searchParams.get('at') ?? '').split(',').map(Number)
    return Math.abs(latitude ?? 9) < 0.1 && Math.abs((longitude ?? 9) - 0.2) < 0.1 && (zoom ?? 0) >= 14
  }, 'the stop on the map')
  const gpx = await saved(page.getByRole('button', { name: 'GPX' }))
  expect([gpx.name, gpx.text.match(/<trkpt /g)?.length, gpx.text.match(/<trkseg>/g)?.length]).toEqual([
    'Depot.gpx',
    52,
    2,
  ])
  const geojson = await saved(page.getByRole('button', { name: 'GeoJSON' }))
  expect(geojson.name).toBe('Depot.geojson')
  expect(JSON.parse(geojson.text).features[0].geometry.coordinates.map((line: unknown[]) => line.length)).toEqual([
    31, 21,
  ])
  await page.getByRole('button', { name: 'Show the whole track' }).click()
  await until(() => Number(new URL(page.url()).searchParams.get('at')?.split(',')[2]) < 12, 'the whole track')

  // the event names the polygon of the layer, and opens the map at its place and moment
  await page.goto(`/portal/zones?tab=events&sensor=${sensors[3]?.id}`)
  const row = page.locator('.event', { hasText: 'Quay' })
  await row.waitFor()
  const cells = await row.locator('td').allTextContents()
  expect(cells.slice(1, 5)).toEqual(['Depot', 'entered', '\u2068Quay\u2069 Yards', 'Quay'])
  expect((await boxOf(row)).height).toBe(36)
  await row.getByRole('button', { name: 'Show on map' }).click()
  await page.locator('.track-moment', { hasText: cells[0] as string }).waitFor()
  const [latitude, longitude] = (new URL(page.url()).searchParams.get('at') ?? '').split(',').map(Number)
  expect([latitude, longitude]).toEqual([0, 0.46])
}, 300_000)

const VIEWS: View[] = [
  { language: 'en', theme: 'light', width: 1440, height: 900 },
  { language: 'ar', theme: 'dark', width: 1440, height: 900 },
  { language: 'ar', theme: 'light', width: 390, height: 844 },
  { language: 'en', theme: 'dark', width: 820, height: 1100 },
]

/** The track, the menu of layers and the legend, also on a phone. */
async function checkMapParts(page: Page): Promise<void> {
  await page.locator('.value-scale').waitFor()
  await page.selectOption('.track-range select', '1h')
  await page.waitForSelector('.track-player')
  const wide = page.viewportSize()
  for (const size of [wide, { width: 390, height: 844 }] as const) {
    await page.setViewportSize(size as { width: number; height: number })
    expect([size, await accessibilityFaults(page)]).toEqual([size, []])
    await page.locator('.map-side .page-head button.menu-button').last().click()
    await page.getByRole('menuitemcheckbox').first().waitFor()
    expect([size, await accessibilityFaults(page)]).toEqual([size, []])
    await page.keyboard.press('Escape')
  }
  await page.setViewportSize(wide as { width: number; height: number })
}

test.each(sampleOf(VIEWS, 2))(
  'the map and the zones have no accessibility violations: %j',
  async (view) => {
    const { data } = await instance.query<{ items: { id: string }[] }>(organization, '/rules')
    const addresses = {
      map: '/map?colour=a',
      zones: '/zones',
      'zone-new': '/zones/new',
      zone: `/zones/${data.items[0]?.id}`,
    }
    for (const [name, address] of Object.entries(addresses)) {
      const page = await open(address, view)
      if (name === 'zones') await page.waitForSelector('.rule-table')
      else await mapReady(page)
      if (name === 'map') await page.locator('.asset-row:has-text("Truck 1")').click()
      if (name === 'map') await page.waitForSelector('.map-asset')
      if (name === 'map') await checkMapParts(page)
      if (name === 'zone-new') await page.waitForSelector('.draw-tools')
      expect([name, await accessibilityFaults(page)]).toEqual([name, []])
      await shot(page, `${name}-${view.language}-${view.theme}-${view.width}`)
      await page.close()
    }
  },
  600_000,
)

test('without WebGL the list works, and a note explains why there is no map', async () => {
  const plain = await startBrowser(['--disable-gpu', '--disable-3d-apis'])
  const context = await visitor(plain, instance.url(), { language: 'ar' })
  await context.addCookies([{ name: 'groundwave_session', value: operator.browser.cookieValue(), url: instance.url() }])
  const page = await context.newPage()
  await page.goto(`/portal/map?colour=a&enterprise=${organization.id}`)
  await page.waitForSelector('.asset-row:has-text("Truck 1")')
  expect(await page.locator('.map-note').textContent()).toContain('WebGL')
  expect(await page.getByRole('button', { name: 'الألوان' }).count()).toBe(0)
  expect(await page.locator('.value-legend').count()).toBe(0)
  await page.locator('.asset-row:has-text("Truck 1")').click()
  await page.waitForSelector('.map-asset h2:has-text("Truck 1")')
  await shot(page, 'map-no-webgl')
  await plain.close()
}, 300_000)
