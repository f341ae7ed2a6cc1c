/** The bar about keys to replace or revoke, in both languages: who sees it, where it leads, and how it disappears. */
import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, portalPages } from '../../support/browser/portal-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import type { Organization } from '../../support/server/instance.ts'
import { memberAccount, personAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

const DAY_MS = 86_400_000
const { instance, open } = portalPages()
let organization: Organization
let sensor = ''

beforeAll(async () => {
  organization = await instance.organization()
  sensor = (await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])).id
  const expiresAt = new Date(Date.now() + 5 * DAY_MS).toISOString()
  await instance.manage('POST', `/sensors/${sensor}/keys`, { name: 'Roof 2026', expiresAt })
}, 300_000)

const WORDS = {
  en: { show: 'Show keys', hide: 'Hide in this tab', title: 'Keys to replace or revoke' },
  ar: { show: 'عرض المفاتيح', hide: 'إخفاء في هذا التبويب', title: 'مفاتيح ينبغي تبديلها أو إلغاؤها' },
} as const

for (const language of sampleOf(['en', 'ar'] as const, 1))
  test(`${language}: the bar links an administrator to the key, and can be hidden in the tab`, async () => {
    const words = WORDS[language]
    const admin = await memberAccount(instance, organization.id, 'admin')
    const page = await open(admin, '/', { language, theme: language === 'ar' ? 'dark' : 'light' })
    const bar = page.locator('.reminder-bar')
    await bar.waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: words.show }).click()
    const dialog = page.getByRole('dialog', { name: words.title })
    await dialog.getByText('Roof 2026').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('link').click()
    await page.waitForURL(new RegExp(`/sensors/${sensor}\\?tab=settings`))
    await until(async () => (await dialog.count()) === 0, 'the dialog is closed')
    await page.getByText('Roof 2026').waitFor()
    await page.getByRole('button', { name: words.hide }).click()
    await until(async () => (await bar.count()) === 0, 'the bar is hidden')
    await page.reload()
    await page.getByText('Roof 2026').waitFor()
    expect(await bar.count()).toBe(0)
  }, 300_000)

test('maps and tables fill the height below the bar, on a phone too', async () => {
  const admin = await memberAccount(instance, organization.id, 'admin')
  for (const width of [1280, 390]) {
    const page = await open(admin, '/account', { width })
    for (const path of ['/map', '/sensors']) {
      await page.goto(`/portal${path}`)
      await page.locator('.reminder-bar').waitFor()
      await page.locator(path === '/map' ? '.map' : '.table-filling').waitFor()
      await until(
        () => page.evaluate<boolean>('document.documentElement.scrollHeight <= document.documentElement.clientHeight'),
        `${path} at ${width} has no scroll bar of the page`,
      )
    }
  }
}, 300_000)

test('people who may not change keys, or have none to replace, see no bar', async () => {
  for (const account of [
    await memberAccount(instance, organization.id, 'member'),
    await personAccount(instance, 'pro'),
  ]) {
    const page = await open(account, '/')
    const failures: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) failures.push(response.url())
    })
    await page.goto('/portal/tools')
    await page.locator('.tool-list, .tools, main h1').first().waitFor()
    await Bun.sleep(500)
    expect(await page.locator('.reminder-bar').count()).toBe(0)
    expect(failures).toEqual([])
  }
}, 300_000)
