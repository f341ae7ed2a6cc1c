/** The API reference inside the portal: its examples run as pasted once the secret is filled in. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../../../src/setup/build-portal.ts'
import { accessibilityFaults } from '../../support/browser/accessibility.ts'
import { pressTab, startBrowser, type View, visitor } from '../../support/browser/browser.ts'
import { createInstance, type Instance, type MadeSensor, type Organization } from '../../support/server/instance.ts'
import { fileForm, ownedThings } from '../../support/server/owned-things.ts'
import { type Account, cookieOf, memberAccount, personAccount } from '../../support/sessions.ts'
import { eventually } from '../../support/until.ts'
import { FIXTURES } from '../../support/workers/tools.ts'

const dir = mkdtempSync(join(tmpdir(), 'groundwave-reference-'))
const CHANNELS = [
  { name: "it's <b>a</b> \u202e channel", measurement: 'number' as const },
  { name: 'on', measurement: 'boolean' as const },
]
let instance: Instance
let browser: Browser
let organization: Organization
let owner: Account
let sensors: MadeSensor[]

beforeAll(async () => {
  await buildPortal()
  instance = await createInstance({ SIGN_INS_PER_ADDRESS: '100000' })
  organization = await instance.organization()
  sensors = [await instance.sensor(organization.id, CHANNELS), await instance.sensor(organization.id, CHANNELS)]
  owner = await memberAccount(instance, organization.id, 'owner')
  browser = await startBrowser()
  writeFileSync(join(dir, 'input.geojson'), '{"type":"Point","coordinates":[31,30]}')
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
  rmSync(dir, { recursive: true, force: true })
})

async function contextOf(account: Account, view: View = {}): Promise<BrowserContext> {
  const context = await visitor(browser, instance.url(), view)
  const [name = '', value = ''] = cookieOf(account).split('=')
  await context.addCookies([{ name, value, url: instance.url() }])
  return context
}
async function open(context: BrowserContext, operation: string, query: Record<string, string> = {}): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => {
    throw error
  })
  await page.goto(`/portal/reference?${new URLSearchParams({ op: operation, ...query })}`)
  await page.waitForSelector('.reference-operation .code pre')
  return page
}
/** Runs the command on the page as if a person had pasted it. */
async function run(page: Page, language: 'curl' | 'Python' | 'JavaScript'): Promise<string> {
  await pressTab(page, language)
  const code = (await page.textContent('.reference-operation .code pre')) ?? ''
  writeFileSync(join(dir, 'example.mjs'), code)
  const program = {
    curl: ['bash', '-c', code],
    Python: ['python3', '-c', code],
    JavaScript: [process.execPath, 'example.mjs'],
  }[language]
  const running = Bun.spawn(program, { cwd: dir, stdout: 'pipe', stderr: 'inherit' })
  const output = await new Response(running.stdout).text()
  expect(await running.exited).toBe(0)
  return output
}
const LANGUAGES = ['curl', 'Python', 'JavaScript'] as const

test('readings: the chosen sensor and the end of its key are in the example, which runs with the key', async () => {
  const context = await contextOf(owner)
  const page = await open(context, 'POST /sensors/{id}/readings')
  const sensor = sensors[1] as MadeSensor
  await page.getByLabel('Sensor', { exact: true }).selectOption(sensor.id)
  await eventually(async () => {
    expect(page.url()).toContain(`sensor=${sensor.id}`)
    const code = await page.textContent('.reference-operation .code pre')
    expect(code).toContain(`/sensors/${sensor.id}/readings`)
    expect(code).toContain(`ENDING_IN_${sensor.key.slice(-4)}`)
  })
  await page.getByLabel('Key of the sensor').fill(sensor.key)
  for (const language of LANGUAGES) {
    const answer = JSON.parse(await run(page, language)) as { code: string; data: { refused: unknown[] } }
    expect([answer.code, answer.data.refused]).toEqual(['SENSOR_READINGS_RESULT', []])
  }
  expect(await accessibilityFaults(page)).toEqual([])
  // the secret is kept in the memory of this tab only
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(sensor.key)
  expect(page.url()).not.toContain(sensor.key)
  await page.reload()
  await page.waitForSelector('.reference-operation .code pre')
  expect(await page.textContent('.reference-operation .code pre')).not.toContain(sensor.key)
  await context.close()
}, 300_000)

test('queries and tools run with the key pair of the chosen application', async () => {
  const context = await contextOf(owner)
  for (const operation of [
    'GET /enterprise/v1/assets/sensors',
    'GET /enterprise/v1/assets/sensors/{id}/series',
    'POST /enterprise/v1/gis/centroids',
    'GET /enterprise/v1/gis/processes/{id}',
    'GET /enterprise/v1/gis/runs',
  ]) {
    const page = await open(context, operation, { sensor: sensors[0]?.id ?? '' })
    await eventually(async () => {
      const code = await page.textContent('.reference-operation .code pre')
      expect(code).toContain(organization.publicKey)
      expect(code).toContain(`ENDING_IN_${organization.secretKey.slice(-4)}`)
    })
    await page.getByLabel('Secret key of the application').fill(organization.secretKey)
    expect(await run(page, 'curl')).toMatch(/"ok":true|"id":"vector\.buffer"/)
    await page.close()
  }
  const page = await open(context, 'GET /enterprise/v1/assets/series', { sensor: sensors[0]?.id ?? '' })
  await page.getByLabel('Secret key of the application').fill(organization.secretKey)
  for (const language of LANGUAGES) expect(await run(page, language)).toContain('"ok":true')
  const tool = await open(context, 'POST /enterprise/v1/gis/centroids')
  await tool.getByLabel('Secret key of the application').fill(organization.secretKey)
  expect(await run(tool, 'JavaScript')).toContain('"ok":true')
  await context.close()
}, 300_000)

test('examples contain the newest own runs, results, layers and files, and minimal bodies are accepted', async () => {
  const things = ownedThings(instance)
  const [layer, file] = [await things.layer(organization.id), await things.file(organization.id)]
  const form = fileForm()
  form.set('target_format', 'geojson')
  const keys = { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey }
  const made = await fetch(`${instance.url()}/enterprise/v1/gis/centroids`, {
    method: 'POST',
    body: form,
    headers: keys,
  })
  const { data } = (await made.json()) as { data: { key: string; usage: { runId: string } } }
  copyFileSync(join(FIXTURES, 'report.pdf'), join(dir, 'input.pdf'))
  copyFileSync(join(FIXTURES, 'page.png'), join(dir, 'input.png'))
  const context = await contextOf(owner)
  const shownIn = async (operation: string, text: string): Promise<Page> => {
    const page = await open(context, operation)
    await eventually(async () => expect(await page.textContent('.reference-operation .code pre')).toContain(text))
    return page
  }
  await shownIn('GET /manage/v1/owners/{ownerId}/layers/{id}/features', layer.id)
  await shownIn('GET /manage/v1/owners/{ownerId}/files/{id}/versions', file.id)
  for (const [operation, text] of [
    ['GET /enterprise/v1/gis/runs/{runId}', data.usage.runId],
    ['GET /enterprise/v1/gis/files/{key}', data.key],
    ['POST /enterprise/v1/gis/point-in-polygon', '[31.3,30]'],
    ['POST /enterprise/v1/gis/merge', 'input.geojson'],
    ['POST /enterprise/v1/gis/rotate-pages', 'input.pdf'],
    ['POST /enterprise/v1/gis/split-pdf', 'input.pdf'],
    ['POST /enterprise/v1/gis/convert-format', 'input.png'],
    ['POST /enterprise/v1/gis/pdf-watermark', 'text'],
    ['POST /enterprise/v1/gis/map-export', 'extent'],
    ['GET /enterprise/v1/assets/crs/{code}', '/crs/3857'],
  ] as const) {
    const page = await shownIn(operation, text)
    await page.getByLabel('Secret key of the application').fill(organization.secretKey)
    expect(await run(page, 'curl')).toMatch(/"ok":true|"FeatureCollection"/)
    await page.close()
  }
  await shownIn('POST /enterprise/v1/gis/uploads', 'Tus-Resumable: 1.0.0')
  await context.close()
}, 300_000)

test('a person searches in Arabic, on a phone, and calls an own Tool API', async () => {
  const person = await personAccount(instance, 'pro')
  const api = await instance.manage<{ id: string; key: string }>('POST', `/owners/${person.personId}/tool-apis`, {
    tool: 'vector.centroids',
    name: 'مراكز الحقول',
  })
  const context = await contextOf(person, { language: 'ar', width: 390 })
  const page = await context.newPage()
  await page.goto('/portal/reference')
  await page.getByRole('searchbox').fill('tool api run')
  await page.locator('.reference-list a', { hasText: 'Run a saved tool' }).first().click()
  await page.waitForSelector('.reference-operation .code pre')
  await eventually(async () => {
    expect(decodeURIComponent(page.url())).toContain('/tool-apis/{id}/run')
    const code = await page.textContent('.reference-operation .code pre')
    expect(code).toContain(`/tool-apis/${api.id}/run`)
    expect(code).toContain(`ENDING_IN_${api.key.slice(-4)}`)
  })
  await page.getByLabel('مفتاح واجهة الأداة').fill(api.key)
  expect(await run(page, 'curl')).toMatch(/"ok":(true|false)/)
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.goto('/portal/reference')
  const titles = page.locator('.reference-list a')
  await titles.first().waitFor({ state: 'attached' })
  const arabic = titles.filter({ hasText: /\p{Script=Arabic}/u })
  expect(await arabic.count()).toBeGreaterThan(40)
  expect(await arabic.and(page.locator('[lang]')).count()).toBe(0)
  const english = titles.filter({ hasNotText: /\p{Script=Arabic}/u })
  expect(await english.and(page.locator(':not([lang="en"][dir="ltr"])')).count()).toBe(0)
  expect((await page.locator('.reference-list summary').allTextContents()).join(' ')).not.toMatch(/[a-z]{3}/)
  // each group has a name before its count
  for (const text of await page.locator('.reference-list summary').allTextContents()) expect(text).toMatch(/^\p{L}/u)
  await page.goto(`/portal/reference?${new URLSearchParams({ q: 'تحويل الاحداثيات' })}`)
  await page.locator('.reference-list a[title="POST /enterprise/v1/gis/convert-coordinates"]').waitFor()
  // operator-only operations are not listed
  await page.goto('/portal/reference?q=operator/health')
  await page.waitForSelector('.reference-list p:has-text("لا نتائج")')
  await context.close()
}, 300_000)
