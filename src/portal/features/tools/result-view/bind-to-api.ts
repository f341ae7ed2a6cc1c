/** The Tool APIs that can take a result as their second input, and the change of the input. */
import { changeRecord } from '../../../api/record.ts'
import { navigate } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { attempt } from '../../../ui/failure-text.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { loadToolApis, loadTools, type ToolApi, toolApiPath } from '../../tool-apis/one/tool-api-data.ts'

/** The first Tool APIs by name, except where the tool does not take such a second input. */
export async function loadBindable(
  ownerId: string,
  taken: 'layer' | 'raster',
  q: string,
  limit: number,
  signal: AbortSignal,
): Promise<ToolApi[]> {
  const { items } = await loadToolApis(ownerId, { sort: 'name', limit, ...(q !== '' && { q }) }, signal)
  if (items.length === 0) return []
  const tools = await loadTools(signal)
  const takers = new Set(
    tools.flatMap(({ id, secondInput }) =>
      secondInput !== null && (secondInput.kind === 'raster') === (taken === 'raster') ? [id] : [],
    ),
  )
  return items.filter(({ tool }) => takers.has(tool))
}

/** Replaces what a Tool API is bound to, from the next call on; the message can undo it. @throws ApiError */
export async function bindTo(
  { id, name, binding }: ToolApi,
  next: { kind: 'layer' | 'file'; id: string },
): Promise<void> {
  const path = toolApiPath(id)
  const { etag } = await changeRecord<ToolApi>(path, undefined, { binding: next })
  const undo = (): Promise<unknown> =>
    attempt(async () => {
      await changeRecord<ToolApi>(path, etag, { binding })
      notify(t('results.layer.boundBack', { name }))
      navigate(`/data/${next.kind}s/${encodeURIComponent(next.id)}`)
    })
  notify(t(`results.${next.kind}.bound`, { name }), { undo })
}
