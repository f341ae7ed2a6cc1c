/** Two people who edit one zone, drawing, and the events of a zone on the map, in Chromium. */
import { beforeAll, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import { boxOf } from '../../support/browser/browser.ts'
import { expectAccessible, portalPages } from '../../support/browser/portal-pages.ts'
import { transformed } from '../../support/formats/proj.ts'
import { type MadeSensor, type Organization, outcomeOf } from '../../support/server/instance.ts'
import { type Account, memberAccount, operatorAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

/** Maps are rendered by software, which is slow. */
const SMALL = { width: 1000, height: 640 }
const { instance, as, open: openPage } = portalPages()
type Position = [longitude: number, latitude: number]
type Rule = { id: string; name: string; when: string; layerId: string }
type Features = { items: { geometry: { coordinates: Position[][] } }[] }

const SQUARE: Position[] = [
  [31, 30],
  [32, 30],
  [32, 31],
  [31, 31],
  [31, 30],
]

let organization: Organization
let sensor: MadeSensor
let rule: Rule
let operator: Account
let member: Account

async function send(location: Position): Promise<void> {
  await outcomeOf(
    await instance.send(sensor, { readings: [{ at: new Date().toISOString(), location, values: { a: 1 } }] }),
  )
}
const stored = async (): Promise<Rule> => (await instance.query<Rule>(organization, `/rules/${rule.id}`)).data
const ring = async (): Promise<Position[]> => {
  const path = `/owners/${organization.id}/layers/${rule.layerId}/features`
  return (await instance.manage<Features>('GET', path)).items[0]?.geometry.coordinates[0] ?? []
}

beforeAll(async () => {
  organization = await instance.organization('scale')
  operator = await operatorAccount(instance)
  member = await memberAccount(instance, organization.id, 'member')
  sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }], 'Truck')
  await send([30.5, 30.5])
  const layer = await instance.manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
    name: 'Yard',
    geojson: { type: 'Polygon', coordinates: [SQUARE] },
  })
  const { publicKey, secretKey } = organization
  const response = await fetch(`${instance.url()}/enterprise/v1/assets/rules`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': publicKey, 'x-api-secret': secretKey },
    body: JSON.stringify({ name: 'Yard', layerId: layer.id, when: 'enter', sensorIds: 'all' }),
  })
  rule = ((await response.json()) as { data: Rule }).data
}, 300_000)

async function open(context: BrowserContext, path: string): Promise<Page> {
  const page = await openPage(context, `${path}${path.includes('?') ? '&' : '?'}enterprise=${organization.id}`)
  await page.waitForSelector('.map[data-ready="true"]')
  return page
}
async function drawRectangle(page: Page, from: number, to: number): Promise<void> {
  const box = await boxOf(page.locator('.map'))
  const at = (share: number): Position => [box.x + box.width * share, box.y + box.height * share]
  await page.getByRole('button', { name: 'Draw rectangle' }).click()
  await page.getByRole('button', { name: 'Draw rectangle', pressed: true }).waitFor()
  await page.mouse.click(...at(from))
  await page.mouse.move(...at((from + to) / 2), { steps: 3 })
  await page.mouse.move(...at(to), { steps: 3 })
  await page.mouse.click(...at(to))
  await page.getByText(/, edge /).waitFor()
}
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

test('the second of two people who change a rule sees both versions and keeps the input', async () => {
  const context = await as(operator, SMALL)
  const [first, second] = [await open(context, `/zones/${rule.id}`), await open(context, `/zones/${rule.id}`)]
  await first.getByLabel('Name').fill('First')
  await save(first)
  await until(async () => (await stored()).name === 'First', 'the first change')
  await second.getByLabel('Name').fill('<b>Second</b> \u202ename')
  await save(second)
  await second.getByText('Somebody else has saved this rule').waitFor()
  expect(await second.locator('.conflict-differs').textContent()).toMatch(/Second.*First/)
  expect(await second.locator('.conflict b').count()).toBe(0)
  await expectAccessible(second)
  expect((await stored()).name).toBe('First')
  await second.getByRole('button', { name: 'Save mine' }).click()
  await until(async () => (await stored()).name.includes('Second'), 'the chosen version')
}, 300_000)

test('the second of two people who change a shape chooses between both, and either choice is kept', async () => {
  const context = await as(operator, SMALL)
  for (const choice of ['Save my shape', 'Keep the saved shape']) {
    const before = await ring()
    const pages = [await open(context, `/zones/${rule.id}`), await open(context, `/zones/${rule.id}`)] as const
    for (const page of pages) {
      await page.getByRole('button', { name: 'Change shape' }).click()
      await page.waitForSelector('.draw-tools')
      await page.getByRole('button', { name: /^Delete (this|all) polygon/ }).click()
    }
    await drawRectangle(pages[0], 0.3, 0.6)
    await save(pages[0])
    await until(async () => JSON.stringify(await ring()) !== JSON.stringify(before), 'the first shape')
    const first = await ring()
    await drawRectangle(pages[1], 0.35, 0.7)
    await save(pages[1])
    await pages[1].getByText('Somebody else has changed this shape').waitFor()
    await expectAccessible(pages[1])
    expect(await ring()).toEqual(first)
    await pages[1].getByRole('button', { name: choice }).click()
    await pages[1].getByRole('button', { name: 'Change shape' }).waitFor()
    if (choice === 'Save my shape') expect(await ring()).not.toEqual(first)
    else expect(await ring()).toEqual(first)
    for (const page of pages) await page.close()
  }
}, 300_000)

test('a circle is drawn, undone by button and keyboard, and drawn again', async () => {
  const context = await as(operator, SMALL)
  const page = await open(context, '/zones/new')
  await page.waitForSelector('.draw-tools')
  const box = await boxOf(page.locator('.map'))
  const middle: Position = [box.x + box.width / 2, box.y + box.height / 2]
  const undo = page.getByRole('button', { name: 'Undo' })
  await until(() => undo.isDisabled(), 'nothing to undo')
  const draw = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Draw circle' }).click()
    await page.getByRole('button', { name: 'Draw circle', pressed: true }).waitFor()
    await page.mouse.click(...middle)
    await page.mouse.move(middle[0] + 40, middle[1] + 20, { steps: 4 })
    await page.mouse.move(middle[0] + 80, middle[1], { steps: 4 })
    await page.mouse.click(middle[0] + 80, middle[1])
    await page.waitForSelector('[data-testid="inside"]')
    await until(() => undo.isEnabled(), 'the circle')
  }
  await draw()
  const text = (await page.locator('.draw-measure').textContent()) ?? ''
  const METRES = { m: 1, km: 1000, 'm²': 1, ha: 10_000, 'km²': 1_000_000 }
  // a shown number is at most half of its last digit away from the true one
  const [area, edge] = [...text.matchAll(/(\d[\d,]*)(\.\d+)?\s(km²|m²|ha|km|m)/g)].map(
    ([, whole = '', decimals = '.', unit]) => {
      const scale = METRES[unit as keyof typeof METRES]
      const half = 0.5 / 10 ** (decimals.length - 1)
      const value = Number(whole.replaceAll(',', '') + decimals)
      return [(value - half) * scale, (value + half) * scale] as const
    },
  )
  if (area === undefined || edge === undefined) throw new Error(`no area and length in "${text}"`)
  // of all shapes with this perimeter, a circle has the largest area
  const roundness = (areaM2: number, edgeM: number): number => (4 * Math.PI * areaM2) / edgeM ** 2
  expect(roundness(area[1], edge[0])).toBeGreaterThan(0.95)
  expect(roundness(area[0], edge[1])).toBeLessThan(1.005)
  expect(roundness(area[1], edge[0]) - roundness(area[0], edge[1])).toBeLessThan(0.2)
  await page.waitForSelector('[data-testid="inside"]')
  await undo.click()
  await until(() => undo.isDisabled(), 'undoing by button')
  await until(async () => (await page.locator('[data-testid="inside"]').count()) === 0, 'hiding who is inside')
  await draw()
  await page.locator('.map canvas').first().focus()
  await page.keyboard.press('Control+z')
  await until(() => undo.isDisabled(), 'undoing by keyboard')
  await draw()
  await page.getByRole('button', { name: /^Delete (this|all) polygon/ }).click()
  await until(async () => (await page.locator('[data-testid="inside"]').count()) === 0, 'removing the circle')
  // a removal can be undone too
  await undo.click()
  await page.waitForSelector('[data-testid="inside"]')
}, 300_000)

test('the last corner of a polygon is undone while it is drawn', async () => {
  const context = await as(operator, SMALL)
  const page = await open(context, '/zones/new')
  await page.waitForSelector('.draw-tools')
  const box = await boxOf(page.locator('.map'))
  const undo = page.getByRole('button', { name: 'Undo' })
  const corner = async (x: number, y: number): Promise<void> => {
    const at: Position = [box.x + box.width * x, box.y + box.height * y]
    await page.mouse.move(...at, { steps: 3 })
    await page.mouse.click(...at)
  }
  await until(() => undo.isDisabled(), 'nothing to undo')
  await corner(0.3, 0.3)
  await corner(0.6, 0.3)
  await until(() => undo.isEnabled(), 'corners to take back')
  // assets inside are counted for complete shapes only
  expect(await page.locator('[data-testid="inside"]').count()).toBe(0)
  // far away, and undone by the keyboard; then one undone by the button
  await corner(0.9, 0.8)
  await page.keyboard.press('Control+z')
  await corner(0.8, 0.7)
  await undo.click()
  await corner(0.6, 0.6)
  await corner(0.3, 0.6)
  await corner(0.3, 0.3)
  await page.getByRole('textbox', { name: 'Name' }).fill('Corners')
  await page.getByRole('button', { name: 'Create zone rule' }).click()
  await page.waitForURL(/zones\/rul_/)
  const { data } = await instance.query<{ items: Rule[] }>(organization, '/rules')
  const made = data.items.find(({ name }) => name === 'Corners')
  const path = `/owners/${organization.id}/layers/${made?.layerId}/features`
  const drawn = (await instance.manage<Features>('GET', path)).items[0]?.geometry.coordinates[0] ?? []
  // four corners, the first one again at the end
  expect(drawn.length).toBe(5)
  const [xs, ys] = [drawn.map(([x]) => x), drawn.map(([, y]) => y)]
  expect([new Set(xs.map((x) => x.toFixed(4))).size, new Set(ys.map((y) => y.toFixed(4))).size]).toEqual([2, 2])
}, 300_000)

test('events of a zone are points on its map, and a chosen one is in the middle', async () => {
  const path = `/owners/${organization.id}/layers/${rule.layerId}/features`
  await instance.manage('PUT', path, {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', id: '1', properties: {}, geometry: { type: 'Polygon', coordinates: [SQUARE] } }],
  })
  await send([30.5, 30.5])
  await send([31.25, 30.75])
  // the asset itself moves far away
  await send([50, 10])
  const context = await as(member, SMALL)
  const page = await open(context, `/zones/${rule.id}?tab=events`)
  await page.locator('.event').first().waitFor()
  expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
  const colourOf = async (): Promise<number[]> => {
    const box = await boxOf(page.locator('.map-canvas'))
    const clip = { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2), width: 1, height: 1 }
    const pixel = await sharp(await page.screenshot({ clip }))
      .removeAlpha()
      .raw()
      .toBuffer()
    return [...pixel]
  }
  const surface = await colourOf()
  await page.locator('.event button').first().click()
  await until(async () => {
    const found = await colourOf()
    return Math.max(...found.map((value, i) => Math.abs(value - (surface[i] as number)))) > 60
  }, 'the event in the middle of the map')
}, 300_000)

test('coordinates under the pointer can use any system of the registry, and survive a reload', async () => {
  const context = await as(member, SMALL)
  const page = await open(context, '/map?at=52.5,-1.5,9')
  const select = page.getByRole('combobox', { name: 'Coordinates' })
  const dialog = page.getByRole('dialog', { name: 'Coordinates' })
  await select.selectOption('Another system…')
  await dialog.getByRole('searchbox').fill('<b>💥')
  await dialog.getByText('Nothing found').waitFor()
  // a system whose projection the library lacks
  await dialog.getByRole('searchbox').fill('8441')
  await dialog.getByRole('button', { name: /EPSG:8441/ }).click()
  await dialog.getByText('cannot be computed in the browser').waitFor()
  await dialog.getByRole('searchbox').fill('british national grid')
  await dialog.getByRole('button', { name: /EPSG:27700/ }).waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: /EPSG:27700/ }).click()
  await dialog.waitFor({ state: 'detached' })
  const shown = async (): Promise<number[]> => {
    const box = await boxOf(page.locator('.map-canvas'))
    const middle = [box.x + box.width / 2, box.y + box.height / 2] as const
    await page.mouse.move(middle[0] + 3, middle[1] + 3)
    await page.mouse.move(...middle)
    const text = (await page.getByTestId('coordinates').textContent()) ?? ''
    return [...text.matchAll(/([\d.]+) [EN]/g)].map(([, number]) => Number(number))
  }
  const [expected = [0, 0]] = transformed('EPSG:4326', 'EPSG:27700', [[-1.5, 52.5]])
  const isNear = async (): Promise<boolean> => {
    const [east = 0, north = 0] = await shown()
    // a pixel is about 190 metres here
    return Math.hypot(east - expected[0], north - expected[1]) < 400
  }
  await until(isNear, 'coordinates of the national grid')
  await page.reload()
  await page.waitForSelector('.map[data-ready="true"]')
  await until(isNear, 'coordinates after a reload')
}, 300_000)

test('a zone rule waits until a sensor has stayed, ignores jumps at the edge, and shows its distance on the map', async () => {
  const page = await open(await as(operator, SMALL), `/zones/${rule.id}`)
  await page.getByLabel('Reports').selectOption('dwell')
  await page.getByLabel('For at least').fill('10')
  await save(page)
  await page.getByText('Write a time with its unit').waitFor()
  await page.getByLabel('For at least').fill('10m')
  await page.getByText('Against flapping at the edge').click()
  await page.getByLabel('Readings in a row').fill('2')

  const picture = async (): Promise<Buffer> => {
    const { x, y, width, height } = await boxOf(page.locator('.map-canvas'))
    const clip = { x: Math.ceil(x), y: Math.ceil(y), width: Math.floor(width), height: Math.floor(height) }
    return sharp(await page.screenshot({ clip }))
      .greyscale()
      .raw()
      .toBuffer()
  }
  let before = await picture()
  // the map comes to rest
  await until(async () => {
    const last = before
    before = await picture()
    return before.equals(last)
  }, 'the map to be still')
  await page.getByLabel(/^Distance from the edge/).fill('5000')
  await until(async () => {
    const now = await picture()
    const changed = now.reduce((sum, value, i) => sum + (Math.abs(value - (before[i] as number)) > 20 ? 1 : 0), 0)
    // a line of a pixel around the zone, and no area
    return changed > 200 && changed < now.length / 50
  }, 'an outline around the zone')
  await expectAccessible(page)
  await save(page)
  await page.getByRole('heading', { name: 'How long inside' }).waitFor()
  expect(await stored()).toMatchObject({ when: 'dwell', dwellSeconds: 600, minReadings: 2, bufferM: 5_000 })
  await page.getByRole('link', { name: 'Newest alerts' }).click()
  await page.getByText(/^Fires when a sensor stays in/).waitFor()
  await page.getByText('A sensor has left when it is more than').waitFor()
}, 300_000)
