/** Ids of another enterprise in an address, and tabs of somebody who is no longer a member. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { consolePages } from '../../support/browser/console-pages.ts'
import { shown } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import { ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { callAs, memberAccount, operatorAccount } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'

const { instance, organization, people, as, open } = consolePages()

/** The text of the page, without ids, once all requests have been answered. */
async function saidAt(page: Page, address: string): Promise<string> {
  await page.goto(`/portal${address}`)
  await page.locator('.failure, .empty').first().waitFor()
  await until(async () => (await page.locator('.skeleton').count()) === 0, 'the end of loading')
  return (await shown(page.locator('main'))).replaceAll(/\b[a-z]{3}_[\w-]+/g, '')
}

for (const language of sampleOf(['en', 'ar'] as const, 1))
  test(`${language}: an id of another enterprise looks like one that does not exist`, async () => {
    const things = ownedThings(instance)
    const other = (await things.enterprise()).id
    const addresses: [before: string, theirs: string, nothing: string][] = [
      ['/sensors/', (await things.sensor(other)).id, 'sen_01a2059390f877e8bff949d399533900'],
      ['/tool-apis/', (await things.toolApi(other)).id, 'tap_01a2059390f877e8bff949d399533900'],
      ['/data/layers/', (await things.layer(other)).id, 'lay_01a2059390f877e8bff949d399533900'],
      ['/data/files/', (await things.file(other)).id, 'fil_01a2059390f877e8bff949d399533900'],
      ['/settings/applications/', (await things.application(other)).id, 'app_01a2059390f877e8bff949d399533900'],
      ['/settings/fleet-keys/', (await things.fleetKey(other)).id, 'fky_01a2059390f877e8bff949d399533900'],
    ]
    const page = await open(people.owner, '/account', { language })
    for (const [before, theirs, nothing] of addresses) {
      const said = await saidAt(page, before + theirs)
      expect([before, said]).toEqual([before, await saidAt(page, before + nothing)])
      expect(said).not.toMatch(/Sensor \d|Saved|points\.geojson/)
    }
  }, 300_000)

const NOTHING = '01a2059390f877e8bff949d399533900'
const MISSING = {
  en: [
    ['/sensors', `sen_${NOTHING}`, 'This sensor does not exist', 'All sensors'],
    ['/zones', `zon_${NOTHING}`, 'This zone does not exist', 'All zones'],
    ['/data/layers', `lay_${NOTHING}`, 'This layer does not exist', 'All layers'],
    ['/data/files', `fil_${NOTHING}`, 'This file does not exist', 'All files'],
    ['/runs', `run_${NOTHING}`, 'This run does not exist', 'All runs'],
    ['/runs', `job_${NOTHING}`, 'This run does not exist', 'All runs'],
    ['/tool-apis', `tap_${NOTHING}`, 'This Tool API does not exist', 'All Tool APIs'],
    ['/settings/applications', `app_${NOTHING}`, 'This application does not exist', 'All applications'],
    ['/tools', 'vector.nothing', 'This tool cannot be used here', 'Show all tools'],
    ['/operator/enterprises', `ent_${NOTHING}`, 'This enterprise does not exist', 'All enterprises'],
    ['/operator/people', `per_${NOTHING}`, 'This person does not exist', 'All people'],
    // not even a form that an id may have
    ['/sensors', 'nothing', 'This sensor does not exist', 'All sensors'],
    ['/zones', 'nothing', 'This zone does not exist', 'All zones'],
    ['/data/layers', 'nothing', 'This layer does not exist', 'All layers'],
    ['/runs', 'nothing', 'This run does not exist', 'All runs'],
  ],
  ar: [
    ['/sensors', `sen_${NOTHING}`, 'هذا المستشعر غير موجود', 'كل المستشعرات'],
    ['/runs', `run_${NOTHING}`, 'عملية التشغيل هذه غير موجودة', 'كل عمليات التشغيل'],
  ],
} as const

for (const language of ['en', 'ar'] as const)
  test(`${language}: a page of a record that does not exist says so and links to the list`, async () => {
    const page = await open(await operatorAccount(instance), '/account', { language })
    for (const [list, id, title, link] of sampleOf<readonly [string, string, string, string]>(MISSING[language], 5)) {
      await page.goto(`/portal${list}/${id}?enterprise=${organization.id}`)
      await page.locator('.failure, .empty').first().waitFor()
      const links = page.locator('.empty a')
      const said = [await shown(page.locator('main').getByText(title)), await shown(links)]
      expect([id, ...said]).toEqual([id, title, link])
      expect(new URL((await links.getAttribute('href')) ?? '', page.url()).pathname).toBe(`/portal${list}`)
      expect(await page.locator('.failure').count()).toBe(0)
      await expectAccessible(page)
    }
  }, 300_000)

test('a tab of a removed member shows nothing more of the enterprise', async () => {
  const former = await memberAccount(instance, organization.id, 'admin')
  const page = await open(former, '/tool-apis')
  await page.getByText('Create Tool API').first().waitFor()
  const memberId = former.memberIds[organization.id]
  const removed = await callAs(instance.url(), people.owner, 'DELETE', `/manage/v1/members/${memberId}`)
  expect(removed.status).toBe(200)
  // made after the removal, so it cannot have been loaded before
  const later = { name: 'Made later', geojson: SQUARE }
  await instance.manage('POST', `/owners/${organization.id}/layers`, later)
  await page.getByRole('link', { name: 'Layers', exact: true }).click()
  await eventually(async () => expect(await page.locator('.skeleton').count()).toBe(0))
  await eventually(async () => expect(await shown(page.locator('main'))).not.toBe(''))
  expect(await shown(page.locator('body'))).not.toContain('Made later')
  await page.reload()
  await eventually(async () => expect(await shown(page.locator('main'))).not.toBe(''))
  expect(await shown(page.locator('body'))).not.toContain('Made later')
}, 300_000)

test('two tabs show two enterprises, each keeps its enterprise after a reload, and a link opens in the right one', async () => {
  const things = ownedThings(instance)
  const second = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Second', tier: 'starter' })
  const both = await memberAccount(instance, organization.id, 'owner')
  await memberAccount(instance, second.id, 'owner', both)
  const layerOfFirst = await things.layer(organization.id)
  await instance.manage('POST', `/owners/${second.id}/layers`, { name: 'Layer of the second', geojson: SQUARE })
  const context = await as(both)
  const chosen = (page: Page) => page.locator('.top-enterprise')

  const first = await open(context, `/data/layers/${layerOfFirst.id}`)
  await first.getByRole('heading', { name: 'Layer', exact: true }).waitFor()
  const other = await open(context, '/data/layers')
  await chosen(other).getByRole('button').click()
  await other.getByRole('menuitemradio', { name: 'Second' }).click()
  await other.getByText('Layer of the second').waitFor()
  expect(await shown(chosen(first))).toContain('Test')
  await first.reload()
  await first.getByRole('heading', { name: 'Layer', exact: true }).waitFor()
  expect(await shown(chosen(first))).toContain('Test')
  await first.locator('.page-parent').click()
  await first.locator('.table-row').first().waitFor()
  expect(await shown(first.locator('main'))).not.toContain('Layer of the second')

  // the address of the tab, opened in a browser that last showed the other enterprise
  await first.goBack()
  const address = first.url()
  const elsewhere = await open(context, '/data/layers')
  await chosen(elsewhere).getByRole('button').click()
  await elsewhere.getByRole('menuitemradio', { name: 'Second' }).click()
  await elsewhere.getByText('Layer of the second').waitFor()
  await elsewhere.goto(address)
  await elsewhere.getByRole('heading', { name: 'Layer', exact: true }).waitFor()
  expect(await shown(chosen(elsewhere))).toContain('Test')
}, 300_000)
