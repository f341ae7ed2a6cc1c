/** Makes one of each thing that an enterprise or a person owns, with the operator's token. */
import { nextEmail } from '../sessions.ts'
import { withSql } from '../stores/with-sql.ts'
import { until } from '../until.ts'
import type { Instance } from './instance.ts'

export const SQUARE = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      id: 'f',
      properties: {},
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
    },
  ],
}

export function fileForm(name = 'points.geojson', content = JSON.stringify(SQUARE)): FormData {
  const form = new FormData()
  form.set('file', new File([content], name))
  return form
}

let made = 0
type Made = { id: string; keys: { id: string }[] }

export function ownedThings(instance: Instance) {
  const make = async (path: string, body: object): Promise<Made> => instance.manage('POST', path, body)
  return {
    sensor: (ent: string) =>
      make(`/enterprises/${ent}/sensors`, {
        name: `Sensor ${++made}`,
        channels: [{ name: 'a', measurement: 'number' }],
      }),
    fleetKey: (ent: string) => make(`/enterprises/${ent}/fleet-keys`, { name: `Gateway ${++made}` }),
    asset: (ent: string) => make(`/enterprises/${ent}/assets`, { name: `Asset ${++made}` }),
    member: (ent: string, role = 'member') => make(`/enterprises/${ent}/members`, { email: nextEmail('new'), role }),
    invitation: (ent: string) => make(`/enterprises/${ent}/invitations`, { email: nextEmail('new'), role: 'member' }),
    operatorInvitation: () => make('/operators/invitations', { email: nextEmail('new') }),
    application: (ent: string) => make(`/enterprises/${ent}/applications`, { name: 'App', tools: 'all' }),
    layer: (owner: string) => make(`/owners/${owner}/layers`, { name: 'Layer', geojson: SQUARE }),
    toolApi: (owner: string) => make(`/owners/${owner}/tool-apis`, { tool: 'vector.centroids', name: 'Saved' }),
    person: (plan = 'free') => make('/people', { email: nextEmail('person'), plan }),
    personalKey: (person: string) => make(`/people/${person}/api-keys`, { name: 'Script' }),
    enterprise: () => make('/enterprises', { name: 'Other', tier: 'starter' }),
    /** A failed export: only a few can be made in a day. */
    async dataExport(owner: string): Promise<{ id: string }> {
      const id = `exp_${String(++made)}`
      const column = owner.startsWith('per_') ? 'person_id' : 'enterprise_id'
      await withSql(instance, (sql) =>
        sql.unsafe(
          `INSERT INTO data_exports (id, ${column}, key, status, requested_by, expires_at)
           VALUES ($1, $2, 'fil_' || md5($1), 'failed', 'test', now() + interval '1 hour')`,
          [id, owner],
        ),
      )
      return { id }
    },
    /** A firing alert of a rule and a sensor that are gone. */
    async alert(ent: string): Promise<{ id: string }> {
      const id = `alr_${++made}`
      await withSql(
        instance,
        (sql) => sql`INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at)
          VALUES (${id}, ${ent}, 'rul_gone', 'sen_gone', 'warning', now(), now())`,
      )
      return { id }
    },
    async file(owner: string): Promise<{ id: string }> {
      const response = await fetch(`${instance.url()}/manage/v1/owners/${owner}/files`, {
        method: 'POST',
        body: fileForm(),
        headers: { authorization: `Bearer ${instance.operatorToken()}` },
      })
      const { data } = (await response.json()) as { data: { id: string } }
      const path = `/owners/${owner}/files/${data.id}`
      await until(
        async () => (await instance.manage<{ scanStatus: string }>('GET', path)).scanStatus === 'clean',
        'scanning the file',
      )
      return data
    },
  }
}
