/** Pages of the fleet in Chromium: a member's view, a lost role, a hold, tags on the map, navigation on phones. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { fleetPages } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { memberAccount } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'

const { instance, fleet, open, openOwn } = fleetPages()

/** Labels of all controls in the content, and the refusals that the page got. */
async function offers(page: Page, path: string): Promise<string[]> {
  await page.goto(`/portal${path}`)
  await page.locator('main :is(h1, h2)').first().waitFor()
  // streams stay open, so that the network is never idle
  const loading = page.locator('main :is(.skeleton, [aria-busy="true"])')
  await until(async () => (await loading.count()) === 0, 'the page to be loaded')
  const pressed = page.locator('main :is(button, a, input[role="switch"]):not([disabled])')
  return pressed.evaluateAll((found) =>
    found.map((element) => element.getAttribute('aria-label') ?? element.textContent?.trim() ?? ''),
  )
}

/** Actions of owners, administrators and the operator only. */
const CHANGES =
  /^(create|invite|delete|remove|rename|save|switch|hold|revoke|add|upload|import|csv file|many from|change shape|draw)/i

test('a member reads every page of the fleet, and sees no action that would be refused', async () => {
  const member = await memberAccount(instance, fleet.enterpriseId, 'member')
  const page = await open(member, '/account')
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  const [sensor] = fleet.sensors
  const zone = fleet.addressOf('/zones/:id') as string
  const paths = [
    '/',
    '/sensors',
    `/sensors/${sensor?.id}`,
    ...['refused', 'readings', 'upload', 'settings'].map((tab) => `/sensors/${sensor?.id}?tab=${tab}`),
    '/map',
    '/zones',
    '/zones?tab=events',
    zone,
    `${zone}?tab=events`,
    '/account',
  ]
  for (const path of paths) {
    const words = await offers(page, path)
    // everybody may change their own name and password
    if (path !== '/account') expect([path, words.filter((word) => CHANGES.test(word))]).toEqual([path, []])
    expect([path, refused]).toEqual([path, []])
  }
  for (const path of ['/sensors/new', '/zones/new', '/settings/members']) {
    await page.goto(`/portal${path}`)
    await page.getByRole('heading', { name: 'You may not do this' }).waitFor()
  }
  expect(await page.locator('.rail').textContent()).not.toContain('Members')
  // the rows of the list cannot be selected for changes, only to be compared
  await page.goto('/portal/sensors')
  await page.locator('.table-body .table-row').first().getByRole('checkbox').click()
  const actions = page.locator('.table-bulk-actions')
  await actions.getByRole('link', { name: 'Compare', exact: true }).waitFor()
  expect(await actions.locator('a, button').count()).toBe(1)
  expect(refused).toEqual([])
}, 300_000)

test('a member of an empty enterprise reads who can begin, and sees no action that would be refused', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Empty', tier: 'scale' })
  const silent = await instance.sensor(id, [{ name: 'a', measurement: 'number' }], 'Silent')
  const page = await open(await memberAccount(instance, id, 'member'), '/account')
  // a sensor without readings: members may not see its keys
  expect(await offers(page, `/sensors/${silent.id}`)).not.toContain('Go to the keys')
  await page.getByRole('link', { name: 'How readings are sent' }).waitFor()
  await instance.manage('DELETE', `/sensors/${silent.id}`)
  for (const path of ['/', '/sensors', '/map', '/zones']) {
    const words = await offers(page, path)
    expect([path, words.filter((word) => CHANGES.test(word))]).toEqual([path, []])
    await page.locator('.empty a[href="/docs"]').waitFor()
    if (path !== '/map') await page.getByText('An owner or administrator of the enterprise can create one.').waitFor()
  }
}, 300_000)

test('when a role is withdrawn, an open page says so, keeps the input, and follows the new role', async () => {
  const admin = await memberAccount(instance, fleet.enterpriseId, 'admin')
  const page = await open(admin, '/sensors/new')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Never made')
  await page.getByRole('textbox', { name: 'Name of channel 1' }).fill('a')
  await instance.manage('PATCH', `/members/${admin.memberIds[fleet.enterpriseId]}`, { role: 'member' })
  // the person does not know it yet
  await page.getByRole('button', { name: 'Create sensor' }).click()
  await page.getByRole('heading', { name: 'You may not do this' }).waitFor()
  await eventually(async () => expect(await page.locator('.rail').textContent()).not.toContain('Members'))
  await page.getByRole('link', { name: 'Sensors' }).click()
  await page.locator('.table-body .table-row').first().waitFor()
  expect(await page.getByRole('link', { name: 'Create sensor' }).count()).toBe(0)
  // the typed text returns together with the role
  await instance.manage('PATCH', `/members/${admin.memberIds[fleet.enterpriseId]}`, { role: 'admin' })
  await page.goto('/portal/sensors/new')
  await eventually(async () =>
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Never made'),
  )
  // a former member sees nothing of the enterprise
  await instance.manage('DELETE', `/members/${admin.memberIds[fleet.enterpriseId]}`)
  await page.getByRole('link', { name: 'Sensors' }).first().click()
  await until(async () => (await page.locator('.table-body .table-row').count()) === 0, 'hiding the sensors')
}, 300_000)

test('the operator holds a sensor with a reason, which its enterprise sees, and its readings are refused', async () => {
  const sensor = fleet.sensors[0]
  if (sensor === undefined) throw new Error('the fleet has no sensors')
  const page = await openOwn(`/sensors/${sensor.id}?tab=settings`)
  const reason = 'Unpaid <b>bill</b> \u202e💥'
  await page.getByLabel('Reason, shown to the enterprise').fill(reason)
  await page.getByRole('switch', { name: 'On hold' }).click()
  await page.locator('.sensor-held').waitFor()
  const refused = await instance.send(sensor, {
    readings: [{ at: new Date().toISOString(), values: { temperature: 1 } }],
  })
  expect(refused.status).toBe(403)

  const member = await memberAccount(instance, fleet.enterpriseId, 'member')
  for (const [language, words] of [
    ['en', 'The operator has put this sensor on hold.'],
    ['ar', 'أوقف المشغّل هذا المستشعر.'],
  ] as const) {
    const seen = await open(member, `/sensors/${sensor.id}`, { language, width: 390 })
    await seen.locator('.sensor-held').waitFor()
    const text = (await seen.locator('.sensor-held').textContent()) ?? ''
    expect(text).toContain(words)
    expect(text).toContain(reason)
    expect(await seen.locator('.sensor-held b').count()).toBe(0)
    await eventually(async () =>
      expect(await seen.locator('h1').locator('..').locator('..').textContent()).toContain(
        language === 'en' ? 'On hold' : 'موقوف',
      ),
    )
    await expectAccessible(seen)
  }
  await page.getByLabel('Reason, shown to the enterprise').fill('Another reason')
  await page.getByRole('button', { name: 'Save reason' }).click()
  await page.locator('.sensor-held:has-text("Another reason")').waitFor()
  await page.getByRole('switch', { name: 'On hold' }).click()
  await page.locator('.sensor-held').waitFor({ state: 'detached' })
  const accepted = await instance.send(sensor, {
    readings: [{ at: new Date().toISOString(), values: { temperature: 1 } }],
  })
  expect(accepted.status).toBe(200)
}, 300_000)

test('the map shows only assets with a sensor that has a tag, which is chosen from all tags', async () => {
  const page = await open(await memberAccount(instance, fleet.enterpriseId, 'member'), '/map?tag=roof')
  const names = async (): Promise<string> =>
    (await page.locator('.asset-row .asset-name').allTextContents()).toSorted().join()
  await until(async () => (await names()) === 'North pier,Truck 7', 'assets on the roof')
  await page.getByTitle('Remove this filter').click()
  await until(async () => (await names()) === 'Cold store,North pier,Truck 7', 'all assets')
  await page.getByRole('button', { name: 'Filter by tag' }).click()
  await page.getByRole('menuitem', { name: /^yard/ }).click()
  // an asset has the tags of all its sensors
  await until(async () => (await names()) === 'Cold store,North pier', 'assets in the yard')
  await page.waitForURL(/[?&]tag=yard/)
}, 300_000)

test('the bar of a phone has four pages, and a sheet has all pages, for touch and keyboard', async () => {
  for (const [language, more, members] of [
    ['en', 'More', 'Members'],
    ['ar', 'المزيد', 'الأعضاء'],
  ] as const) {
    const page = await openOwn('/sensors', { language, width: 390, height: 800 })
    const bar = page.locator('.phone-bar')
    await bar.waitFor()
    await eventually(async () => {
      expect(await bar.locator('> a').count()).toBe(4)
      const box = await bar.boundingBox()
      expect([box?.x, box?.width]).toEqual([0, 390])
    })
    const button = bar.getByRole('button', { name: more })
    expect(await button.getAttribute('aria-current')).toBeNull()
    await button.focus()
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('dialog')
    await sheet.waitFor()
    await expectAccessible(page)
    await page.locator('dialog :focus').waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.locator('.phone-bar > button:focus').waitFor()
    await button.click()
    await sheet.waitFor()
    // a tap beside the sheet
    await page.mouse.click(200, 40)
    await sheet.waitFor({ state: 'detached' })
    await button.click()
    await sheet.getByRole('link', { name: members }).click()
    await page.waitForURL(/settings\/members/)
    await sheet.waitFor({ state: 'detached' })
    await page.locator('.phone-bar > button[aria-current="true"]').waitFor()
  }
}, 300_000)
