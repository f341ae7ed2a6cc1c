/** Keys, channels, uploads and deletion of a sensor in Chromium, as a person handles them. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { pressTab, saved } from '../../support/browser/browser.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { sensorPages } from '../../support/browser/sensor-pages.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { eventually } from '../../support/until.ts'

const dir = sharedFolder('sensor-settings')
const { instance, organization, sensorWith, signedIn, openSensor } = sensorPages()

test('a key is shown once, its command works as shown, and a revoked key does not', async () => {
  const sensor = await sensorWith([], 'Keys')
  const page = await openSensor(await signedIn(), sensor, 'tab=settings')
  // another entry in the history, for the browser's buttons
  await page.getByRole('link', { name: 'Zones' }).first().click()
  await page.waitForURL('**/zones*')
  await page.goBack()
  await page.getByRole('button', { name: 'Add a key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('new gateway')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a key' }).click()
  const key = (await page.textContent('[data-testid="key"]'))?.trim() ?? ''
  expect(key).toMatch(/^svcsn_/)
  for (const language of ['curl', 'Python', 'JavaScript'] as const) {
    await pressTab(page, language)
    const code = (await page.textContent('.key-box pre'))?.trim() ?? ''
    const program = {
      curl: ['bash', '-c', code],
      Python: ['python3', '-c', code],
      JavaScript: [process.execPath, '-e', code],
    }
    const running = Bun.spawn(program[language], { stdout: 'pipe', stderr: 'inherit' })
    expect(await new Response(running.stdout).text()).toContain('SENSOR_READINGS_RESULT')
    expect(await running.exited).toBe(0)
  }
  // neither another page, nor another tab, nor the browser's buttons discard a key that was not saved
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.message())
    void dialog.dismiss()
  })
  await page.getByRole('tab', { name: 'Charts' }).click()
  await page.getByRole('link', { name: 'Zones' }).first().click()
  await eventually(() => expect(asked.length).toBe(2))
  for (let times = 3; times <= 4; times++) {
    await page.evaluate('history.forward()')
    await eventually(() => expect(asked.length).toBe(times))
    await page.waitForURL(`**/sensors/${sensor.id}?*`)
  }
  expect((await page.textContent('[data-testid="key"]'))?.trim()).toBe(key)
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.waitForSelector('.key-box', { state: 'detached' })
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
  const kept = await instance.send(sensor, {
    readings: [{ at: new Date().toISOString(), values: { temperature: 2 } }],
  })
  expect(kept.status).toBe(200)
}, 300_000)

test('two people who change one sensor: the second sees both versions, and keeps the input', async () => {
  const sensor = await sensorWith([], 'Shared')
  const context = await signedIn()
  const [first, second] = [
    await openSensor(context, sensor, 'tab=settings'),
    await openSensor(context, sensor, 'tab=settings'),
  ]
  const rename = async (page: Page, unit: string): Promise<void> => {
    await page.getByLabel('Unit of channel 1').fill(unit)
    await page.getByRole('button', { name: 'Save channels' }).click()
  }
  await rename(first, 'K')
  await first.waitForSelector('.toast:has-text("Saved")')
  await rename(second, '°F')
  await second.waitForSelector('dialog:has-text("Somebody else changed this sensor")')
  expect(await second.textContent('dialog tbody tr')).toMatch(/temperature\u2069 \(K\).*temperature\u2069 \(°F\)/)
  await expectAccessible(second)
  await eventually(async () => expect(await second.getByLabel('Unit of channel 1').inputValue()).toBe('°F'))
  await second.getByRole('button', { name: 'Save mine' }).click()
  await second.waitForSelector('.toast:has-text("Saved")')
  const stored = await instance.manage<{ channels: { unit: string | null }[] }>('GET', `/sensors/${sensor.id}`)
  expect(stored.channels[0]?.unit).toBe('°F')
}, 300_000)

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

  const page = await openSensor(await signedIn(), sensor, 'tab=upload')
  await page.locator('input[type="file"]').setInputFiles(file)
  await page.waitForSelector('.upload-preview:has-text("Row 9")')
  expect(await page.textContent('.upload-preview')).toContain('the time “⁨broken⁩” cannot be read')
  await expectAccessible(page)
  await page.getByLabel('Zone of times without an offset').selectOption('UTC')
  let isLost = true
  await page.route('**/assets/sensors/*/readings', (route) => (isLost ? route.abort() : route.continue()))
  await page.getByRole('button', { name: 'Upload readings' }).click()
  await page.waitForSelector('text=No connection. The upload continues by itself.')
  isLost = false
  await page.waitForSelector('text=Upload finished')
  const refused = ROWS / 100 + ROWS / 100 + 1
  await eventually(async () =>
    expect(await page.locator('.upload-counts dd').allTextContents()).toEqual([
      (ROWS + 1 - refused).toLocaleString('en'),
      '0',
      String(refused),
    ]),
  )
  const { text } = await saved(page.getByRole('button', { name: 'Download the refused rows' }))
  const rows = text.trim().split('\r\n')
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
}, 300_000)

test('a sensor is deleted when its name has been typed', async () => {
  // an override of the direction, a joiner and a second space are not seen, so nobody can type them
  const sensor = await sensorWith([], 'To \u202edelete\u200d  <b>now</b>')
  const page = await openSensor(await signedIn({ theme: 'dark' }), sensor, 'tab=settings')
  await page.getByRole('button', { name: 'Delete sensor' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete sensor' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByRole('dialog').getByRole('textbox').fill('To delete')
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByRole('dialog').getByRole('textbox').fill('To delete <b>now</b>')
  await confirm.click()
  await page.waitForURL(/\/portal\/sensors(\?|$)/)
  expect((await instance.query(organization, `/sensors/${sensor.id}/latest`)).code).toBe('NOT_FOUND')
}, 300_000)

test('an expired session asks to sign in above the page, which keeps the typed text', async () => {
  const sensor = await sensorWith([], 'Expired')
  const page = await openSensor(await signedIn(), sensor)
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('Name', { exact: true }).fill('New name')
  await page.context().clearCookies({ name: 'groundwave_session' })
  // not with the mouse: a request of the page itself may open the dialog first, above the button
  await page.getByRole('button', { name: 'Save' }).dispatchEvent('click')
  await page.waitForSelector('dialog:has-text("Your session has ended")')
  await eventually(async () => expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('New name'))
}, 300_000)

test('channels that could not be saved stay in the form, and the message says so', async () => {
  const sensor = await sensorWith([], 'Offline')
  const page = await openSensor(await signedIn(), sensor, 'tab=settings')
  await page.getByLabel('Unit of channel 1').fill('K')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Save channels' }).click()
  await page.getByText('What you entered is kept; try again when the connection is back.').waitFor()
  await page.context().setOffline(false)
  // a fault of the server has an id, with which the operator finds it
  await page.route('**/manage/v1/sensors/*', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 500, json: { ok: false, code: 'INTERNAL_ERROR', message: 'x', requestId: 'req-17' } })
      : route.continue(),
  )
  await page.getByRole('button', { name: 'Save channels' }).click()
  await page.getByRole('button', { name: 'Copy request id' }).waitFor()
  await page.unroute('**/manage/v1/sensors/*')
  await page.reload()
  await eventually(async () => expect(await page.getByLabel('Unit of channel 1').inputValue()).toBe('K'))
  await page.getByRole('button', { name: 'Save channels' }).click()
  await page.waitForSelector('.toast:has-text("Saved")')
}, 300_000)

test('if somebody else changed a name first, the page asks which one to keep', async () => {
  const sensor = await sensorWith([], 'Renamed')
  const page = await openSensor(await signedIn({ language: 'ar' }), sensor)
  await page.getByRole('button', { name: 'إعادة التسمية' }).click()
  await page.getByLabel('الاسم', { exact: true }).fill('   ')
  await page.getByRole('button', { name: 'حفظ' }).click()
  await page.waitForSelector('.editable .field-error')
  await instance.manage('PATCH', `/sensors/${sensor.id}`, { name: 'Theirs' })
  await page.getByLabel('الاسم', { exact: true }).fill('Mine')
  await page.getByRole('button', { name: 'حفظ' }).click()
  await page.waitForSelector('dialog tr:has-text("Theirs"):has-text("Mine")')
  await page.getByRole('button', { name: 'اعتماد المحفوظ' }).click()
  await page.waitForSelector('h1:has-text("Theirs")')
}, 300_000)
