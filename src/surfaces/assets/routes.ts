/** Analytics over the readings, with an organization's key pair. */
import { Elysia } from 'elysia'
import type { Organization, OrganizationGate } from '../../access/organization.ts'
import { AppError } from '../../errors.ts'
import { succeed } from '../../http/envelope.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { findSensor, listSensors, type Sensor } from '../../stores/postgres/sensors.ts'
import { readingsQuery, sensorsQuery } from './model.ts'
import { latest, readingsPage } from './readings.ts'

export type AssetsSurfaceDeps = { db: Database; clickhouse: ClickHouse; organizations: OrganizationGate }

const security: Record<string, string[]>[] = [{ keyPair: [], keySecret: [] }, { keyBearer: [] }]

/** What an organization sees of a sensor: nothing of its keys. */
function described(sensor: Sensor) {
  return {
    id: sensor.id,
    assetId: sensor.assetId,
    assetName: sensor.assetName,
    enabled: sensor.enabled,
    held: sensor.held,
    channels: sensor.channels
      .filter(({ active }) => active)
      .map(({ name, measurement, unit }) => ({ name, measurement, unit })),
  }
}

export function assetsSurface({ db, clickhouse, organizations }: AssetsSurfaceDeps) {
  async function organizationOf(request: Request): Promise<Organization> {
    const organization = await organizations.authenticate(request.headers)
    if (organization.enterprise.assetsHeld) throw new AppError('ASSETS_HELD')
    return organization
  }
  /** Another enterprise's sensor is as unknown as one that does not exist. */
  async function sensorOf(request: Request, id: string): Promise<Sensor> {
    const organization = await organizationOf(request)
    const sensor = await findSensor(db, id)
    if (sensor === undefined || sensor.enterpriseId !== organization.enterprise.id)
      throw new AppError('NOT_FOUND', { message: 'There is no such sensor.' })
    return sensor
  }

  return new Elysia({ name: 'assets', prefix: '/enterprise/v1/assets' })
    .get(
      '/sensors',
      async ({ request, query }) => {
        const { enterprise } = await organizationOf(request)
        const page = await listSensors(db, enterprise.id, { limit: query.limit ?? 100, cursor: query.cursor })
        return succeed(request, { items: page.items.map(described), nextCursor: page.nextCursor })
      },
      { query: sensorsQuery, detail: { tags: ['Assets'], summary: "The enterprise's sensors", security } },
    )
    .get(
      '/sensors/:id/readings',
      async ({ request, params, query }) =>
        succeed(request, await readingsPage(clickhouse, await sensorOf(request, params.id), query)),
      { query: readingsQuery, detail: { tags: ['Assets'], summary: 'Readings of a sensor, oldest first', security } },
    )
    .get(
      '/sensors/:id/latest',
      async ({ request, params }) => succeed(request, await latest(clickhouse, await sensorOf(request, params.id))),
      { detail: { tags: ['Assets'], summary: 'Newest value of each channel and newest location', security } },
    )
}
