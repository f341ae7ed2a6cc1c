/** Exports of everything in Chromium: an enterprise's in English, a person's in Arabic on a phone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { accessibilityFaults } from './support/accessibility.ts'
import { startBrowser, type View, visitor } from './support/browser.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { ownedThings } from './support/owned-things.ts'
import { python } from './support/python.ts'
import { type Account, callAs, cookieOf, memberAccount, personAccount } from './support/sessions.ts'

let instance: Instance
let browser: Browser
beforeAll(async () => {
  await buildPortal()
  instance = await createInstance({ SIGN_INS_PER_ADDRESS: '100000' })
  browser = await startBrowser()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
})

async function contextOf(account: Account, view: View = {}): Promise<BrowserContext> {
  const context = await visitor(browser, instance.url(), view)
  context.setDefaultTimeout(60_000)
  const [name = '', value = ''] = cookieOf(account).split('=')
  await context.addCookies([{ name, value, url: instance.url() }])
  return context
}

/** Names in the archive, by Python's zipfile. */
async function downloaded(page: Page, button: string): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^groundwave-(ent|per)_[0-9a-f]+-\d{4}-\d\d-\d\d\.zip$/)
  const path = await download.path()
  expect(readFileSync(path).subarray(0, 2).toString()).toBe('PK')
  const program = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
  return (await python(program, path)).trim().split('\n')
}

test('an owner exports an enterprise, downloads it and deletes it; the limit is explained', async () => {
  const own = await instance.organization()
  await ownedThings(instance).layer(own.id)
  const owner = await memberAccount(instance, own.id, 'owner')
  const context = await contextOf(owner)
  const page = await context.newPage()
  await page.goto('/portal/settings/enterprise')
  for (let i = 0; i < 3; i++) {
    await page.getByRole('button', { name: 'Make an export' }).click()
    await page
      .locator('.data-exports li[data-status="done"]')
      .nth(i === 0 ? 0 : 1)
      .waitFor()
    if (i !== 0) continue
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await downloaded(page, 'Download')).toContain('records/layers.ndjson')
  }
  await page.getByRole('button', { name: 'Make an export' }).click()
  await page.getByText('At most 3 exports can be made in 24 hours.').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  const count = await page.locator('.data-exports li').count()
  await page.getByRole('button', { name: 'Delete the export' }).first().click()
  await page.locator('.toast:has-text("Export deleted")').waitFor()
  await page
    .locator('.data-exports li')
    .nth(count - 1)
    .waitFor({ state: 'detached' })
  await context.close()
}, 120_000)

test('a person exports the own data on a phone, in Arabic', async () => {
  const person = await personAccount(instance)
  const context = await contextOf(person, { language: 'ar', width: 390 })
  const page = await context.newPage()
  await page.goto('/portal/account')
  await page.getByRole('button', { name: 'إنشاء تصدير' }).click()
  await page.locator('.data-exports li[data-status="done"]').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  const names = await downloaded(page, 'تنزيل')
  expect(names).toContain('records/people.ndjson')
  expect(names.some((name) => name.startsWith('readings/'))).toBe(false)
  await context.close()
}, 120_000)

test('an administrator is not offered exports', async () => {
  const own = await instance.organization()
  const context = await contextOf(await memberAccount(instance, own.id, 'admin'))
  const page = await context.newPage()
  await page.goto('/portal/settings/enterprise')
  await page.locator('.settings-part, main h2').first().waitFor()
  expect(await page.getByRole('heading', { name: 'Export everything' }).count()).toBe(0)
  await context.close()
}, 60_000)

test('owners and people export their own, others nothing', async () => {
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
}, 60_000)
