/** Colours of assets by the newest value of a channel, in Chromium. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { boxOf } from '../../support/browser/browser.ts'
import { portalPages } from '../../support/browser/portal-pages.ts'
import { type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { operatorAccount } from '../../support/sessions.ts'
import { eventually } from '../../support/until.ts'

type Position = [longitude: number, latitude: number]

const { instance, open: openPage } = portalPages()

/** How many pixels of the map have a colour. */
async function pixelsOf(page: Page, hex: string): Promise<number> {
  const data = await sharp(await page.locator('.map').screenshot())
    .removeAlpha()
    .raw()
    .toBuffer()
  const colour = Buffer.from(hex.slice(1), 'hex')
  let count = 0
  for (let i = 0; i < data.length; i += 3) if (data.compare(colour, 0, 3, i, i + 3) === 0) count++
  return count
}

test('assets have the colours of a channel, with a legend, and a newer value changes the colour', async () => {
  const own = await instance.organization('scale')
  const operator = await operatorAccount(instance)
  const probes: MadeSensor[] = []
  const report = async (sensor: MadeSensor | undefined, values: object, place: Position, secondsAgo = 0) => {
    const at = new Date(Date.now() - secondsAgo * 1000).toISOString()
    await outcomeOf(await instance.send(sensor as MadeSensor, { readings: [{ at, location: place, values }] }))
  }
  const channels = [
    { name: 'a', measurement: 'number' as const },
    { name: 'temperature', measurement: 'number' as const, unit: '°C' },
  ]
  for (const name of ['Cold', 'Warm', 'Hot', 'Old', 'Without'])
    probes.push(await instance.sensor(own.id, channels, name))
  for (const [i, celsius] of [-8, 6, 31].entries())
    await report(probes[i], { temperature: celsius, a: 1 }, [31 + i / 100, 30])
  // late after three times five minutes
  await report(probes[3], { temperature: 900 }, [31.03, 30], 1_200)
  await report(probes[4], { a: 1 }, [31.04, 30])
  const page = await openPage(operator, '/map?at=30,31.02,12.5', { enterprise: own.id, theme: 'light' })
  await page.waitForSelector('.map[data-ready="true"]')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.getByRole('button', { name: 'Colours', exact: true }).click()
  await page.getByRole('menuitemradio', { name: 'temperature \u2068°C\u2069' }).click()
  const legend = page.getByRole('region', { name: /^Colours by .*temperature/ })
  await legend.getByText('No current value').waitFor()
  const plain = async (locator: ReturnType<Page['locator']>): Promise<string[]> =>
    (await locator.allTextContents()).map((text) => text.replace(/[\u2066-\u2069]/g, '').replaceAll('\u00a0', ' '))
  // an old value is no part of the range
  await eventually(async () => expect((await plain(legend.locator('p')))[0]).toBe('temperature-8 to 31 °C'))
  expect(await plain(legend.locator('.visually-hidden'))).toEqual([
    'under 0',
    '0 to 10',
    '10 to 20',
    '20 to 30',
    '30 and above',
  ])
  expect(await plain(legend.locator('.value-limit'))).toEqual(['0', '10', '20', '30'])
  expect(new URL(page.url()).searchParams.get('colour')).toBe('temperature')
  const [lowest, second, middle, highest] = ['#61a020', '#1b8176', '#2b6093', '#33074a'] as const
  await eventually(async () => {
    for (const colour of [lowest, second, highest]) expect(await pixelsOf(page, colour)).toBeGreaterThan(80)
    expect(await pixelsOf(page, middle)).toBe(0)
  })
  // one request for all assets
  expect(asked.filter((path) => path.includes('/live/values'))).toHaveLength(1)
  expect(asked.filter((path) => path.includes('/sensors/'))).toEqual([])
  await report(probes[1], { temperature: 14 }, [31.01, 30])
  await eventually(async () => expect(await pixelsOf(page, middle)).toBeGreaterThan(80))
  expect(await pixelsOf(page, second)).toBe(0)
  await page.reload()
  await page.waitForSelector('.map[data-ready="true"]')
  await eventually(async () => expect(await pixelsOf(page, highest)).toBeGreaterThan(80))
  await page.getByRole('button', { name: 'Colours', exact: true }).click()
  await page.getByRole('menuitemradio', { name: 'By state' }).click()
  await legend.waitFor({ state: 'hidden' })
  await eventually(async () => expect(await pixelsOf(page, highest)).toBe(0))
}, 300_000)

test('the title beside the menus is on one line in Arabic on a narrow screen', async () => {
  const own = await instance.organization('scale')
  const view = { enterprise: own.id, language: 'ar', width: 768 } as const
  const page = await openPage(await operatorAccount(instance), '/map', view)
  const title = page.locator('.map-side h1')
  await title.waitFor()
  // a line has 28 pixels
  expect((await boxOf(title)).height).toBeLessThan(40)
}, 120_000)
