/**
 * The API reference in Arabic: descriptions of tools and failures are translated, the rest is in English and marked as
 * English.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { CODES } from '../../../src/errors.ts'
import type { ProcessDescription } from '../../../src/portal/features/tools/process-form/process.ts'
import {
  bodyOf,
  FAILURES,
  fieldsOf,
  type OpenApi,
  type Operation,
  operationsOf,
  processIdOf,
  resultOf,
  toolFields,
} from '../../../src/portal/features/tools/reference/document.ts'
import { buildPortal } from '../../../src/setup/build-portal.ts'
import { accessibilityFaults } from '../../support/browser/accessibility.ts'
import { startBrowser, visitor } from '../../support/browser/browser.ts'
import { createInstance, type Instance } from '../../support/server/instance.ts'
import { type Account, cookieOf, memberAccount, operatorAccount } from '../../support/sessions.ts'

const ARABIC = /\p{Script=Arabic}/u

let instance: Instance
let browser: Browser
let operations: Operation[]

beforeAll(async () => {
  await buildPortal()
  instance = await createInstance()
  browser = await startBrowser()
  const read = async (path: string) => (await (await fetch(instance.url() + path)).json()) as OpenApi
  operations = operationsOf(await read('/openapi.json'), await read('/enterprise/v1/gis/openapi.json'))
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
})

async function open(account: Account, operation: string, width = 1440): Promise<Page> {
  const context = await visitor(browser, instance.url(), { language: 'ar', width })
  const [name = '', value = ''] = cookieOf(account).split('=')
  await context.addCookies([{ name, value, url: instance.url() }])
  const page = await context.newPage()
  await page.goto(`/portal/reference?${new URLSearchParams({ op: operation })}`)
  await page.locator('.reference-fields tbody tr').first().waitFor()
  return page
}
/** The descriptions of all fields and answers that have one. */
async function meanings(page: Page): Promise<{ text: string; direction: string }[]> {
  const cells = await page.locator('.reference-fields tbody td:last-child').all()
  const shown = await Promise.all(
    cells.map(async (cell) => ({
      text: (await cell.textContent()) ?? '',
      direction: `${await cell.getAttribute('lang')} ${await cell.getAttribute('dir')}`,
    })),
  )
  return shown.filter(({ text }) => text !== '')
}

test('people who may not run a tool read about its fields in English, marked as English', async () => {
  // the server has no enterprise yet, so the operator acts for none
  const page = await open(await operatorAccount(instance), 'POST /enterprise/v1/gis/buffer')
  const shown = await meanings(page)
  const english = shown.filter(({ text }) => !ARABIC.test(text))
  expect(english.map(({ text }) => text)).toContain('Merge all areas into one')
  expect(new Set(english.map(({ direction }) => direction))).toEqual(new Set(['en ltr']))
  await page.context().close()
}, 300_000)

test('an answer that is a failure has the Arabic words of the failure', () => {
  const shown = new Set(
    operations.flatMap(({ responses = {} }) => Object.values(responses).map(({ description = '' }) => description)),
  )
  expect(shown.size).toBeGreaterThan(50)
  const failures = Object.values(CODES).filter(({ en }) => shown.has(en))
  expect(failures.length).toBeGreaterThan(20)
  expect(failures.filter(({ en, ar }) => FAILURES.get(en) !== ar)).toEqual([])
})

test('every field of a tool has an Arabic description, from the tool', async () => {
  const { publicKey, secretKey } = await instance.organization()
  const tools = operations.filter((operation) => processIdOf(operation) !== undefined)
  expect(tools.length).toBeGreaterThan(40)
  const missing: string[] = []
  for (const tool of tools) {
    const answer = await fetch(`${instance.url()}/enterprise/v1/gis/processes/${processIdOf(tool)}?lang=ar`, {
      headers: { 'x-api-key': publicKey, 'x-api-secret': secretKey },
    })
    const texts = toolFields(tool, (await answer.json()) as ProcessDescription)
    // the server describes the lists of warnings for all tools, in English
    for (const schema of [bodyOf(tool)?.schema ?? {}, resultOf(tool)])
      for (const { path, description } of fieldsOf(schema, tool.document))
        if (!/^warnings(Ar)?$/.test(path) && description !== '' && !ARABIC.test(texts.get(description) ?? ''))
          missing.push(`${tool.id}: ${path}`)
  }
  expect(missing).toEqual([])
}, 300_000)

test('the page shows Arabic descriptions from right to left, and names and English ones from left to right', async () => {
  const { id } = await instance.organization()
  const owner = await memberAccount(instance, id, 'owner')
  for (const operation of ['POST /sensors/{id}/readings', 'POST /enterprise/v1/gis/buffer', 'GET /manage/v1/audit'])
    for (const width of [1440, 390]) {
      const page = await open(owner, operation, width)
      const shown = await meanings(page)
      expect(shown.length).toBeGreaterThan(5)
      const arabic = shown.filter(({ text }) => ARABIC.test(text))
      if (operation.endsWith('buffer')) expect(arabic.length).toBeGreaterThan(20)
      expect(shown.filter((one) => one.direction !== (arabic.includes(one) ? 'null null' : 'en ltr'))).toEqual([])
      const direction = "getComputedStyle(document.querySelector('.reference-fields table')).direction"
      expect(await page.evaluate<string>(direction)).toBe('rtl')
      expect(await page.locator('.reference-fields code:not([dir="ltr"])').count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await accessibilityFaults(page)).toEqual([])
      await page.context().close()
    }
}, 300_000)
