/** Values of features that are typed into the table of a layer, in Chromium. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { SOFTWARE_WEBGL, startBrowser } from './support/browser.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { open, signedIn } from './support/portal-data.ts'
import { type Account, memberAccount } from './support/sessions.ts'

const RING = [
  [10, 0],
  [11, 0],
  [11, 1],
  [10, 0],
]
const SQUARE = { type: 'Polygon', coordinates: [RING] }
let instance: Instance
let browser: Browser
let enterprise: string
let owner: Account

beforeAll(async () => {
  await buildPortal()
  instance = await createInstance()
  enterprise = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Canal', tier: 'scale' })).id
  owner = await memberAccount(instance, enterprise, 'owner')
  browser = await startBrowser(SOFTWARE_WEBGL)
}, 240_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
})

test('a value that is typed before the page has settled is kept, and checked', async () => {
  const features = [{ type: 'Feature', id: 'one', properties: { depth: 1.5 }, geometry: SQUARE }]
  const body = { name: 'Quick', geojson: { type: 'FeatureCollection', features } }
  const { id } = await instance.manage<{ id: string }>('POST', `/owners/${enterprise}/layers`, body)
  const context = await signedIn(browser, instance, owner, enterprise)
  // typed as soon as there is a field, before the page has drawn it
  await context.addInitScript(`new MutationObserver(() => {
    const input = document.querySelector('input.value-input[aria-label="depth"]')
    if (input === null || globalThis.hasTyped) return
    globalThis.hasTyped = true
    input.value = 'deep'
    input.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }).observe(document, { childList: true, subtree: true })`)
  const { page } = await open(context, `/portal/data/layers/${id}?feature=one`)
  await page.waitForSelector('.map[data-ready="true"]')
  await page.locator('input[aria-label="depth"][aria-invalid="true"]').waitFor()
  expect(await page.locator('input[aria-label="depth"]').inputValue()).toBe('deep')
  await context.close()
}, 300_000)
