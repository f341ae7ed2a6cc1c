/** Calls with readings of many sensors, with the key of a fleet. */
import type { Envelope, Instance } from './instance.ts'

export type FleetKey = { id: string; key: string }
export type ManyReading = { sensor: string; at: string; values?: object; location?: [number, number] }
export type OfSensor = { sensor: string; at: string }
export type ManyOutcome = {
  accepted: OfSensor[]
  duplicates: OfSensor[]
  refused: { sensor: string | null; at: unknown; reason: string; channel?: string }[]
}

export const makeFleetKey = (instance: Instance, enterpriseId: string, settings: object = {}): Promise<FleetKey> =>
  instance.manage('POST', `/enterprises/${enterpriseId}/fleet-keys`, { name: 'Gateway', ...settings })

export const sendMany = (
  instance: Instance,
  { key }: Pick<FleetKey, 'key'>,
  readings: readonly unknown[] | string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${instance.url()}/ingest/readings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof readings === 'string' || readings instanceof Uint8Array ? readings : JSON.stringify({ readings }),
  })

export async function manyOutcomeOf(response: Response): Promise<ManyOutcome> {
  const envelope = (await response.json()) as Envelope<ManyOutcome>
  if (envelope.code !== 'SENSOR_READINGS_RESULT') throw new Error(`${envelope.code}: ${envelope.message}`)
  return envelope.data
}
