/** Exports of everything in Chromium: an enterprise's in English, a person's in Arabic on a phone. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { saved } from '../../support/browser/browser.ts'
import { expectAccessible, portalPages, widthOf } from '../../support/browser/portal-pages.ts'
import { python } from '../../support/python.ts'
import { ownedThings } from '../../support/server/owned-things.ts'
import { type Account, callAs, memberAccount, personAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

const { instance, open } = portalPages()

/** Names in the archive, by Python's zipfile. */
async function downloaded(page: Page, button: string): Promise<string[]> {
  const { name, path, bytes } = await saved(page.getByRole('button', { name: button, exact: true }))
  expect(name).toMatch(/^groundwave-(ent|per)_[0-9a-f]+-\d{4}-\d\d-\d\d\.zip$/)
  expect(bytes.subarray(0, 2).toString()).toBe('PK')
  const program = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
  return (await python(program, path)).trim().split('\n')
}

test('an owner exports an enterprise, downloads it and deletes it; the limit is explained', async () => {
  const own = await instance.organization()
  await ownedThings(instance).layer(own.id)
  const owner = await memberAccount(instance, own.id, 'owner')
  const page = await open(owner, '/settings/enterprise')
  const newest = async () =>
    (await instance.manage<{ items: { id: string; status: string }[] }>('GET', `/owners/${own.id}/exports`)).items[0]
  for (let i = 0; i < 3; i++) {
    const before = (await newest())?.id
    await page.getByRole('button', { name: 'Make an export' }).click()
    // the button stays until the page has polled again, and another export would be refused meanwhile
    await until(async () => {
      const made = await newest()
      return made !== undefined && made.id !== before && made.status === 'done'
    }, 'the export')
    if (i !== 0) continue
    await page.locator('.data-exports li[data-status="done"]').waitFor()
    await expectAccessible(page)
    expect(await downloaded(page, 'Download')).toContain('records/layers.ndjson')
  }
  await page.getByRole('button', { name: 'Make an export' }).click()
  await page.getByText('At most 3 exports can be made in 24 hours.').waitFor()
  await expectAccessible(page)
  const count = await page.locator('.data-exports li').count()
  await page.getByRole('button', { name: 'Delete the export' }).first().click()
  await page.locator('.toast:has-text("Export deleted")').waitFor()
  await page
    .locator('.data-exports li')
    .nth(count - 1)
    .waitFor({ state: 'detached' })
}, 300_000)

test('a person exports their data on a phone, in Arabic', async () => {
  const person = await personAccount(instance)
  const page = await open(person, '/account', { language: 'ar', width: 390 })
  await page.getByRole('button', { name: 'إنشاء تصدير' }).click()
  await page.locator('.data-exports li[data-status="done"]').waitFor()
  await expectAccessible(page)
  expect(await widthOf(page)).toBeLessThanOrEqual(390)
  const names = await downloaded(page, 'تنزيل')
  expect(names).toContain('records/people.ndjson')
  expect(names.some((name) => name.startsWith('readings/'))).toBe(false)
}, 300_000)

test('an administrator is not offered exports', async () => {
  const own = await instance.organization()
  const page = await open(await memberAccount(instance, own.id, 'admin'), '/settings/enterprise')
  await page.locator('.settings-part, main h2').first().waitFor()
  expect(await page.getByRole('heading', { name: 'Export everything' }).count()).toBe(0)
}, 300_000)

test('owners and people export only their own data', async () => {
  const own = await instance.organization()
  const [owner, admin, person] = [
    await memberAccount(instance, own.id, 'owner'),
    await memberAccount(instance, own.id, 'admin'),
    await personAccount(instance),
  ]
  const ask = async (account: Account, id: string) =>
    (await callAs(instance.url(), account, 'POST', `/manage/v1/owners/${id}/exports`)).code
  expect([await ask(admin, own.id), await ask(person, own.id)]).toEqual(['FORBIDDEN', 'NOT_FOUND'])
  expect([await ask(owner, own.id), await ask(person, person.personId)]).toEqual(['SUCCESS', 'SUCCESS'])
  expect(await ask(owner, own.id)).toMatch(/SUCCESS|EXPORTS_LIMITED/)
}, 300_000)
