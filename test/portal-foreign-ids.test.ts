/** Ids of another enterprise in an address, and tabs of somebody who is no longer a member. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { type ConsolePages, consolePages } from './support/console-pages.ts'
import { ownedThings, SQUARE } from './support/owned-things.ts'
import { shown } from './support/run-pages.ts'
import { callAs, memberAccount } from './support/sessions.ts'
import { eventually, until } from './support/until.ts'

let pages: ConsolePages
beforeAll(async () => {
  await buildPortal()
  pages = await consolePages()
}, 300_000)
afterAll(() => pages?.remove())

/** What the page says when everything has been answered, without ids. */
async function saidAt(page: Page, address: string): Promise<string> {
  await page.goto(`/portal${address}`)
  await page.locator('.failure, .empty').first().waitFor()
  await until(async () => (await page.locator('.skeleton').count()) === 0, 'the end of loading')
  return (await shown(page.locator('main'))).replaceAll(/\b[a-z]{3}_[\w-]+/g, '')
}

for (const language of ['en', 'ar'] as const)
  test(`${language}: an id of another enterprise looks like one that does not exist`, async () => {
    const things = ownedThings(pages.instance)
    const other = (await things.enterprise()).id
    const addresses: [before: string, theirs: string, nothing: string][] = [
      ['/sensors/', (await things.sensor(other)).id, 'sen_01a2059390f877e8bff949d399533900'],
      ['/tool-apis/', (await things.toolApi(other)).id, 'tap_01a2059390f877e8bff949d399533900'],
      ['/data/layers/', (await things.layer(other)).id, 'lay_01a2059390f877e8bff949d399533900'],
      ['/data/files/', (await things.file(other)).id, 'fil_01a2059390f877e8bff949d399533900'],
      ['/settings/applications/', (await things.application(other)).id, 'app_01a2059390f877e8bff949d399533900'],
    ]
    const context = await pages.as(pages.people.owner, { language })
    const page = await context.newPage()
    for (const [before, theirs, nothing] of addresses) {
      const said = await saidAt(page, before + theirs)
      expect([before, said]).toEqual([before, await saidAt(page, before + nothing)])
      expect(said).not.toMatch(/Sensor \d|Saved|points\.geojson/)
    }
    await context.close()
  }, 300_000)

test('a tab of somebody who was removed shows nothing more of the enterprise', async () => {
  const { instance, organization, people } = pages
  const former = await memberAccount(instance, organization.id, 'admin')
  const context = await pages.as(former)
  const page = await context.newPage()
  await page.goto('/portal/tool-apis')
  await page.getByText('Create Tool API').first().waitFor()
  const memberId = former.memberIds[organization.id]
  const removed = await callAs(instance.url(), people.owner, 'DELETE', `/manage/v1/members/${memberId}`)
  expect(removed.status).toBe(200)
  // made after the removal: it cannot have been loaded before
  const later = { name: 'Made later', geojson: SQUARE }
  await instance.manage('POST', `/owners/${organization.id}/layers`, later)
  await page.getByRole('link', { name: 'Layers', exact: true }).click()
  await eventually(async () => expect(await page.locator('.skeleton').count()).toBe(0))
  await eventually(async () => expect(await shown(page.locator('main'))).not.toBe(''))
  expect(await shown(page.locator('body'))).not.toContain('Made later')
  await page.reload()
  await eventually(async () => expect(await shown(page.locator('main'))).not.toBe(''))
  expect(await shown(page.locator('body'))).not.toContain('Made later')
  await context.close()
}, 300_000)
