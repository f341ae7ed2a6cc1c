/** The API reference in Arabic: the descriptions of parameters, of fields of bodies, of answers and of their fields. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { CODES } from '../src/errors.ts'
import { ARABIC_ANSWERS } from '../src/portal/pages/reference/arabic-answers.ts'
import { ARABIC_FIELDS } from '../src/portal/pages/reference/arabic-fields.ts'
import {
  bodyOf,
  fieldsOf,
  type OpenApi,
  type Operation,
  operationsOf,
  parametersOf,
  resultOf,
} from '../src/portal/pages/reference/document.ts'
import { toolFields } from '../src/portal/pages/reference/tool-fields.ts'
import type { ProcessDescription } from '../src/portal/parts/process-form/process.ts'
import { buildPortal } from '../src/setup/build-portal.ts'
import { accessibilityFaults } from './support/accessibility.ts'
import { startBrowser, visitor } from './support/browser.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { type Account, cookieOf, memberAccount, operatorAccount } from './support/sessions.ts'

const ARABIC = /\p{Script=Arabic}/u

let instance: Instance
let browser: Browser
let operations: Operation[]

beforeAll(async () => {
  await buildPortal()
  instance = await createInstance()
  browser = await startBrowser()
  const documents = await Promise.all(
    ['/openapi.json', '/enterprise/v1/gis/openapi.json'].map(
      async (path) => (await (await fetch(instance.url() + path)).json()) as OpenApi,
    ),
  )
  operations = operationsOf(documents)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
})

const processIdOf = ({ description = '' }: Operation): string | undefined =>
  /Process id: `([\w.-]+)`/.exec(description)?.[1]

/** What the page shows about an operation, in English. */
const described = (operation: Operation): string[] =>
  [
    ...parametersOf(operation),
    ...fieldsOf(bodyOf(operation)?.schema, operation.document),
    ...fieldsOf(resultOf(operation), operation.document),
  ].flatMap(({ description }) => (description === '' ? [] : [description]))

const answersOf = ({ responses = {} }: Operation): string[] =>
  Object.values(responses).map(({ description = '' }) => description)

/** @returns what has no Arabic text */
const untranslated = (shown: ReadonlySet<string>, texts: Readonly<Record<string, string>>): string[] =>
  [...shown].filter((text) => !ARABIC.test(texts[text] ?? ''))

test('every parameter and field has an Arabic description, and no Arabic text is unused', () => {
  const shown = new Set(operations.filter((one) => processIdOf(one) === undefined).flatMap(described))
  expect(shown.size).toBeGreaterThan(100)
  expect(untranslated(shown, ARABIC_FIELDS)).toEqual([])
  const all = new Set(operations.flatMap(described))
  expect(Object.keys(ARABIC_FIELDS).filter((text) => !all.has(text))).toEqual([])
})

test('every answer has an Arabic description, that of a failure in the words of the failure', () => {
  const shown = new Set(operations.flatMap(answersOf))
  expect(shown.size).toBeGreaterThan(50)
  expect(untranslated(shown, ARABIC_ANSWERS)).toEqual([])
  expect(Object.keys(ARABIC_ANSWERS).filter((text) => !shown.has(text))).toEqual([])
  const failures = Object.values(CODES).filter(({ en }) => shown.has(en))
  expect(failures.length).toBeGreaterThan(20)
  expect(failures.filter(({ en, ar }) => ARABIC_ANSWERS[en]?.replaceAll('`', '') !== ar)).toEqual([])
})

test('an Arabic text names what the English one names', () => {
  const names = (text: string): string[] => (text.match(/`[^`]*`/g) ?? []).map((name) => name.slice(1, -1))
  const numbers = (text: string): string => (text.match(/\d+/g) ?? []).toSorted().join()
  const different = Object.entries({ ...ARABIC_FIELDS, ...ARABIC_ANSWERS }).filter(
    ([english, arabic]) =>
      names(english).some((name) => !names(arabic).includes(name)) ||
      names(arabic).some((name) => !english.includes(name)) ||
      numbers(english) !== numbers(arabic),
  )
  expect(different).toEqual([])
})

test('every field of a tool has an Arabic description, from the tool or from the catalogue', async () => {
  const { publicKey, secretKey } = await instance.organization()
  const tools = operations.filter((operation) => processIdOf(operation) !== undefined)
  expect(tools.length).toBeGreaterThan(40)
  const missing: string[] = []
  for (const tool of tools) {
    const answer = await fetch(`${instance.url()}/enterprise/v1/gis/processes/${processIdOf(tool)}?lang=ar`, {
      headers: { 'x-api-key': publicKey, 'x-api-secret': secretKey },
    })
    const texts = toolFields(tool, (await answer.json()) as ProcessDescription)
    for (const english of described(tool))
      if (!ARABIC.test(texts.get(english) ?? ARABIC_FIELDS[english] ?? '')) missing.push(`${tool.id}: ${english}`)
  }
  expect(missing).toEqual([])
}, 300_000)

async function open(account: Account, operation: string, width = 1440): Promise<Page> {
  const context = await visitor(browser, instance.url(), { language: 'ar', width })
  const [name = '', value = ''] = cookieOf(account).split('=')
  await context.addCookies([{ name, value, url: instance.url() }])
  const page = await context.newPage()
  await page.goto(`/portal/reference?${new URLSearchParams({ op: operation })}`)
  await page.locator('.reference-fields tbody tr').first().waitFor()
  return page
}
/** The meanings of fields that have a description, and of answers. */
async function meanings(page: Page): Promise<{ text: string; direction: string }[]> {
  const cells = await page.locator('.reference-fields tbody td:last-child, .reference-answers dd').all()
  const shown = await Promise.all(
    cells.map(async (cell) => ({
      text: (await cell.textContent()) ?? '',
      direction: `${await cell.getAttribute('lang')} ${await cell.getAttribute('dir')}`,
    })),
  )
  return shown.filter(({ text }) => text !== '')
}

test('the page shows the Arabic descriptions, from right to left, with names from left to right', async () => {
  const { id } = await instance.organization()
  const owner = await memberAccount(instance, id, 'owner')
  for (const operation of ['POST /sensors/{id}/readings', 'POST /enterprise/v1/gis/buffer', 'GET /manage/v1/audit'])
    for (const width of [1440, 390]) {
      const page = await open(owner, operation, width)
      const shown = await meanings(page)
      expect(shown.length).toBeGreaterThan(5)
      expect(shown.filter(({ text, direction }) => !ARABIC.test(text) || direction !== 'null null')).toEqual([])
      const direction = "getComputedStyle(document.querySelector('.reference-fields table')).direction"
      expect(await page.evaluate<string>(direction)).toBe('rtl')
      expect(await page.locator('.reference-fields code:not([dir="ltr"])').count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await accessibilityFaults(page)).toEqual([])
      await page.context().close()
    }
}, 300_000)

test('who may not run a tool reads about its fields in English, marked as English', async () => {
  const page = await open(await operatorAccount(instance), 'POST /enterprise/v1/gis/buffer')
  const shown = await meanings(page)
  const english = shown.filter(({ text }) => !ARABIC.test(text))
  expect(english.map(({ text }) => text)).toContain('Merge all areas into one')
  expect(new Set(english.map(({ direction }) => direction))).toEqual(new Set(['en ltr']))
  await page.context().close()
}, 300_000)
