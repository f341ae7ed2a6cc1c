/** Pages of sensors in Chromium, on a server with real readings. */
import { expect } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../../src/setup/build-portal.ts'
import { accessibilityFaults } from './accessibility.ts'
import { startBrowser, type View, visitor } from './browser.ts'
import { createInstance, type Instance, type MadeSensor, type Organization } from './instance.ts'
import { cookieOf, operatorAccount } from './sessions.ts'

/** Has markup, an override of the direction, and more characters than fit. */
export const LONG_NAME = `<b>Boiler</b> \u202e3 ${'x'.repeat(60)}`
const CHANNELS = [
  { name: 'temperature', measurement: 'number' as const, unit: '°C' },
  { name: 'pressure, gauge', measurement: 'number' as const, unit: 'bar' },
  { name: 'running', measurement: 'boolean' as const },
]
const BATCH = 500

export type SensorPages = {
  instance: Instance
  organization: Organization
  sensorWith(readings: object[], name: string): Promise<MadeSensor>
  signedIn(view?: View): Promise<BrowserContext>
  open(context: BrowserContext, sensor: MadeSensor, query?: string): Promise<Page>
  remove(): Promise<void>
}

export async function sensorPages(): Promise<SensorPages> {
  await buildPortal()
  const instance = await createInstance({ SENSOR_CALLS_PER_MINUTE: '100000' })
  const organization = await instance.organization('scale')
  const [name = '', value = ''] = cookieOf(await operatorAccount(instance)).split('=')
  const browser: Browser = await startBrowser()
  return {
    instance,
    organization,
    async sensorWith(readings, sensorName) {
      const sensor = await instance.manage<MadeSensor>('POST', `/enterprises/${organization.id}/sensors`, {
        ...{ name: sensorName, assetName: 'Boiler house', tags: ['heat'], channels: CHANNELS },
      })
      for (let i = 0; i < readings.length; i += BATCH)
        expect((await instance.send(sensor, { readings: readings.slice(i, i + BATCH) })).status).toBe(200)
      return sensor
    },
    async signedIn(view = {}) {
      const context = await visitor(browser, instance.url(), view)
      await context.addCookies([{ name, value, url: instance.url() }])
      return context
    },
    async open(context, sensor, query = '') {
      const page = await context.newPage()
      page.on('pageerror', (error) => {
        throw error
      })
      await page.goto(`/portal/sensors/${sensor.id}?enterprise=${organization.id}&${query}`)
      await page.waitForSelector('.values')
      return page
    },
    async remove() {
      await browser.close()
      await instance.remove()
    },
  }
}

/** What axe-core finds that keeps people out. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([])
}
