/** Makes a stored file, or the file of a new or an existing Tool API, from a raster of a run. */
import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { navigate } from '../../../shell/router.ts'
import { may, ownerId } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { storedFileAddress } from '../../../ui/download.tsx'
import { attempt } from '../../../ui/failure-text.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { createFile } from '../../tool-apis/one/stored-file.ts'
import { loadTools, type ToolApi } from '../../tool-apis/one/tool-api-data.ts'
import { bindTo, loadBindable } from './bind-to-api.ts'
import type { FileKind, StoredFile } from './file-kind.ts'

const MAX_SHOWN = 30

/** Tools with a raster as their second input take a stored file; other results that Tool APIs take are layers. */
export function SaveAsFile({ file, kind }: { file: StoredFile; kind: FileKind }) {
  return may.value.keep && kind === 'raster' ? <FileMenu file={file} /> : null
}

function FileMenu({ file }: { file: StoredFile }) {
  const owner = ownerId.value as string
  const [isBusy, setBusy] = useState(false)
  const found = useResource(
    async (signal) => {
      const tools = (await loadTools(signal)).filter(({ secondInput }) => secondInput?.kind === 'raster')
      return { tools, toolApis: await loadBindable(owner, 'raster', '', MAX_SHOWN, signal) }
    },
    [owner],
  )

  async function save(make: () => Promise<string>): Promise<void> {
    setBusy(true)
    await attempt(async () => navigate(await make()))
    setBusy(false)
  }
  async function create(): Promise<string> {
    const content = await (await send(storedFileAddress(file.key))).blob()
    const id = await createFile(owner, new File([content], file.filename, { type: file.mediaType }))
    notify(t('results.file.made', { name: file.filename }))
    return id
  }
  const filePage = (id: string): string => `/data/files/${encodeURIComponent(id)}`
  const createForApi = async (): Promise<string> => {
    const query = new URLSearchParams({ file: await create() })
    const [only, other] = found.data.value?.tools ?? []
    if (only !== undefined && other === undefined) query.set('tool', only.id)
    return `/tool-apis/new?${query}`
  }
  const createAndBind = (api: ToolApi) => async (): Promise<string> => {
    const id = await create()
    // the file stays, also where the Tool API cannot use it
    const isBound = await attempt(() => bindTo(api, { kind: 'file', id }))
    return isBound ? `/tool-apis/${encodeURIComponent(api.id)}` : filePage(id)
  }
  const items: MenuItem[] = [
    { label: t('results.file.new'), icon: 'add', onSelect: () => void save(async () => filePage(await create())) },
    { label: t('results.file.forApi'), icon: 'toolApi', onSelect: () => void save(createForApi) },
  ]
  const bindings = (found.data.value?.toolApis ?? []).map(
    (api): MenuItem => ({
      label: <bdi class="cut">{t('results.layer.bind', { name: api.name })}</bdi>,
      icon: 'toolApi',
      onSelect: () => void save(createAndBind(api)),
    }),
  )
  return (
    <Menu
      label={t('results.file.save')}
      button={
        <>
          <Icon name="files" />
          <span>{t(isBusy ? 'results.layer.saving' : 'results.file.save')}</span>
          <Icon name="down" size={14} />
        </>
      }
      items={[...items, ...(bindings.length > 0 ? (['line', ...bindings] as const) : [])]}
    />
  )
}
