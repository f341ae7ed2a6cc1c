/** Pages of Tool APIs in Chromium, against a real server: creating, calling, trying, changing and deleting one. */
import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { pressTab } from '../../support/browser/browser.ts'
import { expectAccessible, portalPages } from '../../support/browser/portal-pages.ts'
import { sharedFolder } from '../../support/run-end.ts'
import type { Envelope } from '../../support/server/instance.ts'
import { collection, feature, type ToolApi, toolApisOf, type Verdict } from '../../support/server/tool-apis.ts'
import { type Account, callAs, memberAccount, personAccount } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'
import { box } from '../../support/workers/engine.ts'

const HOSTILE = '<img src=x onerror=alert(1)> \u202e🛰 zones'

const dir = sharedFolder('tool-api-pages')
const { instance, open } = portalPages()
const { layer, save, run } = toolApisOf(() => instance)
let owner = ''
let admin: Account
beforeAll(async () => {
  owner = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Harbour', tier: 'business' })).id
  admin = await memberAccount(instance, owner, 'admin')
}, 300_000)

/** The output of a command, run as if it had been pasted into a terminal. */
const shellOutput = (command: string): Promise<string> =>
  new Response(Bun.spawn(['bash', '-c', command], { stdout: 'pipe', stderr: 'inherit' }).stdout).text()

const listed = async (): Promise<
  (ToolApi & { name: string; binding: unknown; rule: unknown; referenceFields: unknown })[]
> => (await instance.manage<{ items: never[] }>('GET', `/owners/${owner}/tool-apis`)).items

test('a Tool API is previewed, made once, and called with the shown command', async () => {
  await layer(owner, feature(box(10, 0, 11, 1), { zone: HOSTILE, secret: 'nobody' }))
  const page = await open(admin, '/tool-apis')
  await page.getByRole('link', { name: 'Create Tool API' }).first().click()
  await page.getByLabel('Tool', { exact: true }).selectOption('vector.inside-check')
  await page.getByLabel('Name', { exact: true }).fill(HOSTILE)
  // nothing can be sent before a layer is chosen
  await page.getByText('Choose the layer or file with polygons.').first().waitFor()
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('lay')
  await page.locator('.binding-choices label', { hasText: 'Layer' }).click()
  await page.getByLabel('A feature passes when').selectOption('percent')
  await page.getByLabel('Percent inside, 0 to 100').fill('60')
  await page.getByLabel('zone', { exact: true }).check()
  await page.getByRole('tab', { name: 'Paste GeoJSON' }).click()
  // at the equator, of equal-area halves 0.5 to 1.5 degrees: 60 % and 40 % of their width are inside
  const input = collection(feature(box(10.4, 0.2, 11.4, 0.4)), feature(box(10.6, 0.2, 11.6, 0.4)))
  await page.getByLabel('GeoJSON', { exact: true }).fill(JSON.stringify(input))
  await page.getByRole('button', { name: 'Run preview' }).click()
  const results = page.locator('.tool-api-results li')
  await results.first().waitFor()
  await eventually(async () => {
    const percents = (await results.allTextContents()).map((text) => Number(/([\d.]+)\s*%/.exec(text)?.[1]))
    expect(percents[0]).toBeCloseTo(60, 2)
    expect(percents[1]).toBeCloseTo(40, 2)
  })
  await page.getByLabel('Percent inside, 0 to 100').fill('50')
  await page.getByText('1 of 2 features pass').waitFor()
  await eventually(async () =>
    expect(await results.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-pass')))).toEqual([
      'true',
      'false',
    ]),
  )
  expect(await page.locator('.tool-api-results').textContent()).not.toContain('nobody')
  // the same input is checked again by the other rule
  await page.getByLabel('A feature passes when').selectOption('partly')
  await page.getByText('2 of 2 features pass').waitFor()
  await page.getByLabel('A feature passes when').selectOption('inside')
  await page.getByText('0 of 2 features pass').waitFor()
  await page.getByLabel('A feature passes when').selectOption('percent')
  await expectAccessible(page)

  await page.locator('form .button-main').dblclick()
  const key = await page.getByTestId('key').textContent()
  expect(key).toMatch(/^svcapi_[\w-]{43}$/)
  const made = await listed()
  expect(made).toHaveLength(1)
  expect(made[0]).toMatchObject({ name: HOSTILE, rule: { kind: 'percent', percent: 50 }, referenceFields: ['zone'] })
  // the example lies partly in the layer
  await page.locator('.code pre', { hasText: '11.5' }).waitFor()
  const curl = (await page.locator('.code pre').textContent()) ?? ''
  const answer = JSON.parse(await shellOutput(curl)) as Envelope<Verdict>
  expect(answer).toMatchObject({ code: 'TOOL_API_RESULT', data: { counts: { partial: 1 } } })
  await pressTab(page, 'Python')
  await Bun.write(join(dir, 'call.py'), (await page.locator('.code pre').textContent()) ?? '')
  expect(JSON.parse(await shellOutput(`python3 ${join(dir, 'call.py')}`))).toMatchObject({ code: 'TOOL_API_RESULT' })
  await pressTab(page, 'JavaScript')
  await Bun.write(join(dir, 'call.mjs'), (await page.locator('.code pre').textContent()) ?? '')
  expect(await shellOutput(`${process.execPath} ${join(dir, 'call.mjs')}`)).toContain('TOOL_API_RESULT')
  await page.getByRole('button', { name: 'I have saved it' }).click()
  // the page counts the three calls
  await page.locator('.page-title', { hasText: 'zones' }).waitFor()
  await until(async () => {
    await page.reload()
    await page.locator('.tool-api-statistics .sensor-facts').waitFor()
    return (await page.locator('.tool-api-statistics .sensor-facts').textContent())?.startsWith('Calls3') === true
  }, 'counting three calls')
}, 300_000)

test('a layer and a file are uploaded in the form, and a version of the file is pinned', async () => {
  const page = await open(admin, '/tool-apis/new?tool=vector.clip')
  const zones = JSON.stringify(collection(feature(box(0, 0, 1, 1), { zone: 'new' })))
  const give = async (name: string, text: string): Promise<void> => {
    const chooser = page.waitForEvent('filechooser')
    await page.locator('.drop-zone button').click()
    await (await chooser).setFiles({ name, mimeType: 'application/geo+json', buffer: Buffer.from(text) })
  }
  await page.getByLabel('Name', { exact: true }).fill('Uploaded')
  await page.getByRole('button', { name: 'Upload a new layer' }).click()
  await give('broken.geojson', '{"type":')
  await page.getByText('The file is not valid GeoJSON.').waitFor()
  await give('Harbour zones.geojson', zones)
  const chosen = page.locator('.binding-choices li', { has: page.locator('input:checked') })
  await chosen.filter({ hasText: 'Harbour zones' }).waitFor()
  // a layer of points cannot be a mask
  await layer(owner, feature({ type: 'Point', coordinates: [0, 0] }))
  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('button', { name: 'Upload a new file' }).click()
  await give('mask.geojson', zones)
  await chosen.filter({ hasText: 'mask.geojson' }).waitFor()
  await page.getByLabel('Version', { exact: true }).selectOption('1')
  await page.getByRole('tab', { name: 'Paste GeoJSON' }).click()
  await page.getByLabel('GeoJSON', { exact: true }).fill(JSON.stringify(box(0.5, 0.5, 3, 3)))
  await page.getByRole('button', { name: 'Run preview' }).click()
  await page.locator('.tool-api-verdict', { hasText: '1 feature' }).waitFor()
  await page.getByRole('tab', { name: 'Layers' }).click()
  await page.locator('.binding-choices li', { hasText: 'not only polygons' }).waitFor()
  await page.locator('.binding-choices li', { hasText: 'not only polygons' }).locator('input:disabled').waitFor()
  await page.getByRole('button', { name: 'Create Tool API' }).click()
  await page.getByTestId('key').waitFor()
  const made = (await listed()).find(({ name }) => name === 'Uploaded')
  expect(made).toMatchObject({ binding: { kind: 'file-version', version: 1 } })
}, 300_000)

test('a Tool API is tried, gets a second key, and its refusals are explained', async () => {
  const zones = await layer(owner, feature(box(0, 0, 2, 2), { zone: 'a' }))
  const api = await save(owner, 'vector.clip', { name: 'Clip', binding: { kind: 'layer', id: zones.id } })
  await run(api, { input: { type: 'Point', coordinates: [200, 0] } })
  await run({ ...api, key: 'svcapi_lost' }, { input: box(0, 0, 1, 1) })
  const page = await open(admin, `/tool-apis/${api.id}`, { language: 'ar' })
  await page.getByText('المدخل غير صالح').waitFor()
  await page.getByText('المفتاح مفقود أو خاطئ أو منتهي الصلاحية أو ملغى').waitFor()
  await page.locator('.tool-api-codes', { hasText: 'feature 0: longitude must be from -180 to 180' }).waitFor()
  await expectAccessible(page)

  await page.getByRole('tab', { name: 'التجربة' }).click()
  await page.locator('.map[data-ready="true"]').waitFor()
  // drawn with the mouse: a triangle in the middle of the bound square
  await page.getByRole('toolbar').waitFor()
  const map = await page.locator('.map-canvas canvas').first().boundingBox()
  const [x, y] = [(map?.x ?? 0) + (map?.width ?? 0) / 2, (map?.y ?? 0) + (map?.height ?? 0) / 2]
  for (const [dx, dy] of [
    [-40, 30],
    [40, 30],
    [0, -40],
    [-40, 30],
  ] as const) {
    await page.mouse.move(x + dx, y + dy)
    await page.mouse.click(x + dx, y + dy)
  }
  await page.getByText('رُسم شكل واحد').waitFor()
  await page.getByRole('button', { name: 'إرسال' }).click()
  await page.locator('.tool-api-verdict', { hasText: 'عنصر واحد' }).waitFor()
  await page.getByRole('tab', { name: 'لصق GeoJSON' }).click()
  await page.getByRole('textbox').fill('{"type":"Point"')
  await page.getByText('هذا النص ليس JSON صالحًا.').waitFor()
  await page.getByRole('textbox').fill('{"type":"Circle","coordinates":[1]}')
  await page.getByRole('button', { name: 'إرسال' }).click()
  await page.locator('.form-error', { hasText: 'يجب أن يكون النوع أحد الأنواع' }).waitFor()
  await expectAccessible(page)

  await page.getByRole('tab', { name: 'المفاتيح' }).click()
  await page.getByRole('button', { name: 'إضافة مفتاح' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('الاسم').fill(HOSTILE)
  await dialog.getByRole('button', { name: 'إضافة مفتاح' }).dblclick()
  const key = (await page.getByTestId('key').textContent()) ?? ''
  const { items } = await instance.manage<{ items: { name: string }[] }>('GET', `/tool-apis/${api.id}/keys`)
  expect(items.map(({ name }) => name)).toEqual(['Key', HOSTILE])
  // both keys work until the first one is revoked
  const code = async (one: string) => (await run({ id: api.id, key: one }, { input: box(0, 0, 1, 1) })).code
  expect([await code(api.key), await code(key)]).toEqual(['TOOL_API_RESULT', 'TOOL_API_RESULT'])
  await page.locator('.key-box .button-main').click()
  await page.locator('.plain-table tbody tr').first().getByRole('button').click()
  await page.getByRole('dialog').locator('.button-danger').click()
  await until(async () => (await code(api.key)) === 'TOOL_API_KEY_INVALID', 'revoking the first key')
  expect(await code(key)).toBe('TOOL_API_RESULT')
  await eventually(async () => {
    const { total } = await instance.manage<{ total: { trials: number } }>('GET', `/tool-apis/${api.id}/statistics`)
    expect(total.trials).toBe(2)
  })
}, 300_000)

test('two people who change one Tool API notice each other; it is switched off and deleted by its name', async () => {
  const zones = await layer(owner, feature(box(0, 0, 2, 2), { zone: 'a' }))
  const api = await save(owner, 'vector.inside-check', { name: 'Shared', binding: { kind: 'layer', id: zones.id } })
  const page = await open(admin, `/tool-apis/${api.id}?tab=settings`)
  await page.getByLabel('A feature passes when').selectOption('percent')
  await page.getByLabel('Percent inside, 0 to 100').fill('101')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Enter a number from 0 to 100.').first().waitFor()
  await page.getByLabel('Percent inside, 0 to 100').fill('25')
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { rule: { kind: 'partly' } })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await eventually(async () => {
    expect(await dialog.textContent()).toContain('Somebody else changed this Tool API')
    expect(await dialog.textContent()).toContain('any part of a feature has to be inside')
    expect(await dialog.textContent()).toContain('25')
  })
  await dialog.locator('.button-main').click()
  await until(
    async () =>
      (await instance.manage<{ rule: { percent?: number } }>('GET', `/tool-apis/${api.id}`)).rule.percent === 25,
    'saving over the other change',
  )
  await dialog.waitFor({ state: 'detached' })
  // a second change while the answer to the first one is pending does not conflict with it
  const answered = Promise.withResolvers<void>()
  await page.route(`**/tool-apis/${api.id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue()
    const response = await route.fetch()
    await answered.promise
    await route.fulfill({ response })
  })
  await page.getByLabel('Percent inside, 0 to 100').fill('26')
  await page.getByRole('button', { name: 'Save' }).click()
  await until(
    async () =>
      (await instance.manage<{ rule: { percent?: number } }>('GET', `/tool-apis/${api.id}`)).rule.percent === 26,
    'the first change',
  )
  await page.getByRole('switch', { name: 'Answer calls' }).click()
  answered.resolve()
  await page.getByText('It is switched off').waitFor()
  await page.unroute(`**/tool-apis/${api.id}`)
  expect((await run(api, { input: box(0, 0, 1, 1) })).code).toBe('TOOL_API_DISABLED')
  // the owner cannot change the operator's hold
  expect(await page.getByRole('switch').count()).toBe(1)
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { held: true, heldReason: HOSTILE })
  await page.reload()
  await page.getByText('The operator has put it on hold').waitFor()
  await eventually(async () => expect(await page.locator('.tool-api-trouble').textContent()).toContain(HOSTILE))
  await page.getByRole('button', { name: 'Delete Tool API' }).click()
  const confirm = page.getByRole('dialog').locator('.button-danger')
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByRole('dialog').getByRole('textbox').fill('Shared')
  await confirm.click()
  await page.waitForURL(/\/tool-apis(\?|$)/)
  expect((await listed()).map(({ id }) => id)).not.toContain(api.id)
}, 300_000)

test('the list is searched, filtered and sorted, and keeps that in its address', async () => {
  const other = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'List', tier: 'starter' })
  const account = await memberAccount(instance, other.id, 'owner')
  const apis = []
  for (const name of ['Alpha', 'Beta', 'Gamma'])
    apis.push(
      await save(other.id, name === 'Beta' ? 'vector.buffer' : 'vector.centroids', {
        name,
        ...(name === 'Beta' && { settings: { distance_m: 5 } }),
      }),
    )
  await instance.manage('PATCH', `/tool-apis/${apis[2]?.id}`, { enabled: false })
  for (let i = 0; i < 3; i++) await run(apis[1] as ToolApi, { input: box(0, 0, 1, 1) })
  const page = await open(account, '/tool-apis', { width: 1440 })
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
  await expectAccessible(page)
  // items of other owners do not exist
  const { id: foreign } = await save(owner, 'vector.centroids', { name: 'Secret zones' })
  await page.goto(`/portal/tool-apis/${foreign}`)
  await page.getByRole('heading', { name: 'This Tool API does not exist' }).waitFor()
  expect(await page.locator('main').textContent()).not.toContain('zones')
  const answer = await callAs(instance.url(), account, 'POST', `/manage/v1/tool-apis/${foreign}/try`, {
    body: { input: box(0, 0, 1, 1) },
  })
  expect(answer).toMatchObject({ status: 404, code: 'NOT_FOUND' })
}, 300_000)

test('members have no Tool APIs; people have them with a plan that includes them', async () => {
  const member = await memberAccount(instance, owner, 'member')
  const page = await open(member, '/tool-apis')
  await page.locator('main :is(h1, h2)').first().waitFor()
  expect(await page.getByRole('link', { name: 'Tool APIs' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Create Tool API' }).count()).toBe(0)

  const person = await personAccount(instance, 'free')
  const own = await open(person, '/tool-apis')
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
  await expectAccessible(own)
}, 300_000)
