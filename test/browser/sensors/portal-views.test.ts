/** Saved views of the list of sensors and the map in Chromium, private and shared. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { memberAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

const { instance, fleet, openOwn, as, open } = smallFleetPages({ width: 1440 })

async function save(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
}
const names = (page: Page): Promise<string[]> => page.locator('.table-body .sensor-name').allInnerTexts()

test('a view keeps filters, order and columns; shared ones are seen by all, private ones by their member', async () => {
  const page = await openOwn('/sensors?tag=yard&sort=name&columns=state,name,tags')
  await until(async () => (await names(page)).length === 3)
  await save(page, 'Yard <b>')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Share with everybody').check()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save view' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.goto('/portal/sensors')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitemradio', { name: /^Yard <b>/ }).click()
  await page.waitForURL((url) => url.search === '?tag=yard&sort=name&columns=state%2Cname%2Ctags')
  await until(async () => (await names(page)).length === 3)

  const member = await memberAccount(instance, fleet.enterpriseId, 'member')
  const own = await open(await as(member, { enterprise: fleet.enterpriseId, width: 1440 }), '/map?state=silent')
  await save(own, 'Silent ones')
  expect(await own.getByLabel('Share with everybody').count()).toBe(0)
  await own.getByRole('button', { name: 'Save view' }).click()
  await own.getByRole('dialog').waitFor({ state: 'detached' })
  await own.getByRole('button', { name: 'Views' }).click()
  await own.getByRole('menuitemradio', { name: 'Silent ones' }).waitFor()
  // views of another page are not listed
  expect(await own.getByRole('menuitemradio').count()).toBe(1)
  await own.getByRole('menuitem', { name: 'Delete views' }).click()
  await own.getByRole('button', { name: /^Delete the view .*Silent ones/ }).click()
  await own.getByRole('button', { name: /^Delete the view .*Silent ones/ }).waitFor({ state: 'detached' })
  await own.goto('/portal/sensors')
  await own.getByRole('button', { name: 'Views' }).click()
  await own.getByRole('menuitemradio', { name: /^Yard <b>/ }).waitFor()
}, 300_000)
