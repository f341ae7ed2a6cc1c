/**
 * Layers from files in Chromium: which bytes are sent and which stay on the server; values typed before the page has
 * settled.
 */
import { expect, test } from 'bun:test'
import { dataPages, drop } from '../../support/browser/portal-data.ts'
import { sampleOf } from '../../support/rounds.ts'

const { instance, canal, as, openOwn } = dataPages()

const KML = `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${[1, 2, 3]
  .map((x) => `<Placemark><name>Gate ${x}</name><Point><coordinates>${x},${x}</coordinates></Point></Placemark>`)
  .join('')}</Document></kml>`

test('a file in another format is converted on the server and is not downloaded by the page', async () => {
  const page = await openOwn('/data/layers?new=1')
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
    `/owners/${canal.id}/layers/${id}/features`,
  )
  expect(items.map(({ properties }) => properties.name)).toEqual(['Gate 1', 'Gate 2', 'Gate 3'])
  expect(read).toEqual([])
  expect(sentBytes).toBeLessThan(200)
}, 300_000)

for (const language of sampleOf(['en', 'ar'] as const, 1))
  test(`${language}: a feature of a converted file that no layer can hold is shown`, async () => {
    const page = await openOwn('/data/layers?new=1', { language })
    const north = KML.replace('2,2', '192,2').replace('Gate 2', 'Gate beyond 180')
    await drop(page, page.locator('.drop-zone'), 'gates.kml', north)
    await page.locator('.dialog-actions .button-main').click()
    const refused = page.locator('.refused-feature')
    await refused.waitFor()
    expect(await refused.locator('strong').textContent()).toContain('1')
    const shown = await refused.locator('code').textContent()
    expect(shown).toContain('"name":"Gate beyond 180"')
    expect(shown).toContain('[192,2]')
  }, 300_000)

test('a value typed while the page is still loading is kept and checked', async () => {
  const ring = [
    [10, 0],
    [11, 0],
    [11, 1],
    [10, 0],
  ]
  const geometry = { type: 'Polygon', coordinates: [ring] }
  const features = [{ type: 'Feature', id: 'one', properties: { depth: 1.5 }, geometry }]
  const body = { name: 'Quick', geojson: { type: 'FeatureCollection', features } }
  const { id } = await instance.manage<{ id: string }>('POST', `/owners/${canal.id}/layers`, body)
  const page = await (await as(canal.owner)).newPage()
  // typed as soon as there is a field, before the page has drawn it
  await page.addInitScript(`new MutationObserver(() => {
    const input = document.querySelector('input.value-input[aria-label="depth"]')
    if (input === null || globalThis.hasTyped) return
    globalThis.hasTyped = true
    input.value = 'deep'
    input.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }).observe(document, { childList: true, subtree: true })`)
  await page.goto(`/portal/data/layers/${id}?feature=one`)
  await page.waitForSelector('.map[data-ready="true"]')
  await page.locator('input[aria-label="depth"][aria-invalid="true"]').waitFor()
  expect(await page.locator('input[aria-label="depth"]').inputValue()).toBe('deep')
}, 300_000)
