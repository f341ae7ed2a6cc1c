/** An operator's base map of one city in Chromium: its colours, and the names of its places in both languages. */
import { beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Feature, FeatureCollection, Geometry } from 'geojson'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { boxOf, type View } from '../../support/browser/browser.ts'
import { portalPages } from '../../support/browser/portal-pages.ts'
import { vectorPmtilesOf } from '../../support/formats/pmtiles.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { type MadeSensor, type Organization, outcomeOf } from '../../support/server/instance.ts'
import { type Account, operatorAccount } from '../../support/sessions.ts'
import { eventually } from '../../support/until.ts'

const file = join(sharedFolder('city'), 'cairo.pmtiles')
const { instance, as, open } = portalPages({ MAP_PMTILES: file })

type Position = [longitude: number, latitude: number]
const CAIRO: Position = [31.2357, 30.0444]
const RIVER: Position = [31.2285, 30.05]
const PARK: Position = [31.2245, 30.0444]

const collection = (...features: Feature[]): FeatureCollection => ({ type: 'FeatureCollection', features })
const feature = (properties: object, geometry: Geometry): Feature => ({ type: 'Feature', properties, geometry })
const place = (properties: object, coordinates: Position): Feature =>
  feature(properties, { type: 'Point', coordinates })
const road = (kind: string, ...coordinates: Position[]): Feature =>
  feature({ kind }, { type: 'LineString', coordinates })
const box = (kind: string, [x, y]: Position, width: number, height: number): Feature =>
  feature(
    { kind },
    {
      type: 'Polygon',
      coordinates: [
        [
          [x - width / 2, y - height / 2],
          [x + width / 2, y - height / 2],
          [x + width / 2, y + height / 2],
          [x - width / 2, y + height / 2],
          [x - width / 2, y - height / 2],
        ],
      ],
    },
  )
const steps = Array.from({ length: 12 }, (_, i) => i)

// the layers and the members of Protomaps' schema
writeFileSync(
  file,
  vectorPmtilesOf(
    {
      earth: collection(box('earth', CAIRO, 1, 1)),
      landuse: collection(box('park', PARK, 0.003, 0.012), box('park', [31.248, 30.05], 0.005, 0.004)),
      water: collection(box('river', RIVER, 0.003, 0.2)),
      roads: collection(
        ...steps.flatMap((i) => [
          road('minor_road', [31.231 + i * 0.002, 30.02], [31.231 + i * 0.002, 30.07]),
          road('minor_road', [31.231, 30.033 + i * 0.002], [31.26, 30.033 + i * 0.002]),
        ]),
        road('major_road', [31.2, 30.0475], [31.27, 30.0475]),
        road('highway', [31.239, 30.0], [31.239, 30.1]),
        road('rail', [31.2, 30.036], [31.27, 30.052]),
      ),
      buildings: collection(...steps.map((i) => box('building', [31.232 + i * 0.002, 30.042], 0.0012, 0.0012))),
      places: collection(
        place({ kind: 'locality', name: 'القاهرة', 'name:en': 'Cairo', population_rank: 13 }, CAIRO),
        place({ kind: 'suburb', name: 'الزمالك', 'name:en': 'Zamalek' }, [31.2245, 30.0415]),
        place({ kind: 'suburb', name: 'Garden City' }, [31.2335, 30.0385]),
      ),
    },
    CAIRO,
  ),
)

const organization = {} as Organization
let operator: Account

beforeAll(async () => {
  Object.assign(organization, await instance.organization('scale'))
  operator = await operatorAccount(instance)
  const van: MadeSensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }], 'Van')
  const reading = { at: new Date().toISOString(), location: [31.243, 30.0485], values: { a: 1 } }
  await outcomeOf(await instance.send(van, { readings: [reading] }))
}, 300_000)

type Written = { text: string; x: number; y: number }
/** Opens the map around Cairo. Texts that the page draws on a canvas are recorded. */
async function openMap(view: View): Promise<Page> {
  const context = await as(operator, { ...view, enterprise: organization.id })
  await context.addInitScript(`{
    globalThis.written = []
    const write = CanvasRenderingContext2D.prototype.fillText
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      written.push({ text, x, y })
      return write.call(this, text, x, y)
    }
  }`)
  const page = await open(context, `/map?at=${CAIRO[1]},${CAIRO[0]},14`)
  await page.waitForSelector('.map[data-ready="true"]')
  return page
}
const namesOn = async (page: Page): Promise<Map<string, Written>> =>
  new Map((await page.evaluate<Written[]>('written')).map((one) => [one.text.replaceAll(/[\u2066-\u2069]/g, ''), one]))
/** The colour of the page, as in a style sheet. */
async function colourAt(page: Page, [longitude, latitude]: Position): Promise<string> {
  const map = await boxOf(page.locator('.map-canvas'))
  const pixels = (512 * 2 ** 14) / 360
  const y = (degrees: number): number => (Math.log(Math.tan(Math.PI / 4 + (degrees * Math.PI) / 360)) * 180) / Math.PI
  const clip = {
    x: Math.round(map.x + map.width / 2 + (longitude - CAIRO[0]) * pixels),
    y: Math.round(map.y + map.height / 2 - (y(latitude) - y(CAIRO[1])) * pixels),
    width: 1,
    height: 1,
  }
  const [r = 0, g = 0, b = 0] = await sharp(await page.screenshot({ clip }))
    .raw()
    .toBuffer()
  return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
const token = (page: Page, name: string): Promise<string> =>
  page.evaluate<string>(`getComputedStyle(document.documentElement).getPropertyValue('--map-${name}').trim()`)

for (const [language, theme, names, absent] of [
  ['en', 'light', ['Cairo', 'Zamalek', 'Garden City'], 'القاهرة'],
  ['ar', 'dark', ['القاهرة', 'الزمالك', 'Garden City'], 'Cairo'],
] as const)
  test(`a city's tiles are drawn in the ${theme} theme, with the names of its places for ${language}`, async () => {
    const page = await openMap({ language, theme, width: 1280, height: 800 })
    await eventually(async () => {
      const shown = await namesOn(page)
      expect(names.filter((name) => !shown.has(name))).toEqual([])
      expect(shown.has(absent)).toBe(false)
      // the city is in the middle of the map
      const { width, height } = await boxOf(page.locator('.map-canvas'))
      const { x, y } = shown.get(names[0]) as Written
      expect(Math.hypot(x - width / 2, y - height / 2)).toBeLessThan(1.5)
    })
    await eventually(async () => {
      expect(await colourAt(page, RIVER)).toBe(await token(page, 'sea'))
      expect(await colourAt(page, PARK)).toBe(await token(page, 'green'))
    })
    const folder = process.env.PORTAL_SHOTS
    if (folder !== undefined) await page.screenshot({ path: `${folder}/base-map-${language}.png` })
  }, 300_000)
