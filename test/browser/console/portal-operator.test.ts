/** The operator's pages in Chromium: an operator's tasks, in both languages, which no other role can do. */
import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, portalPages } from '../../support/browser/portal-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import type { MadeSensor } from '../../support/server/instance.ts'
import { type Account, callAs, memberAccount, operatorAccount, personAccount } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'

const HOSTILE = '<img src=x onerror=alert(1)> \u202e🚜 مزرعة'
const { instance, as, open } = portalPages({ SIGN_INS_PER_ADDRESS: '100000', JOB_SLOTS: '0' })
let operator: Account
let home: string
let sensor: MadeSensor

beforeAll(async () => {
  operator = await operatorAccount(instance)
  home = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: HOSTILE, tier: 'starter' })).id
  sensor = await instance.sensor(home, [{ name: 'a', measurement: 'number' }])
}, 300_000)

const sendReading = (): Promise<Response> =>
  instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { a: 1 } }] })
const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code

test('an operator finds an enterprise, limits it, holds and suspends it, and the enterprise sees why', async () => {
  const page = await open(operator, '/operator/enterprises')
  await page.waitForSelector('.table-row:has-text("onerror")')
  await page.getByRole('searchbox').fill('nothing like it')
  await page.waitForSelector('text=No enterprise matches')
  await page.waitForURL(/q=nothing\+like\+it/)
  await page.getByRole('searchbox').fill('ONERROR')
  await page.waitForSelector('.table-row:has-text("onerror")')
  await page.getByRole('link', { name: 'Suspended' }).click()
  await page.waitForSelector('text=No enterprise matches')
  await page.reload()
  await page.waitForSelector('text=No enterprise matches')
  await page.getByRole('link', { name: 'Remove filters' }).click()
  await page.waitForSelector('.table-body .table-row:has-text("onerror")')
  await expectAccessible(page)
  await page.locator('.table-body .table-row', { hasText: 'onerror' }).click()
  await page.waitForURL(new RegExp(`/operator/enterprises/${home}(\\?|$)`))
  await page.waitForSelector('h1:has-text("onerror")')
  expect(await page.textContent('h1')).toBe(HOSTILE)

  await page.getByLabel('Readings a day').fill('many')
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.waitForSelector('text=Must be a whole number.')
  await page.getByLabel('Readings a day').fill('5000')
  // somebody else saves first
  await instance.manage('PATCH', `/enterprises/${home}`, { storedDays: 30 })
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.waitForSelector('text=Somebody else changed this enterprise')
  await until(async () => (await page.getByLabel('Keeps files (days)').inputValue()) === '30', 'the newer value')
  expect(await page.getByLabel('Readings a day').inputValue()).toBe('5000')
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.waitForSelector('.toast:has-text("The limits were saved")')
  expect(await instance.manage('GET', `/enterprises/${home}`)).toMatchObject({ readingsPerDay: 5000, storedDays: 30 })

  await page.getByRole('button', { name: 'Hold assets' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hold assets' }).click()
  await page.waitForSelector('text=Enter a reason.')
  await page.getByRole('dialog').getByLabel('Reason').fill('Invoice 113 <b>unpaid</b>')
  await page.getByRole('dialog').getByRole('button', { name: 'Hold assets' }).click()
  await page.waitForSelector('text=On hold: ⁨Invoice 113 <b>unpaid</b>⁩')
  await expectAccessible(page)
  expect(await codeOf(await sendReading())).toBe('ASSETS_HELD')
  await page.getByRole('button', { name: 'Release assets' }).click()
  await page.waitForSelector('text=Sensors may send')
  expect(await codeOf(await sendReading())).toBe('SENSOR_READINGS_RESULT')

  await page.getByRole('button', { name: 'Suspend enterprise' }).click()
  await page.waitForSelector('dialog:has-text("Nothing is deleted")')
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend enterprise' }).click()
  await page.waitForSelector('text=Enter a reason.')
  await page.getByRole('dialog').getByLabel('Reason').fill('Contract 7 <i>ended</i>')
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend enterprise' }).click()
  await page.waitForSelector('text=All its calls are refused.')
  await page.waitForSelector('text=Reason: ⁨Contract 7 <i>ended</i>⁩')
  expect((await sendReading()).status).toBe(403)
  const theirs = await open(await memberAccount(instance, home, 'owner'), '/')
  await theirs.waitForSelector('h2:has-text("This enterprise is suspended")')
  await theirs.waitForSelector('text=Only the operator can end this.')
  await theirs.waitForSelector('text=Reason: ⁨Contract 7 <i>ended</i>⁩')
  expect(await theirs.locator('main').textContent()).not.toMatch(/role|administrator/)
  await theirs.goto('/portal/settings/enterprise')
  await theirs.waitForSelector('.notice:has-text("Contract 7")')
  await page.getByRole('button', { name: 'Activate enterprise' }).click()
  await page.waitForSelector('text=Its keys and members have access.')
  expect((await sendReading()).status).toBe(200)
  await page.getByRole('link', { name: 'Sensors', exact: true }).last().click()
  await page.waitForURL(`**/sensors?enterprise=${home}`)
  await page.waitForSelector('.table-row:has-text("Asset")')
}, 300_000)

test('a dialog stays open when the list of enterprises arrives after it', async () => {
  const context = await as(operator)
  const listed = Promise.withResolvers<void>()
  await context.route('**/manage/v1/enterprises?*', async (route) => {
    await listed.promise
    await route.continue()
  })
  const page = await open(context, '/operator/people')
  await page.getByRole('button', { name: 'Add person' }).click()
  const email = page.getByRole('dialog').getByRole('textbox')
  await email.fill('late@example.org')
  listed.resolve()
  // the first enterprise is chosen then
  await page.waitForSelector('.top-enterprise .cut:has-text("onerror")')
  expect(await email.inputValue()).toBe('late@example.org')
}, 300_000)

test('text that an operator typed on a page without an owner stays when the list of enterprises arrives', async () => {
  const context = await as(operator)
  const listed = Promise.withResolvers<void>()
  await context.route('**/manage/v1/enterprises?*', async (route) => {
    await listed.promise
    await route.continue()
  })
  const page = await open(context, '/account')
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Typed early')
  listed.resolve()
  await page.waitForSelector('.top-enterprise .cut:has-text("onerror")')
  expect(await name.inputValue()).toBe('Typed early')
}, 300_000)

test('an operator adds a person, makes a link, changes the plan, and holds a Tool API', async () => {
  const page = await open(operator, '/operator/people', { language: 'ar' })
  await page.getByRole('button', { name: 'إضافة شخص' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('البريد الإلكتروني').fill('person@example.org')
  await dialog.getByLabel('الخطة').selectOption('pro')
  // pressed twice
  await dialog
    .getByRole('button', { name: 'إضافة شخص' })
    .evaluate((button: { click(): void }) => [button.click(), button.click()])
  await page.waitForURL('**/operator/people/per_*')
  const id = page.url().split('/').at(-1) ?? ''
  const api = await instance.manage<{ id: string }>('POST', `/owners/${id}/tool-apis`, {
    tool: 'vector.centroids',
    name: HOSTILE,
  })
  await page.reload()
  await page.getByRole('button', { name: 'إنشاء رابط' }).click()
  expect(await page.textContent('[data-testid="key"]')).toMatch(/\/portal\/welcome\/[\w-]{43}/)
  await page.getByRole('button', { name: 'لقد حفظته' }).click()
  await page.getByTitle('إيقاف ⁨').click()
  await page.getByRole('dialog').getByLabel('السبب').fill('طلبات كثيرة')
  await page.getByRole('dialog').getByRole('button', { name: 'إيقاف' }).click()
  await page.waitForSelector('text=طلبات كثيرة')
  expect(await instance.manage('GET', `/tool-apis/${api.id}`)).toMatchObject({ held: true, heldReason: 'طلبات كثيرة' })
  await expectAccessible(page)
  await page.getByLabel('الخطة').selectOption('max')
  await page.getByRole('button', { name: 'حفظ الخطة' }).click()
  await page.waitForSelector('.toast:has-text("حُفظت الخطة")')
  expect(await instance.manage('GET', `/people/${id}`)).toMatchObject({ plan: 'max', storedDays: null })
  const days = page.getByLabel('مدة حفظ الملفات (أيام)')
  await days.fill('x')
  await page.waitForSelector('text=يجب أن يكون عددًا صحيحًا.')
  await days.fill('30')
  await page.getByRole('button', { name: 'حفظ المدة' }).click()
  await page.waitForSelector('.toast:has-text("حُفظت المدة")')
  expect(await instance.manage('GET', `/people/${id}`)).toMatchObject({ plan: 'max', storedDays: 30 })
  await expectAccessible(page)
  await page.goto('/portal/operator/people?q=person%40example')
  await page.waitForSelector('.table-row:has-text("person@example.org")')
  await expectAccessible(page)
}, 300_000)

test('operators are invited and removed, and a token works until it is revoked', async () => {
  const second = await operatorAccount(instance)
  const theirs = await open(second, '/operator/health')
  await theirs.waitForSelector('[data-part="postgres"]')
  const page = await open(operator, '/operator/people?tab=operators')
  await page.waitForSelector(`td:has-text("${second.email}")`)
  await page.getByRole('button', { name: 'Invite operator' }).click()
  await page.getByRole('dialog').getByLabel('Address').fill('third@example.org')
  await page.getByRole('dialog').getByRole('button', { name: 'Make a link' }).click()
  await page.waitForSelector('[data-testid="key"]')
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.waitForSelector('li:has-text("third@example.org")')
  await expectAccessible(page)
  await page.getByRole('button', { name: `Remove the role of ⁨${second.email}⁩` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the role' }).click()
  await page.waitForSelector(`td:has-text("${second.email}")`, { state: 'detached' })
  // the other operator's open page notices with its next request, and the address no longer exists
  await theirs.waitForSelector('text=/Could not be updated|You may not do this/')
  await theirs.reload()
  await theirs.waitForSelector('text=You may not do this')

  await page.getByRole('tab', { name: 'Operator tokens' }).click()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('dialog').getByLabel('Holder or purpose').fill('nightly backup')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  const code = (await page.textContent('.key-box pre')) ?? ''
  const running = Bun.spawn(['bash', '-c', code], { stdout: 'pipe' })
  expect(await new Response(running.stdout).text()).toContain('"ok":true')
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.waitForSelector('td:has-text("nightly backup")')
  await expectAccessible(page)
  await page.getByTitle('Revoke ⁨nightly backup⁩').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.waitForSelector('text=No token besides the one of the server.')
  const again = Bun.spawn(['bash', '-c', code], { stdout: 'pipe' })
  expect(await new Response(again.stdout).text()).toContain('OPERATOR_TOKEN_INVALID')
}, 300_000)

test('health and queues show parts, figures and jobs, and a job is cancelled', async () => {
  const form = new FormData()
  form.set('file', new File(['{"type":"Point","coordinates":[31,30]}'], 'point.geojson'))
  form.set('target_format', 'geojson')
  const call = { enterprise: home, body: form, headers: { prefer: 'respond-async' } }
  const accepted = await callAs<{ jobID: string }>(
    instance.url(),
    operator,
    'POST',
    '/enterprise/v1/gis/centroids',
    call,
  )
  const begun = await callAs(instance.url(), operator, 'POST', '/enterprise/v1/gis/uploads', {
    enterprise: home,
    headers: { 'tus-resumable': '1.0.0', 'upload-length': String(5 * 2 ** 20) },
  })
  expect(begun.status).toBe(201)
  const views = (['en', 'ar'] as const).flatMap((language) => [1280, 390].map((width) => ({ language, width })))
  for (const { language, width } of sampleOf(views, 2)) {
    const page = await open(operator, '/operator/health?range=1h', { language, width })
    await page.waitForSelector('[data-part="postgres"][data-state="ok"]')
    await page.waitForSelector('[data-history="postgres"]')
    await page.waitForSelector('.chart-plot canvas')
    await eventually(async () => expect(await page.locator('[data-part]').count()).toBe(9))
    await expectAccessible(page)
    await page.goto('/portal/operator/queues')
    await page.waitForSelector('[data-lane="node"]')
    await page.waitForSelector('.table-row:has-text("vector.centroids")')
    expect(await page.textContent(`[data-uploads-of="${home}"]`)).toContain('5')
    await expectAccessible(page)
    // only elements that scroll by themselves are wider than the screen
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.close()
  }
  const page = await open(operator, '/operator/queues')
  await page.getByTitle(`Cancel job ⁨${accepted.data.jobID}⁩`).click()
  await eventually(async () => expect(await page.textContent('dialog')).toContain(HOSTILE))
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click()
  await page.waitForSelector('text=No job in these states.')
  await page.getByRole('link', { name: 'Cancelled' }).click()
  await page.waitForSelector('.table-row:has-text("vector.centroids")')
}, 300_000)

test('other accounts see the pages neither in the navigation nor by their address', async () => {
  const accounts = [await memberAccount(instance, home, 'owner'), await personAccount(instance)]
  const paths = ['/operator/enterprises', `/operator/enterprises/${home}`, '/operator/people', '/operator/health']
  for (const account of accounts) {
    const context = await as(account)
    const asked: string[] = []
    const page = await open(context, '/')
    page.on('request', (request) => asked.push(request.url()))
    await page.waitForSelector('.rail')
    await page.locator('.rail a[href$="/reference"]').waitFor()
    expect(await page.locator('.rail a[href*="/operator"]').count()).toBe(0)
    for (const path of [...paths, '/operator/queues']) {
      await page.goto(`/portal${path}`)
      await page.waitForSelector('text=You may not do this')
    }
    expect(asked.filter((url) => /\/manage\/v1\/operators?\b/.test(url))).toEqual([])
  }
}, 300_000)
