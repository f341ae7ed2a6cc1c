/** Files in Chromium: uploaded by drop, new versions, scan states, downloads, and why a version stays. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { accessibilityFaults } from './support/accessibility.ts'
import { startBrowser } from './support/browser.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { drop, open, signedIn } from './support/portal-data.ts'
import { type Account, memberAccount } from './support/sessions.ts'
import { until } from './support/until.ts'

let instance: Instance
let browser: Browser
let enterprise: string
let owner: Account

beforeAll(async () => {
  await buildPortal()
  instance = await createInstance({ SIGN_INS_PER_ADDRESS: '100000' })
  enterprise = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Canal', tier: 'scale' })).id
  owner = await memberAccount(instance, enterprise, 'owner')
  browser = await startBrowser()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
})

const squareAt = (x: number): string =>
  JSON.stringify({
    type: 'Polygon',
    coordinates: [
      [
        [x, 0],
        [x + 1, 0],
        [x + 1, 1],
        [x, 0],
      ],
    ],
  })

test('a file is uploaded, gets versions, is downloaded, and a bound version stays', async () => {
  const context = await signedIn(browser, instance, owner, enterprise)
  const { page, errors } = await open(context, '/portal/data/files')
  await page.waitForSelector('.empty h2:has-text("No files yet")')
  expect(await accessibilityFaults(page)).toEqual([])
  await drop(page, page.locator('.drop-zone'), 'yard <b>x.geojson', squareAt(1))
  const link = page.getByRole('link', { name: 'yard <b>x.geojson' })
  await link.waitFor()
  // a file whose content is something else
  await drop(page, page.locator('.drop-zone'), 'plan.pdf', 'no PDF at all')
  await page.waitForSelector(
    '.table-row:has-text("plan.pdf"):has-text("Not scanned"), .table-row:has-text("plan.pdf"):has-text("Infected")',
  )
  expect(await accessibilityFaults(page)).toEqual([])
  await page.fill('input[type="search"]', 'YARD')
  await until(async () => (await page.locator('.table-body .table-row').count()) === 1, 'the search')
  await page.waitForURL(/[?&]q=YARD/)
  await link.click()
  await page.waitForSelector('h1:has-text("yard <b>x")')
  const id = new URL(page.url()).pathname.split('/').at(-1) as string
  await drop(page, page.locator('.drop-zone'), 'yard.geojson', squareAt(5))
  await page.waitForSelector('tbody tr:nth-child(2)')
  await instance.manage('POST', `/owners/${enterprise}/tool-apis`, {
    ...{ tool: 'vector.clip', name: 'Clip <i>x</i>', binding: { kind: 'file-version', id, version: 1 } },
  })
  await page.reload()
  await page.waitForSelector('.file-section:has-text("always version 1")')
  expect(await accessibilityFaults(page)).toEqual([])
  const first = page.locator('.file-section').first().locator('tbody tr:nth-child(2)')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    first.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(readFileSync(await download.path(), 'utf8')).toBe(squareAt(1))
  await first.getByRole('button', { name: 'Delete' }).click()
  await first.getByRole('button', { name: 'Delete version 1 for good' }).click()
  await first.locator('.field-error').waitFor()
  expect(await first.locator('.field-error').textContent()).toContain('Clip <i>x</i>')
  const newest = page.locator('.file-section').first().locator('tbody tr:nth-child(1)')
  await newest.getByRole('button', { name: 'Delete' }).click()
  await newest.getByRole('button', { name: 'Delete version 2 for good' }).click()
  await until(
    async () => (await page.locator('.file-section').first().locator('tbody tr').count()) === 1,
    'one version',
  )
  await page.getByRole('button', { name: 'Rename file' }).click()
  await page.getByLabel('Name', { exact: true }).fill('ساحة')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForSelector('h1:has-text("ساحة")')
  expect(errors).toEqual([])
  await context.close()

  const arabic = await signedIn(browser, instance, owner, enterprise, { language: 'ar', width: 390, height: 800 })
  const list = await open(arabic, '/portal/data/files')
  await list.page.waitForSelector('.table-row:has-text("سليم")')
  expect(await accessibilityFaults(list.page)).toEqual([])
  await list.page.goto(`/portal/data/files/${id}`)
  await list.page.waitForSelector('h1:has-text("ساحة")')
  await list.page.waitForSelector('.file-section:has-text("الإصدار 1 دائمًا")')
  expect(await accessibilityFaults(list.page)).toEqual([])
  expect(list.errors).toEqual([])
  await arabic.close()

  const other = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Other', tier: 'scale' })
  const stranger = await memberAccount(instance, other.id, 'owner')
  const foreign = await open(await signedIn(browser, instance, stranger, other.id), `/portal/data/files/${id}`)
  await foreign.page.waitForSelector('h1:has-text("This file does not exist")')
  expect(await foreign.page.locator('body').textContent()).not.toContain('ساحة')
}, 300_000)
