/** Search and commands in Chromium: pages, actions, tools, sensors and enterprises by words of either language. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Device, expectAccessible, portalPages } from '../../support/browser/portal-pages.ts'
import { type Account, memberAccount, operatorAccount } from '../../support/sessions.ts'
import { eventually } from '../../support/until.ts'

/** More enterprises than the menu shows. */
const ENTERPRISES = 105

const { instance, open } = portalPages({ SIGN_INS_PER_ADDRESS: '100000' })
const ids: string[] = []

beforeAll(async () => {
  for (let i = 1; i <= ENTERPRISES; i++) {
    const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: `Works ${i}`, tier: 'scale' })
    ids.push(id)
  }
  await instance.sensor(ids[0] as string, [{ name: 'a', measurement: 'number' }], 'Tide <b>gauge</b>')
  const humidity = { name: 'humidity, "inside"', measurement: 'number' as const, unit: '%' }
  await instance.sensor(ids[0] as string, [humidity], 'Gauge of the works')
}, 300_000)

async function pageOf(account: Account, device?: Device, path = '/account'): Promise<Page> {
  const page = await open(account, path, device)
  await page.waitForSelector('main h1')
  return page
}

async function search(page: Page, text: string): Promise<void> {
  if ((await page.locator('.palette').count()) === 0) await page.keyboard.press('Control+k')
  await page.locator('.palette input').fill(text)
}
const found = async (page: Page): Promise<string[]> =>
  (await page.locator('.palette-list [role="option"] bdi').allTextContents()).map((text) => text.trim())
const finds = (page: Page, text: string, wanted: string): Promise<void> =>
  search(page, text).then(() => eventually(async () => expect(await found(page)).toContain(wanted)))

test('pages and actions are found by words of either language, and the actions work', async () => {
  for (const [language, words] of [
    ['en', { sensors: 'Sensors', create: 'Create sensor', dark: 'Dark', silent: 'Sensors: Silent' }],
    ['ar', { sensors: 'المستشعرات', create: 'إنشاء مستشعر', dark: 'داكن', silent: 'المستشعرات: صامت' }],
  ] as const) {
    const page = await pageOf(await memberAccount(instance, ids[0] as string, 'admin'), { language })
    await finds(page, 'sensors', words.sensors)
    await finds(page, 'المستشعرات', words.sensors)
    await finds(page, 'create sensor', words.create)
    await finds(page, 'إنشاء مستشعر', words.create)
    await finds(page, 'gauge', 'Tide <b>gauge</b>')
    // a channel opens the list sorted by its values, and a state the sensors that have it
    await finds(page, 'humid', 'humidity, "inside"')
    await page.locator('.palette-list [role="option"]', { hasText: 'humidity' }).click()
    await page.waitForURL((url) => url.searchParams.get('sort') === '"humidity, ""inside"""')
    await page.locator('[role="columnheader"][aria-sort="descending"]').getByText('humidity, "inside", %').waitFor()
    await finds(page, 'silent', words.silent)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/portal/sensors?state=silent')
    await finds(page, 'gauge', 'Tide <b>gauge</b>')
    await expectAccessible(page)
    await finds(page, 'theme dark', words.dark)
    await page.keyboard.press('Enter')
    await eventually(async () => expect(await page.locator('html').getAttribute('data-theme')).toBe('dark'))
    await finds(page, 'إنشاء مستشعر', words.create)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/portal/sensors/new')
    await finds(page, 'sign out', language === 'en' ? 'Sign out' : 'تسجيل الخروج')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/portal/sign-in**')
  }
}, 300_000)

test('a member is offered no action that would be refused', async () => {
  const page = await pageOf(await memberAccount(instance, ids[0] as string, 'member'))
  await finds(page, 'theme', 'Dark')
  // tools whose descriptions have the word
  await finds(page, 'create', 'Buffer')
  expect((await found(page)).filter((entry) => entry.startsWith('Create'))).toEqual([])
}, 300_000)

test('the arrow keys keep the selected entry in view', async () => {
  const page = await pageOf(await operatorAccount(instance), { height: 500 })
  await search(page, '')
  const options = page.locator('.palette-list [role="option"]')
  await options.first().waitFor()
  await options.nth(15).waitFor()
  for (let i = 0; i < 15; i++) await page.keyboard.press('ArrowDown')
  const chosen = page.locator('.palette-list [aria-selected="true"]')
  await eventually(async () => {
    expect(await options.nth(15).getAttribute('aria-selected')).toBe('true')
    const [option, list] = [await chosen.boundingBox(), await page.locator('.palette-list').boundingBox()]
    if (option === null || list === null) throw new Error('the chosen entry is not drawn')
    expect(option.y + option.height).toBeLessThanOrEqual(list.y + list.height + 1)
  })
}, 300_000)

test('an entry selected with the arrow keys stays selected when others are found before it', async () => {
  const page = await pageOf(await operatorAccount(instance), {}, '/sensors')
  await finds(page, 'works 1', 'Works 1')
  await page.locator('.palette-list [role="option"]', { hasText: /^Works 1(?!\d)/ }).click()
  await page.locator('.top-enterprise').getByText('Works 1').waitFor()
  const { promise: typed, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/sensors?*', async (route) => {
    await typed
    await route.continue()
  })
  await finds(page, 'works', 'Works 3')
  const chosen = page.locator('.palette-list [aria-selected="true"] bdi')
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown')
  const before = await chosen.textContent()
  expect(before).toStartWith('Works ')
  answer()
  await eventually(async () => expect(await found(page)).toContain('Gauge of the works'))
  expect((await found(page)).indexOf('Gauge of the works')).toBeLessThan((await found(page)).indexOf(before as string))
  expect(await chosen.textContent()).toBe(before)
  // new text selects the first entry
  await finds(page, 'works 7', 'Works 7')
  expect(await page.locator('.palette-list [role="option"]').first().getAttribute('aria-selected')).toBe('true')
}, 300_000)

test('an operator finds every enterprise, and the top line names the open one', async () => {
  const page = await pageOf(await operatorAccount(instance), {}, '/sensors')
  const last = `Works ${ENTERPRISES}`
  await finds(page, `works ${ENTERPRISES}`, last)
  await page.locator('.palette-list [role="option"]', { hasText: last }).click()
  const named = page.locator('.top-enterprise')
  await named.getByText(last).waitFor()
  await page.reload()
  await named.getByText(last).waitFor()
  // an enterprise created here is listed at once
  await page.goto('/portal/operator/enterprises')
  await page.getByRole('button', { name: 'Create enterprise' }).click()
  await page.getByLabel('Name of the enterprise').fill('New works')
  await page.getByRole('dialog').getByRole('button', { name: 'Create enterprise' }).click()
  await page.waitForURL('**/operator/enterprises/ent_*')
  await finds(page, 'new works', 'New works')
}, 300_000)
