/** Pages of sensors in Chromium, on a server with real readings. */
import { beforeAll, expect } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import type { MadeSensor, Organization } from '../server/instance.ts'
import { type Account, operatorAccount } from '../sessions.ts'
import { type Device, type PortalPages, portalPages } from './portal-pages.ts'

/** A name with markup, an override of the direction, and more characters than fit. */
export const LONG_NAME = `<b>Boiler</b> \u202e3 ${'x'.repeat(60)}`
const CHANNELS = [
  { name: 'temperature', measurement: 'number' as const, unit: '°C' },
  { name: 'pressure, gauge', measurement: 'number' as const, unit: 'bar' },
  { name: 'running', measurement: 'boolean' as const },
]
const BATCH = 500

export type SensorPages = PortalPages & {
  organization: Organization
  sensorWith(readings: object[], name: string): Promise<MadeSensor>
  /** A device of an operator. */
  signedIn(device?: Device): Promise<BrowserContext>
  openSensor(context: BrowserContext, sensor: MadeSensor, query?: string): Promise<Page>
}

/** @param env variables for a server of the file's own */
export function sensorPages(env?: Record<string, string>): SensorPages {
  const pages = portalPages(env)
  const { instance } = pages
  const organization = {} as Organization
  let operator: Account
  beforeAll(async () => {
    Object.assign(organization, await instance.organization('scale'))
    operator = await operatorAccount(instance)
  }, 300_000)
  return {
    ...pages,
    organization,
    async sensorWith(readings, name) {
      const sensor = await instance.manage<MadeSensor>('POST', `/enterprises/${organization.id}/sensors`, {
        name,
        assetName: 'Boiler house',
        tags: ['heat'],
        channels: CHANNELS,
      })
      for (let i = 0; i < readings.length; i += BATCH)
        expect((await instance.send(sensor, { readings: readings.slice(i, i + BATCH) })).status).toBe(200)
      return sensor
    },
    signedIn: (device) => pages.as(operator, device),
    async openSensor(context, sensor, query = '') {
      const page = await pages.open(context, `/sensors/${sensor.id}?enterprise=${organization.id}&${query}`)
      await page.waitForSelector('.values')
      return page
    },
  }
}
