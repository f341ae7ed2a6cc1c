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

test('on a phone the tab that the address selects is in view', async () => {
  const sensor = await sensorWith([{ at: new Date().toISOString(), values: { temperature: 60 } }], 'Tabs')
  for (const language of ['en', 'ar'] as const) {
    const page = await openSensor(await signedIn({ width: 390, language }), sensor, 'tab=settings')
    const tab = page.getByRole('tab', { selected: true })
    const { x, width } = await boxOf(tab)
    expect(await tab.getAttribute('data-tab')).toBe('settings')
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x + width).toBeLessThanOrEqual(390)
  }
}, 300_000)

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
    const rows = page.getByRole('group', { name: 'Charts', exact: true })
    const cell = await rows.locator('tbody tr:first-child td:nth-child(2)').textContent()
    return Math.abs(Number.parseFloat((cell ?? '').replace(/[\u2066-\u2069]/g, '')) - mean) < 0.005
  }, `the mean ${mean} of the newest bucket`)

  await page.locator('.chart-plot .u-over').first().scrollIntoViewIfNeeded()
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

test('alerts that are loaded during a drag do not end the drag', async () => {
  const sensor = await sensorWith(threeHours(Math.floor(Date.now() / 10_000) * 10_000), 'Dragged')
  const context = await signedIn()
  const held = Promise.withResolvers<void>()
  await context.route('**/enterprise/v1/assets/alerts?*', async (route) => {
    await held.promise
    await route.continue()
  })
  const page = await openSensor(context, sensor, 'range=6h')
  await drawn(page)
  await page.locator('.chart-plot .u-over').first().scrollIntoViewIfNeeded()
  const plot = await boxOf(page.locator('.chart-plot .u-over').first())
  const at = (share: number) => page.mouse.move(plot.x + plot.width * share, plot.y + 50)
  await at(0.8)
  await page.mouse.down()
  await at(0.82)
  const loaded = page.waitForResponse((response) => response.url().includes('/enterprise/v1/assets/alerts?'))
  held.resolve()
  await (await loaded).finished()
  // until the page has drawn what it loaded
  await page.evaluate(
    'new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 200))',
  )
  for (const share of [0.84, 0.86, 0.88, 0.9]) await at(share)
  await page.mouse.up()
  await page.waitForURL((url) => url.searchParams.has('to'))
  const length = Date.parse(queryOf(page).get('to') ?? '') - Date.parse(queryOf(page).get('from') ?? '')
  expect(Math.abs(length - 0.6 * HOUR_MS)).toBeLessThan(60_000)
}, 300_000)

/** The labels that the first panel draws from now on, with their height above the bottom of its plot, in pixels. */
const RECORD_LABELS = `{
  const [canvas] = document.querySelectorAll('.chart-plot canvas')
  const bottom = document.querySelector('.chart-plot .u-over').getBoundingClientRect().bottom
  const above = (bottom - canvas.getBoundingClientRect().top) * devicePixelRatio
  const draw = CanvasRenderingContext2D.prototype.fillText
  globalThis.drawnLabels = []
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (this.canvas === canvas) drawnLabels.push([text, x, above - y])
    return draw.apply(this, arguments)
  }
}`
/** The share of the columns of a part of the first plot that have the colour of its line. */
const LINE_SHARE = (from: number, to: number) => `(() => {
  const canvas = document.querySelector('.chart-plot canvas')
  const over = document.querySelector('.chart-plot .u-over').getBoundingClientRect()
  const left = over.left - canvas.getBoundingClientRect().left
  const [start, width] = [left + over.width * ${from}, over.width * (${to} - ${from})].map((px) => Math.round(px * devicePixelRatio))
  const { data } = canvas.getContext('2d').getImageData(start, 0, width, canvas.height)
  const columns = new Set()
  for (let i = 0; i < data.length; i += 4)
    if (data[i] < 90 && data[i + 1] > 70 && data[i + 1] < 170 && data[i + 2] > 140) columns.add((i / 4) % width)
  return columns.size / width
})()`
const plain = (text: string | null): string => (text ?? '').replaceAll(/[\u2066-\u2069]/g, '').replaceAll(/\s+/g, ' ')
const numberIn = (text: string | null): number =>
  Number(
    plain(text)
      .replaceAll(',', '')
      .match(/-?\d+(\.\d+)?/)?.[0],
  )

test('what a chart says about its axis, points and times agrees with what it draws, and with the readings', async () => {
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000
  // a reading every twenty minutes, and in the last hour every two
  const times = Array.from({ length: 18 }, (_, i) => nowMs - (18 - i) * 20 * 60_000)
    .filter((ms) => ms < nowMs - HOUR_MS)
    .concat(Array.from({ length: 30 }, (_, i) => nowMs - HOUR_MS + i * 120_000))
    // not at the start of any step
    .map((ms) => ms + 17_000)
  const readings = times.map((ms, i) => ({
    at: new Date(ms).toISOString(),
    values: { temperature: 1_010.25 + i * 0.15 },
  }))
  const sensor = await sensorWith(readings, 'Barometer')
  const page = await openSensor(await signedIn(), sensor, 'range=6h')
  await drawn(page)
  await until(async () => (await page.getAttribute('.chart-panels', 'data-points')) !== '0', 'points')
  // one reading in each point, and no mean
  const step = page.locator('.chart-step')
  await eventually(async () => expect(await step.textContent()).toContain('Each point is one reading'))
  expect(plain(await step.textContent())).toContain('times in UTC')
  expect(await page.locator('.chart-time').textContent()).toContain('Newest readings')

  // the slow stretch is a line
  await until(async () => Number(await page.evaluate(LINE_SHARE(0.1, 0.8))) > 0.95, 'a line instead of dots')

  // the bottom of the plot, computed from two of the labels
  await page.evaluate(RECORD_LABELS)
  await page.setViewportSize({ width: 1100, height: 800 })
  await eventually(async () => {
    const labels = (await page.evaluate('drawnLabels')) as [string, number, number][]
    const values = labels.filter(([text, x]) => x < 60 && /^[\d,.]+$/.test(text))
    const [low, high] = [values.at(0), values.at(-1)] as [(typeof values)[0], (typeof values)[0]]
    const perPixel = (numberIn(high[0]) - numberIn(low[0])) / (high[2] - low[2])
    const start = numberIn(low[0]) - low[2] * perPixel
    expect(Math.abs(numberIn(await page.textContent('.chart-zero')) - start)).toBeLessThan(2 * Math.abs(perPixel))
  })

  // the cursor names the bucket of the value that it shows
  const plot = await boxOf(page.locator('.chart-plot .u-over').first())
  await page.mouse.move(plot.x + plot.width * 0.43, plot.y + 50)
  const time = page.locator('.chart-time bdi')
  await time.waitFor()
  const value = numberIn(await page.locator('.chart-number').first().textContent())
  const read = readings.find(({ values }) => Math.abs(values.temperature - value) < 0.01)?.at ?? ''
  const span = /(\S+) – (\S+)$/.exec(plain(await time.textContent()))
  const clock = read.slice(11, 19)
  expect([(span?.[1] ?? '') <= clock, clock < (span?.[2] ?? '')]).toEqual([true, true])

  const csv = await saved(page.getByRole('button', { name: 'CSV', exact: true }))
  const [head, ...lines] = csv.text.replace('\ufeff', '').trim().split('\r\n')
  const stepMs = await stepOf(page)
  expect(head).toStartWith(`start of ${stepMs / 60_000} min (UTC),temperature (°C)`)
  const bucketOf = ({ at }: { at: string }): string =>
    new Date(Math.floor(Date.parse(at) / stepMs) * stepMs).toISOString().replace('.000Z', '+00:00')
  const expected = readings.map((one) => `${bucketOf(one)},${one.values.temperature}`)
  expect(lines.map((line) => line.split(',').slice(0, 2).join(','))).toEqual(
    expected.slice(expected.length - lines.length),
  )
  expect(lines.length).toBeGreaterThan(40)

  // a longer range has means, and says so
  await page.getByRole('radio', { name: '30 d' }).check()
  await eventually(async () => {
    expect(plain(await step.textContent())).toMatch(/Each point is the mean of \d/)
    await page.mouse.move(5, 5)
    expect(plain(await page.locator('.chart-time').textContent())).toMatch(/Means of the newest \d/)
  })

  // in Arabic, the month follows its day from right to left
  const arabic = await openSensor(await signedIn({ language: 'ar' }), sensor, 'range=6h')
  await drawn(arabic)
  await arabic.evaluate(`{
    globalThis.drawnTexts = []
    const draw = CanvasRenderingContext2D.prototype.fillText
    CanvasRenderingContext2D.prototype.fillText = function (text) {
      drawnTexts.push(text)
      return draw.apply(this, arguments)
    }
  }`)
  await arabic.setViewportSize({ width: 1100, height: 800 })
  await eventually(async () => {
    const texts = await arabic.evaluate<string[]>('drawnTexts')
    expect(texts.filter((text) => /\p{Script=Arabic}/u.test(text))[0]).toMatch(/^\u2067\d+\u00a0[^\d]+\u2069$/)
  })
}, 300_000)

test('no time of an axis is cut by the edge of the chart', async () => {
  const sensor = await sensorWith([{ at: new Date().toISOString(), values: { temperature: 60 } }], 'Edges')
  const toMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const span = `from=${new Date(toMs - 3 * HOUR_MS).toISOString()}&to=${new Date(toMs).toISOString()}`
  const page = await openSensor(await signedIn({ width: 900 }), sensor, span)
  await drawn(page)
  await page.evaluate(`{
    globalThis.times = []
    const draw = CanvasRenderingContext2D.prototype.fillText
    CanvasRenderingContext2D.prototype.fillText = function (text, x) {
      const half = this.measureText(text).width / 2
      if (/^\\d\\d:\\d\\d$/.test(text)) times.push({ text, isCut: x - half < 0 || x + half > this.canvas.width })
      return draw.apply(this, arguments)
    }
  }`)
  await page.setViewportSize({ width: 1100, height: 800 })
  await eventually(async () => {
    const times = await page.evaluate<{ text: string; isCut: boolean }[]>('times')
    expect(times.length).toBeGreaterThan(3)
    expect(times.filter(({ isCut }) => isCut)).toEqual([])
  })
}, 300_000)

test('notes stand in one strip above all panels, are counted where they are close together, and can be hidden', async () => {
  const nowMs = Date.now()
  const sensor = await sensorWith(threeHours(Math.floor(nowMs / 10_000) * 10_000), 'Noted')
  const headers = { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey }
  for (let i = 1; i <= 30; i++) {
    const body = {
      at: new Date(nowMs - i * 60_000).toISOString(),
      text: `Note ${i}`,
      sensorId: sensor.id,
      shared: true,
    }
    const made = await fetch(`${instance.url()}/enterprise/v1/assets/notes`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(made.status).toBe(200)
  }
  const page = await openSensor(await signedIn(), sensor, 'range=6h')
  await drawn(page)
  const signs = page.locator('.chart-marks .chart-sign')
  const counted = async (): Promise<number> => {
    const texts = await signs.allTextContents()
    return texts.reduce((sum, text) => sum + Number(/\d+/.exec(text)?.[0] ?? 1), 0)
  }
  await eventually(async () => expect(await counted()).toBe(30))
  expect(await signs.count()).toBeLessThan(10)
  expect([await page.locator('.chart-marks').count(), await page.locator('.chart-panel').count()]).toEqual([1, 3])

  await page.getByRole('button', { name: 'Write a note' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note', { exact: true }).fill('Valve replaced')
  await dialog.getByRole('button', { name: 'Save note' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Valve replaced' }).waitFor()
  await eventually(async () => expect(await counted()).toBe(31))

  await page.getByRole('button', { name: '31 events' }).click()
  await page.waitForURL(/events=off/)
  await page.reload()
  await drawn(page)
  expect(await page.locator('.chart-marks').count()).toBe(0)
  await page.getByRole('button', { name: '31 events' }).click()
  await signs.first().waitFor()

  const arabic = await openSensor(await signedIn({ language: 'ar', theme: 'dark', width: 390 }), sensor, 'range=6h')
  await drawn(arabic)
  await arabic.getByText('Valve replaced').waitFor()
  await expectAccessible(arabic)
  const note = page.getByRole('listitem').filter({ hasText: 'Valve replaced' })
  await note.getByRole('button', { name: 'Delete note' }).click()
  await note.waitFor({ state: 'detached' })
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
  expect(head).toMatch(/start of .* \(UTC\),temperature \(°C\),"pressure, gauge \(bar\)"/)
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
