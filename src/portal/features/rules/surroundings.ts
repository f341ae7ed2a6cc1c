/** What rules refer to: the channels of the fleet with their units, and layers with their names. */
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import type { Channel } from '../sensors/list/channels.tsx'
import type { Names } from './sentence.ts'

const PAGE = 1_000

export type Surroundings = Names & {
  channels: Channel[]
  layers: { id: string; name: string }[]
  /** Whether a channel has yes and no only. */
  isBoolean(channel: string): boolean
}

export function useSurroundings(): Surroundings {
  const owner = enterpriseId.value as string
  const found = useResource(
    async (signal) => {
      const [channels, layers] = await Promise.all([
        dataOf(api.GET('/enterprise/v1/assets/channels', { params: { query: { limit: PAGE } }, signal })),
        dataOf(
          api.GET('/manage/v1/owners/{ownerId}/layers', {
            params: { path: { ownerId: owner }, query: { limit: PAGE } },
            signal,
          }),
        ),
      ])
      return { channels: channels.items, layers: layers.items }
    },
    [owner],
  )
  const { channels = [], layers = [] } = found.data.value ?? {}
  const channelOf = (name: string): Channel | undefined => channels.find(({ channel }) => channel === name)
  return {
    channels,
    layers,
    isBoolean: (name) => channelOf(name)?.measurements.every((one) => one === 'boolean') === true,
    unitOf(name) {
      const { units = [] } = channelOf(name) ?? {}
      return units.length === 1 ? (units[0] as string) : null
    },
    layerOf: (id) => layers.find((layer) => layer.id === id)?.name ?? t('rules.zone'),
  }
}
