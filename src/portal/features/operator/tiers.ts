/** Tiers of enterprises and plans of people, as the server has them. */
import { api, dataOf } from '../../api/client.ts'
import { type Resource, useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'

export type Tier = components['schemas']['Tier']

export function useTiers(kind: Tier['kind']): Resource<Tier[]> {
  return useResource(
    async (signal) => {
      const { items } = await dataOf(api.GET('/manage/v1/tiers', { signal }))
      return items.filter((tier) => tier.kind === kind)
    },
    [kind],
  )
}
