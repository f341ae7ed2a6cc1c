/** Layers from files in Chromium: what is sent, and what stays on the server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { SOFTWARE_WEBGL, startBrowser } from './support/browser.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { drop, open, signedIn } from './support/portal-data.ts'
import { type Account, memberAccount } from './support/sessions.ts'

let instance: Instance
let browser: Browser
let enterprise: string
let owner: Account

beforeAll(async () => {
  await buildPortal()
  instance = await createInstance({ SIGN_INS_PER_ADDRESS: '100000' })
  enterprise = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Canal', tier: 'scale' })).id
  owner = await memberAccount(instance, enterprise, 'owner')
  browser = await startBrowser(SOFTWARE_WEBGL)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await instance?.remove()
})

const KML = `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${[1, 2, 3]
  .map((x) => `<Placemark><name>Gate ${x}</name><Point><coordinates>${x},${x}</coordinates></Point></Placemark>`)
  .join('')}</Document></kml>`

test('a file in another format is converted on the server and does not come back to the page', async () => {
  const context = await signedIn(browser, instance, owner, enterprise)
  const { page, errors } = await open(context, '/portal/data/layers?new=1')
  const read: string[] = []
  let sentBytes = 0
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'GET' && pathname.startsWith('/enterprise/v1/gis/files/')) read.push(pathname)
    if (request.method() === 'POST' && pathname.includes('/layers')) sentBytes += request.postDataBuffer()?.length ?? 0
  })
  await drop(page, page.locator('.drop-zone'), 'gates.kml', KML)
  await page.getByRole('button', { name: 'Create from file' }).click()
  await page.waitForURL(/\/data\/layers\/lay_/)
  const id = new URL(page.url()).pathname.split('/').at(-1) as string
  const { items } = await instance.manage<{ items: { properties: { name: string } }[] }>(
    'GET',
    `/owners/${enterprise}/layers/${id}/features`,
  )
  expect(items.map(({ properties }) => properties.name)).toEqual([...['Gate 1', 'Gate 2', 'Gate 3']])
  expect(read).toEqual([])
  expect(sentBytes).toBeLessThan(200)
  expect(errors).toEqual([])
  await context.close()
}, 120_000)

for (const language of ['en', 'ar'] as const)
  test(`${language}: a feature of a converted file that no layer takes is shown`, async () => {
    const context = await signedIn(browser, instance, owner, enterprise, { language })
    const { page, errors } = await open(context, '/portal/data/layers?new=1')
    const north = KML.replace('2,2', '2,92').replace('Gate 2', 'Gate beyond the pole')
    await drop(page, page.locator('.drop-zone'), 'gates.kml', north)
    await page.locator('.dialog-actions .button-main').click()
    const refused = page.locator('.refused-feature')
    await refused.waitFor()
    expect(await refused.locator('strong').textContent()).toContain('1')
    const shown = await refused.locator('code').textContent()
    expect(shown).toContain('"name":"Gate beyond the pole"')
    expect(shown).toContain('[2,92]')
    expect(errors).toEqual([])
    await context.close()
  }, 120_000)
