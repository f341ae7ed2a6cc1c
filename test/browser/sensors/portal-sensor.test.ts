/** The charts, refusals and readings of a sensor in Chromium, compared with the readings sent. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { boxOf, saved } from '../../support/browser/browser.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { LONG_NAME, sensorPages } from '../../support/browser/sensor-pages.ts'
import { eventually, until } from '../../support/until.ts'

const HOUR_MS = 3_600_000

const { instance, organization, sensorWith, signedIn, openSensor } = sensorPages()

/** A reading every ten seconds until now, with an hour of silence in the middle. */
function threeHours(nowMs: number): { at: string; values: Record<string, number | boolean> }[] {
  return Array.from({ length: 1_080 }, (_, i) => nowMs - (1_080 - i) * 10_000)
    .filter((ms) => ms < nowMs - 2 * HOUR_MS || ms > nowMs - HOUR_MS)
    .map((ms) => ({
      at: new Date(ms).toISOString(),
      values: { temperature: 60 + ((ms / 10_000) % 7), 'pressure, gauge': 1.5, running: ms % 60_000 < 30_000 },
    }))
}

const drawn = (page: Page) => page.waitForSelector('.chart-panels[aria-busy="false"][data-points] canvas')
const stepOf = async (page: Page): Promise<number> => Number(await page.getAttribute('.chart-panels', 'data-step'))
const queryOf = (page: Page) => new URL(page.url()).searchParams

test('a chart shows the readings sent, zooms to a finer step, and goes back', async () => {
  const readings = threeHours(Math.floor(Date.now() / 10_000) * 10_000)
  const sensor = await sensorWith(readings, LONG_NAME)
  const page = await openSensor(await signedIn(), sensor, 'range=6h')
  await drawn(page)
  await eventually(async () => {
    expect(await page.textContent('h1')).toBe(LONG_NAME)
    // a panel for each unit, and one for booleans
    expect(await page.locator('.chart-panel').count()).toBe(3)
  })
  await expectAccessible(page)

  // the table has every bucket, with its average, compared with a plain loop
  const coarse = await stepOf(page)
  await page.getByRole('button', { name: 'Show the values as a table' }).click()
  const buckets = Map.groupBy(readings, ({ at }) => Math.floor(Date.parse(at) / coarse))
  const newest = buckets.get(Math.max(...buckets.keys())) ?? []
  const mean = newest.reduce((sum, { values }) => sum + Number(values.temperature), 0) / newest.length
  // the last reading may arrive after the chart was loaded
  await until(async () => {
    const cell = await page.locator('.chart .plain-table tbody tr:first-child td:nth-child(2)').textContent()
    return Math.abs(Number.parseFloat((cell ?? '').replace(/[\u2066-\u2069]/g, '')) - mean) < 0.005
  }, `the mean ${mean} of the newest bucket`)

  const plot = await boxOf(page.locator('.chart-plot .u-over').first())
  await page.mouse.move(plot.x + plot.width * 0.8, plot.y + 50)
  await page.mouse.down()
  await page.mouse.move(plot.x + plot.width * 0.9, plot.y + 60, { steps: 5 })
  await page.mouse.up()
  await page.waitForSelector(`.chart-panels[aria-busy="false"]:not([data-step="${coarse}"])`)
  expect(await stepOf(page)).toBeLessThan(coarse)
  await eventually(() => {
    const length = Date.parse(queryOf(page).get('to') ?? '') - Date.parse(queryOf(page).get('from') ?? '')
    expect(Math.abs(length - 0.6 * HOUR_MS)).toBeLessThan(60_000)
  })

  await page.getByRole('button', { name: 'Back to the range before' }).click()
  await page.waitForSelector(`.chart-panels[data-step="${coarse}"]`)
  await eventually(() => expect(queryOf(page).get('range')).toBe('6h'))
}, 300_000)

test('the keyboard zooms too, and picture and CSV are saved', async () => {
  const sensor = await sensorWith(threeHours(Math.floor(Date.now() / 10_000) * 10_000), 'Boiler 4')
  const page = await openSensor(await signedIn(), sensor, 'range=6h')
  await drawn(page)
  await page.locator('.chart-panels').focus()
  await page.keyboard.press('End')
  for (let i = 0; i < 20; i++) await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.press('Enter')
  await page.waitForURL(/from=/)
  await drawn(page)

  const picture = await saved(page.getByRole('button', { name: 'PNG', exact: true }))
  const csv = await saved(page.getByRole('button', { name: 'CSV', exact: true }))
  expect([picture.name, csv.name]).toEqual([
    expect.stringMatching(/^Boiler 4 .*\.png$/),
    expect.stringMatching(/^Boiler 4 .*\.csv$/),
  ])
  expect(picture.bytes.subarray(1, 4).toString()).toBe('PNG')
  const [head, ...lines] = csv.text.trim().split('\r\n')
  expect(head).toStartWith('at,temperature,temperature min,temperature max,"pressure, gauge"')
  expect(lines.length).toBeGreaterThan(10)
}, 300_000)

test('a reading that is sent while the page is open appears on it', async () => {
  const firstMs = Date.now()
  const sensor = await sensorWith([{ at: new Date(firstMs).toISOString(), values: { temperature: 1 } }], 'Live')
  const page = await openSensor(await signedIn(), sensor, 'range=1h')
  await page.waitForSelector('.live-note.live-live')
  await drawn(page)
  const before = Number(await page.getAttribute('.chart-panels', 'data-points'))
  const stepMs = await stepOf(page)
  const bucketOf = (ms: number): number => Math.floor(ms / stepMs)
  await until(() => bucketOf(Date.now()) > bucketOf(firstMs), 'the next bucket')
  await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { temperature: 42.25 } }] })
  await page.waitForSelector('.values-number:has-text("42.25")')
  await page.waitForSelector(`.chart-panels:not([data-points="${before}"])`)
}, 300_000)

test('refused readings are shown with reason, example and remedy, in both languages', async () => {
  const sensor = await sensorWith([{ at: new Date().toISOString(), values: { temperature: 1 } }], 'Refused')
  await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { temprature: 7 } }] })
  for (const [language, text, button] of [
    ['en', 'channel that the sensor does not have', 'Add the channel'],
    ['ar', 'لقناة غير موجودة في المستشعر', 'إضافة القناة'],
  ] as const) {
    const page = await openSensor(await signedIn({ language, width: 390 }), sensor, 'tab=refused')
    await page.waitForSelector(`.refusals h3:has-text("${text}")`)
    await eventually(async () => expect(await page.textContent('.refusals pre')).toContain('"temprature": 7'))
    await expectAccessible(page)
    await page.getByRole('link', { name: button }).click()
    const added = page.locator('.channels .channel:not(.channel-head)').nth(3).locator('input').first()
    await added.waitFor()
    await eventually(async () => expect(await added.inputValue()).toBe('temprature'))
  }
}, 300_000)

test('readings are shown page by page, and exported as the API does', async () => {
  const sent = threeHours(Math.floor(Date.now() / 10_000) * 10_000)
  const sensor = await sensorWith(sent, 'Raw')
  await until(async () => {
    const { data } = await instance.query<{ at: string }>(organization, `/sensors/${sensor.id}/latest`)
    return data.at === sent.at(-1)?.at
  }, 'the last reading')
  const page = await openSensor(await signedIn(), sensor, 'tab=readings&range=1h')
  await page.waitForSelector('.plain-table tbody tr')
  await eventually(async () => expect(await page.locator('.plain-table tbody tr').count()).toBe(100))
  const firstRow = await page.locator('.plain-table tbody tr:first-child').textContent()
  await page.getByRole('button', { name: 'Next page' }).click()
  await until(
    async () => (await page.locator('.plain-table tbody tr:first-child').textContent()) !== firstRow,
    'page 2',
  )
  await page.getByRole('button', { name: 'Previous page' }).click()
  await until(
    async () => (await page.locator('.plain-table tbody tr:first-child').textContent()) === firstRow,
    'page 1',
  )
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Oldest first')
  await until(
    async () => (await page.locator('.plain-table tbody tr:first-child').textContent()) !== firstRow,
    'the oldest',
  )
  await page.waitForURL(/[?&]order=asc/)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Export readings' }).click()
  const { text } = await saved(page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }))
  const [head] = text.split('\r\n')
  expect(head).toContain('temperature,"pressure, gauge",running')
}, 300_000)
