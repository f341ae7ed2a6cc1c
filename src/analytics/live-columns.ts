/**
 * The live layer as a list for each property, for maps of very many assets: a third of the size of GeoJSON, and nothing
 * to allocate for each asset.
 */
import { TextInTurns } from '../event-loop-yield.ts'
import type { Fleet } from './fleet/fleet-index.ts'
import { SENSOR_STATES } from './fleet/sensor-state.ts'
import { lookAtStates } from './fleet/state-changes.ts'
import type { AssetPosition } from './live.ts'

/** Rounding of degrees: a tenth of a metre. */
const DEGREE_DECIMALS = 1e6

/**
 * `{states, base, ids, sensorIds, names, lon, lat, state, at}`: `state` has indexes of `states` for the worst sensor of
 * the asset, `at` seconds after `base`,
 * which is in seconds since 1970.
 */
export async function columnsText(positions: readonly AssetPosition[], fleet: Fleet): Promise<Buffer[]> {
  let base = Number.POSITIVE_INFINITY
  for (const { ms } of positions) if (ms < base) base = ms
  base = positions.length === 0 ? Math.floor(Date.now() / 1000) : Math.floor(base / 1000)
  const text = new TextInTurns()
  const column = async (name: string, textOf: (position: AssetPosition) => string | number): Promise<void> => {
    text.add(`,"${name}":[`)
    await text.addList(positions.length, (i) => String(textOf(positions[i] as AssetPosition)))
    text.add(']')
  }
  const sending = SENSOR_STATES.indexOf('sending')
  text.add(`{"states":${JSON.stringify(SENSOR_STATES)},"base":${base}`)
  // ids consist of letters, digits and underscores
  await column('ids', ({ assetId }) => `"${assetId}"`)
  await column('sensorIds', ({ sensor }) => `"${sensor.id}"`)
  await column('names', ({ sensor }) => JSON.stringify(sensor.assetName))
  await column('lon', ({ longitude }) => Math.round(longitude * DEGREE_DECIMALS) / DEGREE_DECIMALS)
  await column('lat', ({ latitude }) => Math.round(latitude * DEGREE_DECIMALS) / DEGREE_DECIMALS)
  const { assets } = await lookAtStates(fleet)
  // an asset without a state was made a moment ago and has sent already
  await column('state', ({ assetId }) => assets.get(assetId) ?? sending)
  await column('at', ({ ms }) => Math.floor(ms / 1000) - base)
  text.add('}')
  return text.end()
}
