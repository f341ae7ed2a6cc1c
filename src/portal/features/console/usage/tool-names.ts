/** Names of tools in the person's language. */
import { send } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'

/** @returns the name of a process, or its id until it is known and for tools that no longer exist */
export function useToolNames(): (id: string) => string {
  const processes = useResource(
    async (signal) => {
      const response = await send(`/enterprise/v1/gis/processes?lang=${language.value}`, { signal })
      const { processes: all } = (await response.json()) as { processes: { id: string; title: string }[] }
      return new Map(all.map(({ id, title }) => [id, title]))
    },
    [language.value],
  )
  const { value } = processes.data
  return (id) => value?.get(id) ?? id
}
