/** Downloads in Chromium: the browser loads the file itself, and the page shows a refusal. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { dataPages, drop } from '../../support/browser/portal-data.ts'
import { sampleOf } from '../../support/rounds.ts'
import { ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { eventually, until } from '../../support/until.ts'

const { instance, canal, openOwn } = dataPages()

const WORDS = {
  en: { download: 'Download', export: 'Export', gone: 'There is no such', csv: 'CSV, with these filters' },
  ar: { download: 'تنزيل', export: 'تصدير', gone: 'غير موجود', csv: 'CSV بهذه المرشحات' },
}

/** The download that `act` causes: its path, file name and content. */
async function downloaded(page: Page, act: () => Promise<void>): Promise<[path: string, name: string, text: string]> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  const { protocol, pathname } = new URL(download.url())
  // content that the page holds has the protocol "blob:"
  expect(protocol).toBe('http:')
  return [pathname, download.suggestedFilename(), readFileSync(await download.path(), 'utf8')]
}

/** The downloads of all tests in this file. */
let downloads = 0

for (const language of sampleOf(['en', 'ar'] as const, 1))
  test(`${language}: the browser downloads files, layers and the audit trail, and refusals have texts`, async () => {
    const words = WORDS[language]
    const { id: file } = await ownedThings(instance).file(canal.id)
    const layers = `/owners/${canal.id}/layers`
    const { id: layer } = await instance.manage<{ id: string }>('POST', layers, { name: 'ساحة 1', geojson: SQUARE })
    const page = await openOwn(`/data/files/${file}`, { language })
    const failed: string[] = []
    page.on('download', (download) => {
      void download.failure().then((failure) => failure !== null && failed.push(failure))
    })
    const ofFile = page.locator('tbody').getByRole('button', { name: words.download })
    expect(await downloaded(page, () => ofFile.click())).toEqual([
      `/manage/v1/owners/${canal.id}/files/${file}/versions/1/content`,
      'points.geojson',
      JSON.stringify(SQUARE),
    ])
    await instance.manage('DELETE', `/owners/${canal.id}/files/${file}`)
    await ofFile.click()
    await page.locator('.toast', { hasText: words.gone }).waitFor()

    await page.goto(`/portal/data/layers/${layer}`)
    const save = async (): Promise<void> => {
      await page.getByRole('button', { name: words.download }).click()
      await page.getByRole('menuitem', { name: 'GeoJSON' }).click()
    }
    const [path, name, text] = await downloaded(page, save)
    expect([path, name]).toEqual([`/manage/v1${layers}/${layer}/export`, 'ساحة 1.geojson'])
    expect((JSON.parse(text) as { features: unknown[] }).features.length).toBe(1)
    await instance.manage('DELETE', `${layers}/${layer}`)
    await save()
    await page.locator('.toast', { hasText: words.gone }).waitFor()

    await page.goto('/portal/settings/audit?action=download')
    const exported = await downloaded(page, async () => {
      await page.getByRole('button', { name: words.export }).click()
      await page.getByRole('menuitem', { name: words.csv }).click()
    })
    expect(exported.slice(0, 2)).toEqual(['/manage/v1/audit/export', 'audit.csv'])
    // one record of each download, and none of the checks before them
    const ids = exported[2].split('\r\n').flatMap((line) => /,((?:fil|ver|fve|lay)_\w+),/.exec(line)?.[1] ?? [])
    downloads += 2
    expect(ids.length).toBe(downloads)
    expect(failed).toEqual([])
  }, 300_000)

test('a result shown on a page is recorded as a view, and saving it as a download, even from the browser’s cache', async () => {
  const page = await openOwn('/tools/vector.centroids')
  const keyOf = (url: string): string | undefined => /\/files\/(fil_\w+)/.exec(url)?.[1]
  let key = ''
  page.on('request', (request) => {
    key = keyOf(request.url()) ?? key
  })
  await drop(page, page.locator('.drop-zone').first(), 'square.geojson', JSON.stringify(SQUARE))
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const save = page.locator('.result-file').getByRole('button', { name: 'Download' })
  await save.waitFor()
  await until(() => key !== '', 'the page reads the result')
  const actions = async (): Promise<string[]> => {
    const { items } = await instance.manage<{ items: { action: string }[] }>('GET', `/audit?subject=${key}`)
    return [...new Set(items.map(({ action }) => action))].sort()
  }
  await eventually(async () => expect(await actions()).toEqual(['view']))
  const [path] = await downloaded(page, () => save.click())
  expect(path).toContain(key)
  expect(await actions()).toEqual(['download', 'view'])
}, 300_000)
