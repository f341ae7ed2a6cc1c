/** The Tool APIs that can take a result as their second input, and the change of the input. */
import { changeRecord } from '../../../api/record.ts'
import { navigate } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { attempt } from '../../../ui/failure-text.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { loadToolApis, loadTools, type ToolApi, toolApiPath } from '../../tool-apis/one/tool-api-data.ts'

/** The first Tool APIs by name, except where the tool takes no layer. */
export async function loadBindable(ownerId: string, q: string, limit: number, signal: AbortSignal): Promise<ToolApi[]> {
  const { items } = await loadToolApis(ownerId, { sort: 'name', limit, ...(q !== '' && { q }) }, signal)
  if (items.length === 0) return []
  const tools = await loadTools(signal)
  const takesLayer = new Set(
    tools.flatMap(({ id, secondInput }) => (secondInput !== null && secondInput.kind !== 'raster' ? [id] : [])),
  )
  return items.filter(({ tool }) => takesLayer.has(tool))
}

/** Replaces what a Tool API is bound to, from the next call on; the message can undo it. @throws ApiError */
export async function bindLayer({ id, name, binding }: ToolApi, layerId: string): Promise<void> {
  const path = toolApiPath(id)
  const { etag } = await changeRecord<ToolApi>(path, undefined, { binding: { kind: 'layer', id: layerId } })
  const undo = (): Promise<unknown> =>
    attempt(async () => {
      await changeRecord<ToolApi>(path, etag, { binding })
      notify(t('results.layer.boundBack', { name }))
      navigate(`/data/layers/${encodeURIComponent(layerId)}`)
    })
  notify(t('results.layer.bound', { name }), { undo })
}
