/** Enterprise, audit trail and members in Chromium: with each role, in both languages, as people use them. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { boxOf, saved } from '../../support/browser/browser.ts'
import { consolePages, HOSTILE } from '../../support/browser/console-pages.ts'
import { cellsOf, expectAccessible, widthOf } from '../../support/browser/portal-pages.ts'
import { memberAccount } from '../../support/sessions.ts'
import { eventually } from '../../support/until.ts'

const { instance, organization, people, open } = consolePages()

async function linksIn(page: Page): Promise<string[]> {
  const links = await page.locator('nav a[href*="/settings/"]').all()
  const addresses = await Promise.all(links.map((link) => link.getAttribute('href')))
  return [...new Set(addresses.map((address) => (address ?? '').replace('/portal', '')))]
}
test('an enterprise is renamed, described to its members, and deleted by its owner when its name is typed', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', {
    name: 'Quay <b>7</b>',
    tier: 'starter',
  })
  const owner = await memberAccount(instance, id, 'owner')
  const admin = await memberAccount(instance, id, 'admin')
  const member = await memberAccount(instance, id, 'member')
  for (let i = 0; i < 3; i++) await instance.sensor(id, [{ name: 'level', measurement: 'number' }])

  const page = await open(owner, '/settings/enterprise')
  await page.waitForSelector('.allowance:has-text("1,000") .allowance-bar')
  await eventually(async () =>
    expect(await page.textContent('.settings')).toContain(
      'It includes \u20681,000,000\u2069 readings and \u206810,000\u2069 API requests a day',
    ),
  )
  await expectAccessible(page)
  // somebody else saves first
  await page.getByRole('button', { name: 'Rename' }).click()
  await instance.manage('PATCH', `/enterprises/${id}`, { name: 'Quay of others' })
  await page.getByLabel('Name of the enterprise').fill(HOSTILE)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForSelector('dialog tr:has-text("Quay of others")')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save mine' }).click()
  await page.waitForSelector('.toast:has-text("Saved")')
  expect((await instance.manage<{ name: string }>('GET', `/enterprises/${id}`)).name).toBe(HOSTILE)
  await eventually(async () => expect(await page.textContent('h1')).toBe(HOSTILE))

  const read = await open(member, '/settings/enterprise', { language: 'ar' })
  await read.waitForSelector('.allowances')
  expect(await read.locator('main button:has-text("إعادة التسمية"), main .button-danger').count()).toBe(0)
  await eventually(async () => expect(await linksIn(read)).toEqual(['/settings/enterprise', '/settings/fleet-keys']))
  // members see the limits, but not the usage of others
  expect(await read.locator('.allowance-bar').count()).toBe(0)
  await expectAccessible(read)
  const administered = await open(admin, '/settings/enterprise')
  await administered.waitForSelector('.allowance-bar')
  expect(await administered.locator('text=Delete enterprise').count()).toBe(0)
  await eventually(async () =>
    expect((await linksIn(administered)).sort()).toEqual([
      '/settings/applications',
      '/settings/audit',
      '/settings/destinations',
      '/settings/enterprise',
      '/settings/fleet-keys',
      '/settings/members',
      '/settings/usage',
    ]),
  )

  await instance.manage('PATCH', `/enterprises/${id}`, { assetsHeld: true, heldReason: 'Invoice <i>open</i>' })
  await page.reload()
  await page.waitForSelector('.notice:has-text("Readings are on hold"):has-text("Invoice <i>open</i>")')
  await instance.manage('PATCH', `/enterprises/${id}`, { status: 'suspended' })
  await page.reload()
  await page.waitForSelector('.notice:has-text("This enterprise is suspended")')
  expect(await page.locator('main button:has-text("Delete")').count()).toBe(0)
  await expectAccessible(page)
  await instance.manage('PATCH', `/enterprises/${id}`, { status: 'active', assetsHeld: false })
  await page.reload()

  await page.getByRole('button', { name: 'Delete enterprise' }).click()
  await page.waitForSelector('.losses')
  await eventually(async () => expect(await page.locator('.losses').textContent()).toMatch(/Sensors3.*Members3/))
  const confirm = page.getByRole('button', { name: 'Delete everything' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByRole('dialog').getByRole('textbox').fill(HOSTILE)
  await expectAccessible(page)
  await confirm.click()
  await page.waitForURL(/\/portal\/(\?|$)/)
  await expect(instance.manage('GET', `/enterprises/${id}`)).rejects.toThrow('There is no such enterprise')
}, 300_000)

test('the audit trail is filtered in the address, shows differences, and is exported', async () => {
  const sensor = await instance.sensor(organization.id, [{ name: 'level', measurement: 'number' }], 'Audited')
  await instance.manage('PATCH', `/sensors/${sensor.id}`, { name: HOSTILE, tags: ['roof', 'north'] })
  const page = await open(people.admin, '/settings/audit')
  await page.waitForSelector('[role="row"]:has-text("Changed")')
  await page.getByLabel('Kind of record').selectOption({ label: 'sensor' })
  await page.waitForURL('**kind=sensor')
  await page.getByLabel('Action').selectOption({ label: 'Changed' })
  await page.getByText(/^\D*1\D* record$/).waitFor()
  const row = page.locator('[role="row"]', { hasText: 'Changed' })
  expect(await row.textContent()).toContain(HOSTILE)
  await row.locator('[role="gridcell"]').first().click()
  await page.waitForSelector('dialog .diff')
  expect(await cellsOf(page, 'dialog .diff tbody tr')).toEqual([
    ['Name', 'Audited', HOSTILE],
    ['Tags', '–', 'roof, north'],
  ])
  await expectAccessible(page)
  // the address reopens the same record, also without the table
  const address = page.url()
  await page.goto('/portal/settings/members')
  await page.goto(address)
  await page.waitForSelector('dialog .diff')
  await page.getByRole('link', { name: 'Everything about this record' }).click()
  await page.waitForSelector('.chip:has-text("sen_")')
  await page.getByText(/^\D*2\D* records$/).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Export' }).click()
  const { text } = await saved(page.getByRole('menuitem', { name: 'JSON Lines, with these filters' }))
  const exported = text.trimEnd().split('\n')
  expect(exported.map((line) => (JSON.parse(line) as { action: string }).action)).toEqual(['update', 'create'])

  await page.goto('/portal/settings/audit?kind=nonsense&from=tomorrow&action=delete&actor=nobody@example.org')
  await page.waitForSelector('text=Nothing matches these filters')
  await page.goto('/portal/settings/audit?change=aud_ffffffffffffffffffffffffffffffff')
  await page.waitForSelector('dialog .failure')

  const device = { language: 'ar', theme: 'dark', width: 390, height: 844 } as const
  const phone = await open(people.owner, '/settings/audit', device)
  await phone.waitForSelector('[role="row"]:has-text("تغيير")')
  await expectAccessible(phone)
  expect(await widthOf(phone)).toBe(390)

  // a member has no such page, and the API refuses too
  const refused = await open(people.member, '/settings/enterprise')
  await refused.goto('/portal/settings/audit')
  await refused.waitForSelector('text=You may not do this')
}, 300_000)

test('a menu near the lower edge opens upwards, and no part of it is outside of the page', async () => {
  const page = await open(people.owner, '/settings/audit')
  const button = page.locator('main .menu-button').first()
  const { y, height } = await boxOf(button)
  await page.setViewportSize({ width: 1280, height: Math.ceil(y + height + 30) })
  await button.click()
  const list = await boxOf(page.locator('.menu-list'))
  expect(list.y).toBeGreaterThanOrEqual(0)
  expect(list.y + list.height).toBeLessThanOrEqual(y)
})

test('the only owner cannot leave, changes of the own role are confirmed, and a role can be given back', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Crew', tier: 'starter' })
  const owner = await memberAccount(instance, id, 'owner')
  const admin = await memberAccount(instance, id, 'admin')
  const long = `${'a'.repeat(60)}@${'b'.repeat(60)}.example.org`
  await instance.manage('POST', `/enterprises/${id}/members`, { email: long, role: 'member' })
  const page = await open(owner, '/settings/members', { width: 390, height: 844 })
  await page.waitForSelector('text=The only owner. Make somebody else an owner first.')
  expect(await page.getByLabel(`Remove \u2068${owner.email}\u2069`).count()).toBe(0)
  expect(await widthOf(page)).toBe(390)
  await expectAccessible(page)
  await page.getByLabel(`Role of \u2068${admin.email}\u2069`).selectOption('member')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.waitForSelector('.toast:has-text("Administrator")')
  const { items } = await instance.manage<{ items: { email: string; role: string }[] }>(
    'GET',
    `/enterprises/${id}/members`,
  )
  expect(items.find(({ email }) => email === admin.email)?.role).toBe('admin')
  await page.getByLabel(`Make an invitation for \u2068${long}\u2069`).click()
  await page.waitForSelector('.key-box')

  const own = await open(admin, '/settings/members')
  await own.getByLabel(`Role of \u2068${admin.email}\u2069`).selectOption('member')
  await own.waitForSelector('dialog:has-text("Change your own role?")')
  await own.getByRole('button', { name: 'Cancel' }).click()
  await eventually(async () =>
    expect(await own.getByLabel(`Role of \u2068${admin.email}\u2069`).inputValue()).toBe('admin'),
  )
}, 300_000)
