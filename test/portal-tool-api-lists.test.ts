/** The list of Tool APIs in Chromium, and who sees it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { accessibilityFaults } from './support/accessibility.ts'
import { box } from './support/engine.ts'
import type { Instance } from './support/instance.ts'
import { callAs, memberAccount, personAccount } from './support/sessions.ts'
import { shellOutput, type ToolApiPages, toolApiPages } from './support/tool-api-pages.ts'
import { type ToolApi, toolApisOf } from './support/tool-apis.ts'
import { eventually, until } from './support/until.ts'

let pages: ToolApiPages
let instance: Instance
let owner = ''
const { save, run } = toolApisOf(() => instance)

beforeAll(async () => {
  pages = await toolApiPages()
  ;({ instance, owner } = pages)
}, 300_000)
afterAll(() => pages?.remove())

test('the list is searched, filtered and sorted, and keeps that in its address', async () => {
  const other = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'List', tier: 'starter' })
  const account = await memberAccount(instance, other.id, 'owner')
  const apis = []
  for (const name of ['Alpha', 'Beta', 'Gamma'])
    apis.push(
      await save(other.id, name === 'Beta' ? 'vector.buffer' : 'vector.centroids', {
        ...{ name, ...(name === 'Beta' && { settings: { distance_m: 5 } }) },
      }),
    )
  await instance.manage('PATCH', `/tool-apis/${apis[2]?.id}`, { enabled: false })
  for (let i = 0; i < 3; i++) await run(apis[1] as ToolApi, { input: box(0, 0, 1, 1) })
  const context = await pages.signedIn(account, { width: 1440 })
  const { page, errors } = await pages.open(context, '/tool-apis')
  const names = async (): Promise<string[]> =>
    page.locator('.table-body [role="row"] a').evaluateAll((links) => links.map((link) => link.textContent ?? ''))
  await page.getByText('3 Tool APIs').waitFor()
  await eventually(async () => expect(await names()).toEqual(['Gamma', 'Alpha', 'Beta']))
  await page.getByText('3 of 10,000 API requests used today').waitFor()
  await page.getByRole('button', { name: 'Calls today' }).click()
  await until(async () => (await names())[0] === 'Beta', 'sorting by calls')
  await page.getByRole('searchbox').fill('alp')
  await until(async () => (await names()).join() === 'Alpha', 'searching')
  await page.reload()
  await until(async () => (await names()).join() === 'Alpha', 'the search of the address')
  await page.getByRole('searchbox').fill('')
  await page.locator('.chip', { hasText: 'Off' }).click()
  await until(async () => (await names()).join() === 'Gamma', 'filtering by state')
  await page.waitForURL(/[?&]state=off/)
  expect(await accessibilityFaults(page)).toEqual([])
  expect(errors).toEqual([])
  // what belongs to others does not exist
  const { id: foreign } = await save(owner, 'vector.centroids', { name: 'Secret zones' })
  await page.goto(`/portal/tool-apis/${foreign}`)
  await page.getByRole('heading', { name: 'This Tool API does not exist' }).waitFor()
  expect(await page.locator('main').textContent()).not.toContain('zones')
  const answer = await callAs(instance.url(), account, 'POST', `/manage/v1/tool-apis/${foreign}/try`, {
    body: { input: box(0, 0, 1, 1) },
  })
  expect(answer).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  await context.close()
}, 300_000)

test('members have no Tool APIs; people have them with a plan that includes them', async () => {
  const member = await memberAccount(instance, owner, 'member')
  const asMember = await pages.signedIn(member)
  const { page } = await pages.open(asMember, '/tool-apis')
  await page.locator('main :is(h1, h2)').first().waitFor()
  expect(await page.getByRole('link', { name: 'Tool APIs' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Create Tool API' }).count()).toBe(0)
  await asMember.close()

  const person = await personAccount(instance, 'free')
  const asPerson = await pages.signedIn(person)
  const { page: own, errors } = await pages.open(asPerson, '/tool-apis')
  await own.getByText('does not include Tool APIs').waitFor()
  await own.getByText('Ask the operator of this service for another plan.').waitFor()
  expect(await own.getByRole('link', { name: 'Create Tool API' }).count()).toBe(0)
  await own.goto('/portal/tool-apis/new')
  await own.getByText('does not include Tool APIs').waitFor()
  expect(await own.getByLabel('Tool', { exact: true }).count()).toBe(0)
  await instance.manage('PATCH', `/people/${person.personId}`, { plan: 'pro' })
  await own.reload()
  await own.getByLabel('Tool', { exact: true }).selectOption('vector.centroids')
  await own.getByLabel('Name', { exact: true }).fill('Centres')
  await own.getByRole('button', { name: 'Create Tool API' }).click()
  const curl = (await own.locator('.code pre').textContent()) ?? ''
  expect(JSON.parse(await shellOutput(curl))).toMatchObject({ code: 'TOOL_API_RESULT', data: { featureCount: 1 } })
  expect(await accessibilityFaults(own)).toEqual([])
  expect(errors).toEqual([])
  await asPerson.close()
}, 300_000)
