/** Files in Chromium: uploaded by drop, new versions, scan states, downloads, and why a version cannot be deleted. */
import { expect, test } from 'bun:test'
import { saved } from '../../support/browser/browser.ts'
import { dataPages, drop } from '../../support/browser/portal-data.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { memberAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

const { instance, canal, open, openOwn } = dataPages()

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

test('a file is uploaded, gets versions and is downloaded, and a bound version cannot be deleted', async () => {
  const page = await openOwn('/data/files')
  await page.waitForSelector('.empty h2:has-text("No files yet")')
  await expectAccessible(page)
  await drop(page, page.locator('.drop-zone'), 'yard <b>x.geojson', squareAt(1))
  const link = page.getByRole('link', { name: 'yard <b>x.geojson' })
  await link.waitFor()
  // a file whose content does not match its name
  await drop(page, page.locator('.drop-zone'), 'plan.pdf', 'no PDF at all')
  await page.waitForSelector(
    '.table-row:has-text("plan.pdf"):has-text("Not scanned"), .table-row:has-text("plan.pdf"):has-text("Infected")',
  )
  await expectAccessible(page)
  await page.fill('input[type="search"]', 'YARD')
  await until(async () => (await page.locator('.table-body .table-row').count()) === 1, 'the search')
  await page.waitForURL(/[?&]q=YARD/)
  await link.click()
  await page.waitForSelector('h1:has-text("yard <b>x")')
  const id = new URL(page.url()).pathname.split('/').at(-1) as string
  await drop(page, page.locator('.drop-zone'), 'yard.geojson', squareAt(5))
  await page.waitForSelector('tbody tr:nth-child(2)')
  await instance.manage('POST', `/owners/${canal.id}/tool-apis`, {
    tool: 'vector.clip',
    name: 'Clip <i>x</i>',
    binding: { kind: 'file-version', id, version: 1 },
  })
  await page.reload()
  await page.waitForSelector('.file-section:has-text("always version 1")')
  await expectAccessible(page)
  const first = page.locator('.file-section').first().locator('tbody tr:nth-child(2)')
  expect((await saved(first.getByRole('button', { name: 'Download' }))).text).toBe(squareAt(1))
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

  const list = await openOwn('/data/files', { language: 'ar', width: 390, height: 800 })
  await list.waitForSelector('.table-row:has-text("سليم")')
  await expectAccessible(list)
  await list.goto(`/portal/data/files/${id}`)
  await list.waitForSelector('h1:has-text("ساحة")')
  await list.waitForSelector('.file-section:has-text("الإصدار 1 دائمًا")')
  await expectAccessible(list)

  const other = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Other', tier: 'scale' })
  const stranger = await memberAccount(instance, other.id, 'owner')
  const foreign = await open(stranger, `/data/files/${id}`)
  await foreign.waitForSelector('h1:has-text("This file does not exist")')
  expect(await foreign.locator('body').textContent()).not.toContain('ساحة')
}, 300_000)
