/** A sensor's page in Chromium: what a person does there, with real readings, keys and files. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { startBrowser, type View, visitor } from './support/browser.ts'
import { createInstance, type Instance, type MadeSensor, type Organization } from './support/instance.ts'
import { cookieOf, operatorAccount } from './support/sessions.ts'
import { until } from './support/until.ts'

let instance: Instance
let browser: Browser
let organization: Organization
let cookie = ''
let dir = ''
const HOUR_MS = 3_600_000
const NAME = `<b>Boiler</b> \u202e3 ${'x'.repeat(60)}`
const CHANNELS = [
  { name: 'temperature', measurement: 'number' as const, unit: '°C' },
  { name: 'pressure, gauge', measurement: 'number' as const, unit: 'bar' },
  { name: 'running', measurement: 'boolean' as const },
]

async function sensorWith(readings: object[], name = NAME): Promise<MadeSensor> {
  const sensor = await instance.manage<MadeSensor>('POST', `/enterprises/${organization.id}/sensors`, {
    ...{ name, assetName: 'Boiler house', tags: ['heat'], channels: CHANNELS },
  })
  for (let i = 0; i < readings.length; i += 500)
    expect((await instance.send(sensor, { readings: readings.slice(i, i + 500) })).status).toBe(200)
  return sensor
}

/** Every ten seconds until now, with an hour of silence in the middle. */
function threeHours(nowMs: number): { at: string; values: Record<string, number | boolean> }[] {
  return Array.from({ length: 1_080 }, (_, i) => nowMs - (1_080 - i) * 10_000)
    .filter((ms) => ms < nowMs - 2 * HOUR_MS || ms > nowMs - HOUR_MS)
    .map((ms) => ({
      at: new Date(ms).toISOString(),
      values: { temperature: 60 + ((ms / 10_000) % 7), 'pressure, gauge': 1.5, running: ms % 60_000 < 30_000 },
    }))
}

beforeAll(async () => {
  await buildPortal()
  dir = mkdtempSync(join(tmpdir(), 'groundwave-portal-sensor-'))
  instance = await createInstance({ SENSOR_CALLS_PER_MINUTE: '100000' })
  organization = await instance.organization('scale')
  cookie = cookieOf(await operatorAccount(instance))
  browser = await startBrowser()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
  rmSync(dir, { recursive: true, force: true })
})

async function signedIn(view: View = {}): Promise<BrowserContext> {
  const context = await visitor(browser, instance.url(), view)
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: instance.url() }])
  return context
}
async function open(context: BrowserContext, sensor: MadeSensor, query = ''): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => {
    throw error
  })
  await page.goto(`/portal/sensors/${sensor.id}?enterprise=${organization.id}&${query}`)
  await page.waitForSelector('.values')
  return page
}
const drawn = (page: Page) => page.waitForSelector('.chart-panels[aria-busy="false"][data-points] canvas')
const stepOf = async (page: Page): Promise<number> => Number(await page.getAttribute('.chart-panels', 'data-step'))
const queryOf = (page: Page) => new URL(page.url()).searchParams

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
}

test('a chart shows what was sent, zooms to a finer step, and goes back', async () => {
  const readings = threeHours(Math.floor(Date.now() / 10_000) * 10_000)
  const sensor = await sensorWith(readings)
  const context = await signedIn()
  const page = await open(context, sensor, 'range=6h')
  await drawn(page)
  expect(await page.textContent('h1')).toBe(NAME)
  // a panel for each unit, and one for on and off
  expect(await page.locator('.chart-panel').count()).toBe(3)
  await expectAccessible(page)

  // the table has every bucket, with its average, compared with a plain loop
  const coarse = await stepOf(page)
  await page.getByRole('button', { name: 'Show the values as a table' }).click()
  const buckets = Map.groupBy(readings, ({ at }) => Math.floor(Date.parse(at) / coarse))
  const newest = buckets.get(Math.max(...buckets.keys())) ?? []
  const mean = newest.reduce((sum, { values }) => sum + Number(values.temperature), 0) / newest.length
  const cell = await page.locator('.chart .plain-table tbody tr:first-child td:nth-child(2)').innerText()
  expect(Number.parseFloat(cell.replace(/[\u2066-\u2069]/g, ''))).toBeCloseTo(mean, 2)

  const plot = await page.locator('.chart-plot .u-over').first().boundingBox()
  if (plot === null) throw new Error('The chart has no plot')
  await page.mouse.move(plot.x + plot.width * 0.8, plot.y + 50)
  await page.mouse.down()
  await page.mouse.move(plot.x + plot.width * 0.9, plot.y + 60, { steps: 5 })
  await page.mouse.up()
  await page.waitForFunction((before) => {
    const panels = document.querySelector<HTMLElement>('.chart-panels')
    return panels?.getAttribute('aria-busy') === 'false' && Number(panels.dataset.step) < before
  }, coarse)
  const length = Date.parse(queryOf(page).get('to') ?? '') - Date.parse(queryOf(page).get('from') ?? '')
  expect(Math.abs(length - 0.6 * HOUR_MS)).toBeLessThan(60_000)

  await page.getByRole('button', { name: 'Back to the range before' }).click()
  await page.waitForFunction(
    (step) => document.querySelector<HTMLElement>('.chart-panels')?.dataset.step === step,
    String(coarse),
  )
  expect(queryOf(page).get('range')).toBe('6h')
  await context.close()
}, 120_000)

test('the keyboard zooms too, and picture and CSV are saved', async () => {
  const sensor = await sensorWith(threeHours(Math.floor(Date.now() / 10_000) * 10_000), 'Boiler 4')
  const context = await signedIn()
  const page = await open(context, sensor, 'range=6h')
  await drawn(page)
  await page.locator('.chart-panels').focus()
  await page.keyboard.press('End')
  for (let i = 0; i < 20; i++) await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => location.search.includes('from='))
  await drawn(page)

  const saved = async (name: string): Promise<Buffer> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(new RegExp(`^Boiler 4 .*\\.${name.toLowerCase()}$`))
    return readFileSync(await download.path())
  }
  expect((await saved('PNG')).subarray(1, 4).toString()).toBe('PNG')
  const [head, ...lines] = (await saved('CSV')).toString().trim().split('\r\n')
  expect(head).toStartWith('at,temperature,temperature min,temperature max,"pressure, gauge"')
  expect(lines.length).toBeGreaterThan(10)
  await context.close()
}, 120_000)

test('a reading that is sent while the page is open appears on it', async () => {
  const sensor = await sensorWith([{ at: new Date().toISOString(), values: { temperature: 1 } }], 'Live')
  const context = await signedIn()
  const page = await open(context, sensor, 'range=1h')
  await page.waitForSelector('.live-note.live-live')
  await drawn(page)
  const before = Number(await page.getAttribute('.chart-panels', 'data-points'))
  await until(() => Date.now() % 15_000 < 1_000, 'the next bucket')
  await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { temperature: 42.25 } }] })
  await page.waitForSelector('.values-number:has-text("42.25")')
  await page.waitForFunction(
    (count) => Number(document.querySelector<HTMLElement>('.chart-panels')?.dataset.points) > count,
    before,
  )
  await context.close()
}, 120_000)

test('refused readings are shown with reason, example and what to change, in both languages', async () => {
  const sensor = await sensorWith([{ at: new Date().toISOString(), values: { temperature: 1 } }], 'Refused')
  await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { temprature: 7 } }] })
  for (const [language, text, button] of [
    ['en', 'channel that the sensor does not have', 'Add the channel'],
    ['ar', 'لقناة غير موجودة في المستشعر', 'إضافة القناة'],
  ] as const) {
    const context = await signedIn({ language, width: 390 })
    const page = await open(context, sensor, 'tab=refused')
    await page.waitForSelector(`.refusals h3:has-text("${text}")`)
    expect(await page.textContent('.refusals pre')).toContain('"temprature": 7')
    await expectAccessible(page)
    await page.getByRole('link', { name: button }).click()
    await until(
      async () =>
        (
          await page.locator('.channels input').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
        ).includes('temprature'),
      'the channel in the settings',
    )
    await context.close()
  }
}, 120_000)

test('a key is shown once, its command works as shown, and a revoked key does not', async () => {
  const sensor = await sensorWith([], 'Keys')
  const context = await signedIn()
  const page = await open(context, sensor, 'tab=settings')
  await page.getByRole('button', { name: 'Add a key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('new gateway')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a key' }).click()
  const key = (await page.textContent('[data-testid="key"]'))?.trim() ?? ''
  expect(key).toMatch(/^svcsn_/)
  for (const language of ['curl', 'Python', 'JavaScript'] as const) {
    await page.getByRole('tab', { name: language }).click()
    const code = (await page.textContent('.key-box pre'))?.trim() ?? ''
    const program = {
      curl: ['bash', '-c', code],
      Python: ['python3', '-c', code],
      JavaScript: [process.execPath, '-e', code],
    }
    const { stdout, stderr } = Bun.spawnSync(program[language])
    expect(`${stdout}${stderr}`).toContain('SENSOR_READINGS_RESULT')
  }
  await page.getByRole('button', { name: 'I have saved it' }).click()
  expect(await page.content()).not.toContain(key)
  await page.waitForSelector(`td:has-text("${key.slice(-4)}")`)
  await expectAccessible(page)

  await page
    .getByRole('row', { name: /new gateway/ })
    .getByRole('button', { name: 'Revoke' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.waitForSelector('tr:has-text("new gateway")', { state: 'detached' })
  const refused = await instance.send({ id: sensor.id, key }, { readings: [{ at: new Date().toISOString() }] })
  expect(refused.status).toBe(401)
  const kept = await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { temperature: 2 } }] })
  expect(kept.status).toBe(200)
  await context.close()
}, 120_000)

test('two people who change one sensor: the second sees both versions, and keeps the input', async () => {
  const sensor = await sensorWith([], 'Shared')
  const context = await signedIn()
  const [first, second] = [await open(context, sensor, 'tab=settings'), await open(context, sensor, 'tab=settings')]
  const rename = async (page: Page, unit: string): Promise<void> => {
    await page.getByLabel('Unit 1').fill(unit)
    await page.getByRole('button', { name: 'Save channels' }).click()
  }
  await rename(first, 'K')
  await first.waitForSelector('.toast:has-text("Saved")')
  await rename(second, '°F')
  await second.waitForSelector('dialog:has-text("Somebody else changed this sensor")')
  expect(await second.textContent('dialog tbody tr')).toMatch(/temperature \(K\).*temperature \(°F\)/)
  await expectAccessible(second)
  expect(await second.getByLabel('Unit 1').inputValue()).toBe('°F')
  await second.getByRole('button', { name: 'Save mine' }).click()
  await second.waitForSelector('.toast:has-text("Saved")')
  const stored = await instance.manage<{ channels: { unit: string | null }[] }>('GET', `/sensors/${sensor.id}`)
  expect(stored.channels[0]?.unit).toBe('°F')
  await context.close()
}, 120_000)

test('a CSV with broken rows is uploaded through a lost connection', async () => {
  const sensor = await sensorWith([], 'Uploaded')
  const ROWS = 3_000
  const startMs = Date.now() - ROWS * 60_000
  const lines = ['Time;temperature (°C);"pressure, gauge";running']
  for (let i = 0; i < ROWS; i++) {
    const at = new Date(startMs + i * 60_000).toISOString().slice(0, 19).replace('T', ' ')
    lines.push(`${i % 100 === 7 ? 'broken' : at};${i % 100 === 9 ? 'n/a' : `2${i % 10},5`};1,5;${i % 2 ? 'on' : 'off'}`)
  }
  lines.push(`2999-01-01 00:00:00;1,0;1,5;on`)
  const file = join(dir, 'readings.csv')
  writeFileSync(file, `\ufeff${lines.join('\r\n')}\r\n`)

  const context = await signedIn()
  const page = await open(context, sensor, 'tab=upload')
  await page.locator('input[type="file"]').setInputFiles(file)
  await page.waitForSelector('.upload-preview:has-text("Row 9")')
  expect(await page.textContent('.upload-preview')).toContain('the time “⁨broken⁩” cannot be read')
  await expectAccessible(page)
  await page.getByLabel('Zone of times without an offset').selectOption('UTC')
  let lost = 0
  await page.route('**/assets/sensors/*/readings', (route) => (++lost <= 2 ? route.abort() : route.continue()))
  await page.getByRole('button', { name: 'Upload readings' }).click()
  await page.waitForSelector('text=No connection. The upload goes on by itself.')
  await page.waitForSelector('text=Upload finished')
  const refused = ROWS / 100 + ROWS / 100 + 1
  expect(await page.locator('.upload-counts dd').allInnerTexts()).toEqual([
    (ROWS + 1 - refused).toLocaleString('en'),
    '0',
    String(refused),
  ])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the refused rows' }).click(),
  ])
  const rows = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(rows.length).toBe(refused + 1)
  expect(rows[1]).toStartWith('9,wrongTime,broken')
  expect(rows.at(-1)).toStartWith('3002,SENSOR_READING_IN_FUTURE,2999-01-01')
  const { data } = await instance.query<{ items: { at: string; values: object }[] }>(
    organization,
    `/sensors/${sensor.id}/readings?limit=3`,
  )
  expect(data.items.map(({ at }) => Date.parse(at))).toEqual(
    [0, 1, 2].map((i) => Math.floor((startMs + i * 60_000) / 1000) * 1000),
  )
  expect(data.items[1]?.values).toEqual({ temperature: 21.5, 'pressure, gauge': 1.5, running: true })
  await context.close()
}, 120_000)

test('readings are shown page by page, and exported as the API does', async () => {
  const sensor = await sensorWith(threeHours(Math.floor(Date.now() / 10_000) * 10_000), 'Raw')
  const context = await signedIn()
  const page = await open(context, sensor, 'tab=readings&range=1h')
  await page.waitForSelector('.plain-table tbody tr')
  expect(await page.locator('.plain-table tbody tr').count()).toBe(100)
  const firstRow = await page.locator('.plain-table tbody tr:first-child').innerText()
  await page.getByRole('button', { name: 'Next page' }).click()
  await until(async () => (await page.locator('.plain-table tbody tr:first-child').innerText()) !== firstRow, 'page 2')
  await page.getByRole('button', { name: 'Previous page' }).click()
  await until(async () => (await page.locator('.plain-table tbody tr:first-child').innerText()) === firstRow, 'page 1')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Export readings' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click(),
  ])
  const [head] = readFileSync(await download.path(), 'utf8').split('\r\n')
  expect(head).toContain('temperature,"pressure, gauge",running')
  await context.close()
}, 120_000)

test('a sensor is deleted when its name has been typed', async () => {
  const sensor = await sensorWith([], 'To delete')
  const context = await signedIn({ theme: 'dark' })
  const page = await open(context, sensor, 'tab=settings')
  await page.getByRole('button', { name: 'Delete sensor' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete sensor' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByRole('dialog').getByRole('textbox').fill('To delete')
  await confirm.click()
  await page.waitForURL('**/portal/sensors')
  expect((await instance.query(organization, `/sensors/${sensor.id}/latest`)).code).toBe('NOT_FOUND')
  await context.close()
}, 120_000)

test('an expired session asks to sign in above the page, which keeps what was typed', async () => {
  const sensor = await sensorWith([], 'Expired')
  const context = await signedIn()
  const page = await open(context, sensor)
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('Name', { exact: true }).fill('New name')
  await context.clearCookies({ name: 'groundwave_session' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForSelector('dialog:has-text("Your session has ended")')
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('New name')
  await context.close()
}, 120_000)
