/** A dashboard with a panel of each type, and a link to it. */
import type { Instance } from '../server/instance.ts'
import { type Account, callAs } from '../sessions.ts'

const channels = ['temperature']
export const PANELS = [
  { id: 'states', type: 'states', x: 0, y: 0, w: 3, h: 4 },
  { id: 'warm', type: 'number', x: 3, y: 0, w: 3, h: 4, channels, sensors: { variables: true } },
  { id: 'worst', type: 'table', title: 'Needs attention', x: 6, y: 0, w: 6, h: 4, channels },
  { id: 'chart', type: 'chart', x: 0, y: 4, w: 8, h: 6, channels, sensors: { variables: true } },
  { id: 'map', type: 'map', title: 'أين هي', x: 8, y: 4, w: 4, h: 6 },
]

/** @returns its address, and that of the link, below /portal */
export async function portalDashboard(
  { url }: Pick<Instance, 'url'>,
  enterprise: string,
  owner: Account,
): Promise<{ id: string; address: string; link: string }> {
  const path = '/enterprise/v1/assets/dashboards'
  const body = { name: 'Cold chain', shared: true, document: { version: 1, range: '24h', panels: PANELS } }
  const { data } = await callAs<{ id: string }>(url(), owner, 'POST', path, { enterprise, body })
  const made = await callAs<{ token: string }>(url(), owner, 'POST', `${path}/${data.id}/links`, {
    enterprise,
    body: { days: 7 },
  })
  return { id: data.id, address: `/dashboards/${data.id}`, link: `/shared#${made.data.token}` }
}
