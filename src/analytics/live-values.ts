/** The newest values of a channel by asset, for a map that colours assets by it. */
import { TextInTurns } from '../event-loop-yield.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { channelsOf, knownChannel } from './fleet/fleet-channels.ts'
import type { Fleet, FleetRow } from './fleet/fleet-index.ts'
import { eachNewest } from './fleet/fleet-values.ts'
import { lateAfterMs } from './fleet/sensor-state.ts'
import type { Enterprise } from './readings.ts'

type NewestOfAsset = { assetId: string; value: number; ms: number; lateMs: number }

/**
 * `{measurements, units, ids, values, lateIn}`: `lateIn` is in seconds from now.
 * @throws AppError VALIDATION_FAILED for a channel that no sensor has
 */
export async function valuesText(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  fleet: Fleet,
  name: string,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const channel = knownChannel(await channelsOf(fleet), 'query.channel', name)
  const byAsset = new Map<string, NewestOfAsset>()
  const { byName } = fleet
  await eachNewest(clickhouse, enterprise, byName, [channel], signal, (place, _, value, ms) => {
    const row = byName[place] as FleetRow
    const { assetId } = row
    if ((byAsset.get(assetId)?.ms ?? 0) >= ms) return
    byAsset.set(assetId, { assetId, value, ms, lateMs: ms + lateAfterMs(row) })
  })
  const found = [...byAsset.values()]
  const nowMs = Date.now()
  const { measurements, units } = channel
  const text = new TextInTurns()
  const column = async (property: string, textOf: (one: NewestOfAsset) => string | number): Promise<void> => {
    text.add(`,"${property}":[`)
    await text.addList(found.length, (i) => String(textOf(found[i] as NewestOfAsset)))
    text.add(']')
  }
  text.add(`{"measurements":${JSON.stringify(measurements)},"units":${JSON.stringify(units)}`)
  // ids consist of letters, digits and underscores
  await column('ids', ({ assetId }) => `"${assetId}"`)
  await column('values', ({ value }) => value)
  await column('lateIn', ({ lateMs }) => Math.round((lateMs - nowMs) / 1000))
  text.add('}')
  return text.end()
}
