/** The map of the portal in Chromium: assets that move while it is open, one selection, tracks, and no WebGL. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { SOFTWARE_WEBGL, startBrowser, type View, visitor } from './support/browser.ts'
import { createInstance, type Instance, type MadeSensor, type Organization, outcomeOf } from './support/instance.ts'
import { cookieOf, operatorAccount } from './support/sessions.ts'

let instance: Instance
let browser: Browser
let organization: Organization
let cookie = ''
const sensors: MadeSensor[] = []
const NAMES = ['Truck 1', 'شاحنة ٢', '<b>Truck</b> \u202e3', 'Depot']

const at = (secondsAgo: number): string => new Date(Date.now() - secondsAgo * 1000).toISOString()
const send = async (sensor: MadeSensor, ...positions: [x: number, y: number, secondsAgo: number][]) =>
  outcomeOf(
    await instance.send(sensor, {
      readings: positions.map(([x, y, ago]) => ({ at: at(ago), location: [x, y], values: { a: 1 } })),
    }),
  )

beforeAll(async () => {
  await buildPortal()
  instance = await createInstance({ SENSOR_CALLS_PER_MINUTE: '100000' })
  organization = await instance.organization('scale')
  const account = await operatorAccount(instance)
  cookie = cookieOf(account)
  for (const name of NAMES)
    sensors.push(await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }], name))
  const [first, second, third] = sensors as [MadeSensor, MadeSensor, MadeSensor]
  await send(first, [31.2, 30, 600], [31.25, 30.02, 300], [31.3, 30.05, 2])
  await send(second, [31.31, 30.06, 2])
  await send(third, [46.7, 24.7, 2])
  browser = await startBrowser(SOFTWARE_WEBGL)
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
})

async function signedIn(view: View = {}, from = browser): Promise<BrowserContext> {
  const context = await visitor(from, instance.url(), view)
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: instance.url() }])
  return context
}
async function open(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => {
    throw error
  })
  await page.goto(`${path}${path.includes('?') ? '&' : '?'}enterprise=${organization.id}`)
  return page
}

test('the map shows the fleet, and an asset moves while it is open', async () => {
  const context = await signedIn()
  const page = await open(context, '/portal/map')
  await page.waitForSelector('.map[data-ready="true"]')
  await page.waitForSelector('.asset-row:has-text("Truck 1")')
  expect(await page.locator('.asset-row').count()).toBe(3)
  if (process.env.SHOT !== undefined) await page.screenshot({ path: `${process.env.SHOT}/first.png` })
  await page.locator('.asset-row:has-text("Truck 1")').click()
  expect(new URL(page.url()).searchParams.get('asset')).toMatch(/^ast_/)
  await page.waitForSelector('.map-asset h2:has-text("Truck 1")')
  await context.close()
}, 120_000)

test('without WebGL the list works, and a note says why there is no map', async () => {
  const plain = await startBrowser()
  const context = await signedIn({}, plain)
  const page = await open(context, '/portal/map')
  await page.waitForSelector('.asset-row:has-text("Truck 1")')
  expect(await page.locator('.map-note').textContent()).toContain('WebGL')
  await plain.close()
}, 120_000)
