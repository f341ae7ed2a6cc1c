/** Pages while the connection or the session is lost, choices that follow an account, and CSV by drop and paste. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { type Account, memberAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

// kills the server
const { instance, fleet, as, open } = smallFleetPages({}, { SIGN_INS_PER_ADDRESS: '100000' })

const admin = (): Promise<Account> => memberAccount(instance, fleet.enterpriseId, 'admin')
const row = (page: Page, name: string) => page.locator('.asset-row').filter({ hasText: name })
async function move(location: [number, number]): Promise<void> {
  const at = new Date().toISOString()
  const sensor = fleet.sensors[4]
  if (sensor === undefined) throw new Error('the fleet has too few sensors')
  await instance.send(sensor, { readings: [{ at, location, values: { temperature: 3 } }] })
}

test('without a connection the map says how old its data is, and reconnects by itself', async () => {
  const page = await open(await admin(), '/map')
  await row(page, 'Truck 7').filter({ hasText: 'Silent' }).waitFor()
  await page.locator('.map-side .stale').waitFor({ state: 'detached' })
  const port = String(instance.port())
  await instance.kill('SIGKILL')
  await page.locator('.map-side .stale').waitFor()
  expect(await page.locator('.map-side .stale').textContent()).toMatch(/this is from .* ago/)
  await row(page, 'Truck 7').waitFor()
  await instance.restart({ PORT: port })
  await page.locator('.map-side .stale').waitFor({ state: 'detached' })
  await move([31.3, 30.1])
  await row(page, 'Truck 7').filter({ hasText: 'Sending' }).waitFor()
}, 300_000)

test('within five seconds, every page says that the server is gone; a sensor then loads its missed readings', async () => {
  const account = await admin()
  const context = await as(account)
  const sensor = fleet.sensors[6]
  if (sensor === undefined) throw new Error('the fleet has too few sensors')
  const send = (temperature: number): Promise<Response> =>
    instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { temperature } }] })
  await send(1)
  const pages: Page[] = []
  for (const path of ['/', '/account', '/sensors', `/sensors/${sensor.id}?range=1h`, '/settings/members'])
    pages.push(await open(context, path))
  for (const page of pages) await page.locator('main h1').waitFor()
  await pages[0]?.getByText('Sending').first().waitFor()
  await pages[3]?.waitForSelector('.live-note.live-live')
  await pages[3]?.waitForSelector('.chart-panels[aria-busy="false"][data-points] canvas')
  await pages[3]?.waitForSelector('.values-number:has-text("1 °C")')
  const port = String(instance.port())
  await instance.kill('SIGKILL')
  const killedMs = performance.now()
  await Promise.all(
    pages.map(async (page) => {
      await page
        .locator('.offline-bar', { hasText: /The server does not answer. What you see is from .* ago/ })
        .waitFor()
      expect(performance.now() - killedMs).toBeLessThan(5_000)
    }),
  )
  for (const page of pages) {
    expect(await page.locator('main').textContent()).not.toMatch(/Sending|All sensors send|Updated every/)
    expect(await page.evaluate<string>("getComputedStyle(document.querySelector('main')).filter")).toBe('grayscale(1)')
  }
  expect(await pages[3]?.locator('.live-note').textContent()).toBe('Connecting')
  await pages[3]?.waitForSelector('.live-note.live-polling')
  await pages[3]?.waitForSelector('.values-number:has-text("1 °C")')
  await instance.restart({ PORT: port })
  await send(77.5)
  await pages[3]?.waitForSelector('.values-number:has-text("77.5")')
  for (const page of pages) await page.locator('.offline-bar').waitFor({ state: 'detached' })
  await pages[3]?.waitForSelector('.live-note.live-live')
}, 300_000)

test('a session that ends while the map is open asks for the password above it, and the map keeps working', async () => {
  const account = await admin()
  const page = await open(account, '/map')
  await row(page, 'Truck 7').click()
  await page.locator('.map-asset').waitFor()
  await account.browser.call('POST', '/auth/sign-out-everywhere')
  // any further request is enough
  await page.locator('.track-range select').selectOption('1h')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.waitFor()
  await row(page, 'Truck 7').waitFor()
  await dialog.getByLabel('Password').fill('correct horse battery')
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.locator('.map-asset h2', { hasText: 'Truck 7' }).waitFor()
  const before = await page.locator('.map-asset').textContent()
  await move([31.4, 30.2])
  await until(async () => (await page.locator('.map-asset').textContent()) !== before, 'the moved asset')
}, 300_000)

test('language, theme, digits and zone follow the account to another device, before anything is drawn', async () => {
  const account = await admin()
  const first = await open(account, '/account')
  await first.getByLabel('Digits').selectOption('arab')
  await first.getByLabel('Theme').selectOption('dark')
  await first.getByLabel('Time zone').selectOption('utc')
  await first.getByLabel('Language', { exact: true }).selectOption('ar')
  await first.getByRole('heading', { name: 'الحساب' }).waitFor()
  const stored = async () =>
    (await account.browser.call<{ account: { preferences: object } }>('GET', '/auth/session')).data.account.preferences
  const wanted = { language: 'ar', theme: 'dark', digits: 'arab', zone: 'utc' }
  await until(
    async () => JSON.stringify(Object.entries(await stored()).sort()) === JSON.stringify(Object.entries(wanted).sort()),
    'the choices',
  )

  // a device with other preferences, in another language
  const second = await as(account, { language: 'en', theme: 'light' })
  const html = await (await second.request.get('/portal/sensors')).text()
  expect(html).toMatch(/<html lang="ar" dir="rtl" data-theme="dark" data-digits="arab" data-zone="utc"/)
  const page = await open(second, '/sensors')
  await page.getByText('٧ مستشعرات').waitFor()
  // a choice on this device applies to the other one
  await page.goto('/portal/account')
  await page.getByLabel('اللغة', { exact: true }).selectOption('en')
  await until(async () => ((await stored()) as { language?: string }).language === 'en', 'the new language')
  await first.reload()
  await first.getByRole('heading', { name: 'Account' }).waitFor()
  expect(await first.locator('html').getAttribute('data-theme')).toBe('dark')
  const refused = await account.browser.call('PATCH', '/auth/account', { preferences: { theme: 'pink' } })
  expect([refused.code, refused.errors?.[0]?.field]).toEqual(['VALIDATION_FAILED', 'body.preferences.theme'])
}, 300_000)

test('Arabic digits are used in the texts of the page and in the scale of the map, but not in names', async () => {
  const page = await open(await admin(), `/sensors/${fleet.sensors[0]?.id}`, { language: 'ar' })
  await page.locator('.range-preset', { hasText: '6 ساعات' }).waitFor()
  await page.evaluate("localStorage.setItem('groundwave.view', JSON.stringify({ digits: 'arab' }))")
  await page.reload()
  await page.locator('.range-preset', { hasText: '٦ ساعات' }).waitFor()
  await page.goto('/portal/map?at=30,31,14')
  await page.waitForSelector('.map[data-ready="true"]')
  const scale = page.locator('.maplibregl-ctrl-scale')
  await until(async () => /^\u2067[٠-٩]+\u00a0م\u2069$/.test((await scale.textContent()) ?? ''), 'the scale')
  await page.getByRole('option', { name: 'WGS 84، درجات عشرية' }).waitFor({ state: 'attached' })
  // the length of the bar matches the distance in its label
  const shown = [...((await scale.textContent()) ?? '')].flatMap((sign) => {
    const digit = '٠١٢٣٤٥٦٧٨٩'.indexOf(sign)
    return digit < 0 ? [] : [digit]
  })
  const width = (await scale.evaluate((element) => element.getBoundingClientRect().width)) ?? 0
  const metresInPixel = (40_075_017 * Math.cos(Math.PI / 6)) / (512 * 2 ** 14)
  expect(Math.abs(width * metresInPixel - Number(shown.join('')))).toBeLessThan(3 * metresInPixel)
}, 300_000)

test('a CSV is loaded by drop and by paste, a wrong file is named, and text pasted into a field stays text', async () => {
  const csv = 'name,tags\nDropped 1,roof\nDropped 2,yard\n'
  const page = await open(await admin(), '/sensors/new?from=csv')
  const zone = page.locator('.drop-zone')
  await zone.waitFor()
  const drop = async (fileName: string, type: string): Promise<void> => {
    const data = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(csv)}], ${JSON.stringify(fileName)}, { type: ${JSON.stringify(type)} })); return data })()`,
    )
    await zone.dispatchEvent('dragover', { dataTransfer: data })
    await zone.dispatchEvent('drop', { dataTransfer: data })
  }
  await drop('<b>picture</b>.png', 'image/png')
  expect(await page.locator('.drop .field-error').textContent()).toContain('<b>picture</b>.png')
  await drop('fleet.csv', '')
  await page.getByText('Dropped 1').first().waitFor()

  await page.goto('/portal/sensors/new?from=csv')
  await zone.waitFor()
  const paste = (selector: string): Promise<unknown> =>
    page.evaluate(
      `(() => { const data = new DataTransfer(); data.setData('text/plain', ${JSON.stringify(csv.replaceAll('Dropped', 'Pasted'))}); document.querySelector(${JSON.stringify(selector)}).dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })) })()`,
    )
  // the page listens a moment after it is drawn
  await until(async () => {
    await paste('main')
    await Promise.race([page.getByText('Pasted 1').first().waitFor(), Bun.sleep(1_000)])
    return (await page.getByText('Pasted 1').count()) > 0
  }, 'the pasted rows')

  // readings are dropped on a sensor's page in the same way
  const sensor = fleet.sensors[0]
  await page.goto(`/portal/sensors/${sensor?.id}?tab=upload`)
  await zone.waitFor()
  const at = new Date(Date.now() - 60_000).toISOString()
  const readings = await page.evaluateHandle(
    `(() => { const data = new DataTransfer(); data.items.add(new File(['at,temperature\\n${at},21.5\\n'], 'readings.csv', { type: 'text/csv' })); return data })()`,
  )
  await zone.dispatchEvent('drop', { dataTransfer: readings })
  await page.getByRole('button', { name: 'Upload readings' }).dblclick()
  await page.getByText('Upload finished').waitFor()
}, 300_000)
