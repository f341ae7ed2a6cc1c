/** Fleet keys in Chromium: a device that waits, its approval, refusals, rotation, revocation, and external ids. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { pressTab } from '../../support/browser/browser.ts'
import { consolePages, HOSTILE } from '../../support/browser/console-pages.ts'
import { expectAccessible, widthOf } from '../../support/browser/portal-pages.ts'
import { callAs } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

const { instance, organization, people, open } = consolePages()

const DAY_MS = 86_400_000
type FleetKey = { id: string; key: string; name: string; keys: { expiresAt: string | null }[] }
type Listed = {
  id: string
  externalId: string | null
  tags: string[]
  channels: { name: string }[]
  latest: { channel: string; value: number | boolean | null }[]
}

const made = (settings: object): Promise<FleetKey> =>
  instance.manage('POST', `/enterprises/${organization.id}/fleet-keys`, settings)
const idOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

async function send(key: string, ...lines: string[]): Promise<number> {
  const response = await fetch(`${instance.url()}/api/v2/write`, {
    method: 'POST',
    headers: { authorization: `Token ${key}` },
    body: lines.join('\n'),
  })
  await response.arrayBuffer()
  return response.status
}

async function sensorsWith(externalId: string): Promise<Listed[]> {
  const path = `/enterprise/v1/assets/sensors?include=latest&q=${encodeURIComponent(externalId)}`
  const { data } = await callAs<{ items: Listed[] }>(instance.url(), people.admin, 'GET', path, {
    enterprise: organization.id,
  })
  return data.items
}

/** Whether a table of the page has a row with all these texts. */
const rowWith = (page: Page, ...texts: string[]) =>
  texts.reduce((row, text) => row.filter({ hasText: text }), page.locator('main tbody tr'))

test('a key is made, a device waits with what it sent, is approved with a template, and its next reading is stored', async () => {
  const page = await open(people.admin, '/settings/fleet-keys')
  await page.getByText('One key for many devices').waitFor()
  await expectAccessible(page)
  await page.getByRole('main').getByRole('link', { name: 'Create fleet key' }).first().click()
  await button(page, 'Create fleet key').click()
  await page.getByText('1 field needs your attention.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill(HOSTILE)
  await page.getByRole('combobox', { name: 'Only for sensors with one of these tags' }).pressSequentially('mast,')
  await page.getByLabel('Several tags, or the measurement').check()
  await page.getByLabel('Pattern of the name').fill('host')
  await page.getByText(/The pattern needs at least one tag in braces/).waitFor()
  await page.getByLabel('Tags in the name of a channel').fill('a,b,c,d,e,f,g,h,i,j,k')
  await page.getByText(/At most 10 tags of at most 100 characters/).waitFor()
  await button(page, 'Add channel').click()
  await page.getByText('A channel needs a name of 1 to 200 characters.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: /^Remove channel/ }).click()
  await page.getByLabel('Tags in the name of a channel').fill('')
  await page.getByLabel('One tag').check()
  await page.getByLabel('Expires').fill('2020-01-01T00:00')
  await button(page, 'Create fleet key').click()
  // the server's own rule, at its field
  await page.locator('.field-wrong', { hasText: 'Expires' }).waitFor()
  await page.getByLabel('Expires').fill('')
  await button(page, 'Create fleet key').click()
  await page.waitForURL(/fleet-keys\/fky_/)
  const path = new URL(page.url()).pathname.replace('/portal', '')
  const key = (await page.getByTestId('key').textContent())?.trim() ?? ''
  expect(key).toMatch(/^svcfl_/)
  const code = page.locator('.key-box pre')
  expect(await code.textContent()).toContain(`${instance.url()}/ingest/readings`)
  expect(await code.textContent()).toContain(key)
  await pressTab(page, 'Telegraf')
  expect(await code.textContent()).toContain(`token = "${key}"`)
  await expectAccessible(page)
  await button(page, 'I have saved it').click()
  expect(await page.content()).not.toContain(key)
  await page.getByText('No device waits').waitFor()
  await expectAccessible(page)

  expect(await send(key, `weather,host=mast-1 temperature=21.5,door=true`)).toBe(400)
  expect(await sensorsWith('mast-1')).toEqual([])
  await rowWith(page, 'mast-1', 'temperature', '21.5', 'door on').waitFor()
  await expectAccessible(page)
  for (const place of ['/', '/sensors']) {
    await page.goto(`/portal${place}`)
    await page.getByRole('link', { name: '1 device wants to come in' }).click()
    await page.waitForURL(new RegExp(path))
  }
  await page.getByRole('checkbox', { name: 'mast-1' }).check()
  await button(page, 'Approve 1 selected').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/It gets the tags of the key: .*mast/).waitFor()
  await dialog.getByLabel('These').check()
  await dialog.getByRole('button', { name: 'Approve 1 device' }).click()
  await dialog.getByText('A channel needs a name of 1 to 200 characters.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'Name of channel 1' }).fill('temperature')
  await dialog.getByRole('combobox', { name: 'Unit of channel 1' }).fill('°C')
  await dialog.getByRole('combobox', { name: 'Additional tags' }).pressSequentially('new,')
  await dialog.getByRole('button', { name: 'Approve 1 device' }).click()
  await page.getByText('1 sensor created.').waitFor()
  await page.getByText('No device waits').waitFor()

  expect(await send(key, 'weather,host=mast-1 temperature=22')).toBe(204)
  await until(
    async () => (await sensorsWith('mast-1'))[0]?.latest.some(({ value }) => value === 22) === true,
    'the reading is stored',
  )
  const [sensor] = await sensorsWith('mast-1')
  expect(sensor).toMatchObject({ externalId: 'mast-1', channels: [{ name: 'temperature', unit: '°C' }] })
  expect(sensor?.tags.toSorted()).toEqual(['mast', 'new'])
}, 300_000)

test('all waiting devices are approved at once, found by search, and one that has a sensor meanwhile is named', async () => {
  const { id, key } = await made({ name: 'Yard', autoCreate: 'pending' })
  const names = Array.from({ length: 9 }, (_, i) => `yard-${i}`)
  await send(key, ...names.map((name) => `m,host=${name} level=${name.at(-1)}`))
  const page = await open(people.owner, `/settings/fleet-keys/${id}`)
  await page.getByRole('searchbox', { name: 'External id' }).fill('YARD-3')
  await button(page, 'Approve 1 device').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('yard-3').waitFor()
  await dialog.getByRole('button', { name: 'Approve 1 device' }).click()
  await page.getByText('1 sensor created.').waitFor()
  await page.getByRole('searchbox', { name: 'External id' }).fill('')
  await button(page, 'Approve all 8').click()
  await dialog.getByText('yard-0').waitFor()
  await instance.manage('POST', `/enterprises/${organization.id}/sensors`, { externalId: 'yard-5', channels: [] })
  await dialog.getByRole('button', { name: 'Approve 8 devices' }).click()
  await page.getByText('7 sensors created.').waitFor()
  await page.getByText(/1 device was not approved.*yard-5/).waitFor()
  const shape = async (name: string) => (await sensorsWith(name)).map(({ channels }) => channels.map((one) => one.name))
  expect(await Promise.all(['yard-0', 'yard-3', 'yard-5'].map(shape))).toEqual([[['level']], [['level']], [[]]])
}, 300_000)

test('waiting devices are removed, one or all that are selected, and are listed again when they send again', async () => {
  const { id, key } = await made({ name: 'Stolen', autoCreate: 'pending' })
  await send(key, ...Array.from({ length: 8 }, (_, i) => `m,host=invented-${i} a=1`), 'm,host=genuine a=1')
  const page = await open(people.admin, `/settings/fleet-keys/${id}`)
  const dialog = page.getByRole('dialog')
  // by keyboard
  await rowWith(page, 'invented-3').getByRole('button', { name: 'Remove' }).press('Enter')
  await dialog.getByText('invented-3').waitFor()
  await dialog.getByText(/is listed again when it sends again/).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await rowWith(page, 'invented-3').count()).toBe(1)
  await rowWith(page, 'invented-3').getByRole('button', { name: 'Remove' }).press('Enter')
  await dialog.getByRole('button', { name: 'Remove 1 device' }).press('Enter')
  await page.getByText('1 device removed.').waitFor()
  await rowWith(page, 'invented-3').waitFor({ state: 'detached' })
  await page.getByRole('searchbox', { name: 'External id' }).fill('invented')
  await rowWith(page, 'genuine').waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Device', exact: true }).press('Space')
  await button(page, 'Remove 7 selected').click()
  await dialog.getByText(/invented-0.*2 others/).waitFor()
  await dialog.getByRole('button', { name: 'Remove 7 devices' }).click()
  await page.getByText('7 devices removed.').waitFor()
  await page.getByText('No waiting device matches.').waitFor()
  await page.getByRole('searchbox', { name: 'External id' }).fill('')
  await rowWith(page, 'genuine').waitFor()
  expect(await page.locator('main tbody tr').count()).toBe(1)
  expect(await send(key, 'm,host=invented-3 a=1')).toBe(400)
  await rowWith(page, 'invented-3').waitFor()
  await page.goto('/portal/settings/audit?kind=pending-sensors')
  await page.locator('[role="row"]', { hasText: 'waiting devices' }).first().click()
  await page.locator('dialog .diff tbody tr', { hasText: 'invented-0' }).getByText('External ids').waitFor()

  const arabic = { language: 'ar', theme: 'dark', width: 390, height: 844 } as const
  const phone = await open(people.owner, `/settings/fleet-keys/${id}`, arabic)
  await rowWith(phone, 'genuine').getByRole('checkbox').check()
  await button(phone, 'إزالة المحدد (1)').click()
  await phone
    .getByRole('dialog')
    .getByText(/يظهر الجهاز المزال من جديد/)
    .waitFor()
  expect(await widthOf(phone)).toBe(390)
  await expectAccessible(phone)
  await phone.getByRole('dialog').getByRole('button', { name: 'إزالة جهاز واحد' }).click()
  await phone.getByText('أُزيل جهاز واحد.').waitFor()
  await rowWith(phone, 'genuine').waitFor({ state: 'detached' })
  await rowWith(phone, 'invented-3').waitFor()
}, 300_000)

test('refusals say the reason and the remedy: an unknown device becomes a sensor, a broken line is named', async () => {
  const { id, key } = await made({ name: 'Strict' })
  const page = await open(people.admin, `/settings/fleet-keys/${id}?tab=refused`)
  await page.getByText('Nothing was refused').waitFor()
  expect(await send(key, 'm,host=stranger level=1', 'm,host=', 'm,host=stranger level=x')).toBe(400)
  await rowWith(page, 'stranger').waitFor()
  await page.getByText('The key has no such sensor').waitFor()
  await page.getByText(/^Create a sensor with this external id, or let new devices wait/).waitFor()
  await rowWith(page, 'a value is not a number, boolean or quoted text', '3').waitFor()
  // lines only: a call in JSON is refused as a whole
  await page.getByText(/^Correct this line in the sender/).waitFor()
  await expectAccessible(page)
  await rowWith(page, 'stranger').getByRole('button', { name: 'Create sensor' }).click()
  await page.waitForURL(/sensors\/new/)
  expect(await page.getByLabel('External id').inputValue()).toBe('stranger')
  await page.getByRole('textbox', { name: 'Name of channel 1' }).fill('level')
  await button(page, 'Create sensor').click()
  await button(page, 'I have saved it').click()
  expect(await send(key, 'm,host=stranger level=1')).toBe(204)
  const arabic = await open(people.admin, `/settings/fleet-keys/${id}?tab=refused`, { language: 'ar', theme: 'dark' })
  await arabic.getByText('قيمة ليست عددًا').waitFor()
  await arabic.getByText('ليس لهذا المفتاح مستشعر كهذا').waitFor()
}, 300_000)

test('a key is rotated and its earlier one works on, is edited while devices send, and is revoked by its name', async () => {
  const { id, key, keys } = await made({ name: 'Gateway', expiresAt: new Date(Date.now() + 5 * DAY_MS).toISOString() })
  expect(keys).toHaveLength(1)
  const page = await open(people.admin, '/settings/fleet-keys')
  await button(page, 'Show keys').click()
  await page.getByRole('dialog').getByRole('link', { name: 'Gateway' }).click()
  await page.waitForURL(new RegExp(`fleet-keys/${id}\\?tab=settings`))
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
  await expectAccessible(page)
  await button(page, 'Rotate key').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/stops working after 24 hours/).waitFor()
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  const next = (await page.getByTestId('key').textContent())?.trim() ?? ''
  await page
    .getByText(`…${key.slice(-4)}`)
    .first()
    .waitFor()
  await page
    .getByText(/stays valid for 24 hours/)
    .first()
    .waitFor()
  expect(next).not.toBe(key)
  // both open: the refusal is of the sensor
  expect([await send(key, 'm,host=nobody a=1'), await send(next, 'm,host=nobody a=1')]).toEqual([400, 400])
  await button(page, 'I have saved it').click()
  // the rotated key needs no reminder
  await page.goto('/portal/settings/fleet-keys')
  await rowWith(page, 'Gateway').waitFor()
  expect(await page.getByText('1 key should be replaced or revoked.').count()).toBe(0)

  await page.getByRole('link', { name: 'Gateway' }).click()
  await pressTab(page, 'Settings')
  await page.getByLabel('Name', { exact: true }).fill('North gateway')
  await page.getByLabel('Create sensors').check()
  await button(page, 'Add channel').click()
  await page.getByRole('textbox', { name: 'Name of channel 1' }).fill('a')
  await page.getByLabel('Channels that a sensor lacks').selectOption('ignore')
  // the use of the key is no edit of another person
  await send(next, 'm,host=nobody a=1')
  await button(page, 'Save').click()
  await page.getByRole('heading', { name: 'North gateway' }).waitFor()
  expect(await instance.manage<FleetKey>('GET', `/fleet-keys/${id}`)).toMatchObject({
    name: 'North gateway',
    autoCreate: 'on',
    template: { channels: [{ name: 'a', measurement: 'number' }] },
    unknownChannels: 'ignore',
    sensorTag: null,
  })
  // another person's edit is one
  await instance.manage('PATCH', `/fleet-keys/${id}`, { name: 'South gateway' })
  await page.getByLabel('Name', { exact: true }).fill('East gateway')
  await button(page, 'Save').click()
  await dialog.getByText('South gateway').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save mine' }).click()
  await page.getByRole('heading', { name: 'East gateway' }).waitFor()

  await button(page, 'Revoke fleet key').click()
  await dialog.getByRole('textbox').fill('East gateway')
  await dialog.getByRole('button', { name: 'Revoke fleet key' }).click()
  await page.waitForURL(/settings\/fleet-keys(\?|$)/)
  expect(await send(next, 'm,host=nobody a=2')).toBe(401)
  await page.getByText('1 revoked fleet key').click()
  await page.getByRole('link', { name: 'East gateway' }).click()
  await page.getByText('Nobody can send with it.').waitFor()
  await page.getByText('A sender still uses a key that has ended.').waitFor()
  await rowWith(page, `…${next.slice(-4)}`, 'was revoked').waitFor()
  expect(await page.getByRole('tab').allTextContents()).toEqual(['Refused'])
  await expectAccessible(page)
}, 300_000)

test('a member sees keys and what waits, and no action that would be refused', async () => {
  const { id, key } = await made({ name: 'Roof', autoCreate: 'pending' })
  await send(key, 'm,host=roof-1 a=1')
  const page = await open(people.member, `/settings/fleet-keys/${id}`)
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await rowWith(page, 'roof-1').waitFor()
  expect(await page.getByRole('tab').allTextContents()).toEqual(['Waiting devices1', 'Refused'])
  expect(await page.locator('main :is(button:not([role=tab]), input)').count()).toBe(0)
  await page.goto('/portal/settings/fleet-keys')
  await rowWith(page, 'Roof').waitFor()
  expect(await page.locator('main').getByText('Create fleet key').count()).toBe(0)
  expect(refused).toEqual([])
  await page.goto('/portal/settings/fleet-keys/new')
  await page.getByRole('heading', { name: 'You may not do this' }).waitFor()
  await page.goto('/portal/settings/fleet-keys/fky_none')
  await page.getByRole('link', { name: 'All fleet keys' }).waitFor()
}, 300_000)

test('an external id is given in the forms with its rules, found by search, and shown in a column', async () => {
  await instance.manage('POST', `/enterprises/${organization.id}/sensors`, {
    name: 'Owner of the id',
    externalId: '70B3D57ED005',
    channels: [{ name: 'a', measurement: 'number' }],
  })
  const page = await open(people.admin, '/sensors/new')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Second')
  await page.getByRole('textbox', { name: 'Name of channel 1' }).fill('a')
  await page.getByLabel('External id').fill('sen_123')
  await button(page, 'Create sensor').click()
  await page.getByText(/must not look like an id of a sensor/).waitFor()
  await page.getByLabel('External id').fill('70B3D57ED005')
  await button(page, 'Create sensor').click()
  await page.locator('.field-wrong', { hasText: 'External id' }).waitFor()
  await expectAccessible(page)
  await page.getByLabel('External id').fill('70B3D57ED006')
  await button(page, 'Create sensor').click()
  await button(page, 'I have saved it').click()
  await page.goto('/portal/sensors?columns=state,name,externalId&q=b3d57ed006')
  await page.locator('.table-body > .table-row').getByText('70B3D57ED006').waitFor()
  expect(await page.locator('.table-body > .table-row').count()).toBe(1)
  await page.getByRole('link', { name: 'Second' }).click()
  await page.locator('.sensor-facts').getByText('70B3D57ED006').waitFor()
  await pressTab(page, 'Settings')
  await page.getByLabel('External id').fill('70B3D57ED005')
  await page.locator('form', { hasText: 'External id' }).getByRole('button', { name: 'Save' }).click()
  await page.locator('.field-wrong', { hasText: 'External id' }).waitFor()
  await page.getByLabel('External id').fill(idOf(page))
  await page.getByText(/must not look like an id of a sensor/).waitFor()
  await expectAccessible(page)
}, 300_000)

test('in Arabic on a phone every part fits and has no findings, with the longest names', async () => {
  const long = 'x'.repeat(200)
  const { id, key } = await made({ name: long, tags: ['منطقة التخزين الباردة', 'y'.repeat(50)], autoCreate: 'pending' })
  await send(key, `m,host=${'z'.repeat(200)} temperature=21.5,humidity=3i,door=true`, 'm,host=')
  for (const where of [
    '/settings/fleet-keys',
    '/settings/fleet-keys/new',
    ...['', '?tab=refused', '?tab=settings'].map((tab) => `/settings/fleet-keys/${id}${tab}`),
  ]) {
    const page = await open(people.owner, where, { language: 'ar', theme: 'dark', width: 390, height: 844 })
    await page.locator('main :is(table, form)').first().waitFor()
    expect([where, await widthOf(page)]).toEqual([where, 390])
    await expectAccessible(page)
    await page.close()
  }
}, 300_000)
