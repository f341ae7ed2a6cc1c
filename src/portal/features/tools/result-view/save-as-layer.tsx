/** Makes a layer, the next version of a layer, or the layer of a new or an existing Tool API from the result of a run. */
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { randomId } from '../../../shell/random-id.ts'
import { navigate } from '../../../shell/router.ts'
import { may, ownerId } from '../../../shell/session.ts'
import { formatBytes } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { attempt } from '../../../ui/failure-text.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { notify } from '../../../ui/toasts.tsx'
import type { ToolApi } from '../../tool-apis/one/tool-api-data.ts'
import { bindTo, loadBindable } from './bind-to-api.ts'
import { extensionOf, type FileKind, type StoredFile, toolInputOf } from './file-kind.ts'

/** The limit of a server where the operator did not set LAYER_BODY_MB. */
const USUAL_BYTES = 64 * 2 ** 20
const MAX_SHOWN = 30
const TYPING_MS = 200
const MAX_NAME = 200

const isWgs84 = (crs: string): boolean => crs === 'EPSG:4326' || crs === 'OGC:CRS84'

export function SaveAsLayer({ file, kind }: { file: StoredFile; kind: FileKind }) {
  // a ZIP may contain anything
  const isVector = toolInputOf(kind) === 'vector' && kind !== 'zip'
  if (!may.value.keep || !isVector) return null
  const { bytes, crs, filename } = file
  return (
    <span class="save-layer">
      {kind === 'features' ? (
        <LayerMenu file={file} />
      ) : (
        <Button icon="layers" disabled>
          {t('results.layer.save')}
        </Button>
      )}
      {kind !== 'features' && (
        <span class="weak">{t('results.layer.notGeojson', { format: extensionOf(filename).toUpperCase() })}</span>
      )}
      {crs && !isWgs84(crs) && <span class="weak">{t('results.layer.converted', { crs })}</span>}
      {bytes > USUAL_BYTES && <span class="weak">{t('results.layer.large', { most: formatBytes(USUAL_BYTES) })}</span>}
    </span>
  )
}

function LayerMenu({ file }: { file: StoredFile }) {
  const owner = ownerId.value as string
  const [text, setText] = useState('')
  const [q, setQ] = useState('')
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  const layers = useResource(
    (signal) => {
      const query = { limit: MAX_SHOWN, ...(q !== '' && { q }) }
      return dataOf(
        api.GET('/manage/v1/owners/{ownerId}/layers', { params: { path: { ownerId: owner }, query }, signal }),
      )
    },
    [owner, q],
  )
  const toolApis = useResource((signal) => loadBindable(owner, 'layer', q, MAX_SHOWN, signal), [owner, q])

  async function save(make: () => Promise<string>): Promise<void> {
    setBusy(true)
    await attempt(async () => navigate(await make()))
    setBusy(false)
  }
  async function create(): Promise<string> {
    const name = file.filename.replace(/\.[^.]+$/, '').slice(0, MAX_NAME)
    const { id } = await dataOf(
      api.POST('/manage/v1/owners/{ownerId}/layers/from-file', {
        params: { path: { ownerId: owner } },
        headers: { 'idempotency-key': randomId() },
        body: { name, file: file.key },
      }),
    )
    notify(t('results.layer.made', { name }))
    return id
  }
  const layerPage = (id: string): string => `/data/layers/${encodeURIComponent(id)}`
  const createLayer = async (): Promise<string> => layerPage(await create())
  const createForApi = async (): Promise<string> => `/tool-apis/new?layer=${encodeURIComponent(await create())}`
  const createAndBind = (api: ToolApi) => async (): Promise<string> => {
    const id = await create()
    // the layer stays, also where the Tool API cannot use it
    const isBound = await attempt(() => bindTo(api, { kind: 'layer', id }))
    return isBound ? `/tool-apis/${encodeURIComponent(api.id)}` : layerPage(id)
  }
  const addVersion = (id: string) => async (): Promise<string> => {
    const { version, name } = await dataOf(
      api.POST('/manage/v1/owners/{ownerId}/layers/{id}/versions/from-file', {
        params: { path: { ownerId: owner, id } },
        headers: { 'idempotency-key': randomId() },
        body: { file: file.key },
      }),
    )
    notify(t('results.layer.nextMade', { name, version }))
    return layerPage(id)
  }

  const items: MenuItem[] = [
    { label: t('results.layer.new'), icon: 'add', onSelect: () => void save(createLayer) },
    { label: t('results.layer.forApi'), icon: 'toolApi', onSelect: () => void save(createForApi) },
  ]
  const bindings = (toolApis.data.value ?? []).map(
    (api): MenuItem => ({
      label: <bdi class="cut">{t('results.layer.bind', { name: api.name })}</bdi>,
      icon: 'toolApi',
      onSelect: () => void save(createAndBind(api)),
    }),
  )
  const versions = (layers.data.value?.items ?? []).map(
    ({ id, name, version }): MenuItem => ({
      label: <bdi class="cut">{t('results.layer.next', { name, version: version + 1 })}</bdi>,
      icon: 'layers',
      onSelect: () => void save(addVersion(id)),
    }),
  )
  return (
    <Menu
      label={t('results.layer.save')}
      button={
        <>
          <Icon name="layers" />
          <span>{t(isBusy ? 'results.layer.saving' : 'results.layer.save')}</span>
          <Icon name="down" size={14} />
        </>
      }
      items={[
        ...items,
        ...(bindings.length > 0 ? (['line', ...bindings] as const) : []),
        ...(versions.length > 0 ? (['line', ...versions] as const) : []),
      ]}
      search={{ label: t('results.layer.search'), value: text, onInput: setText }}
    />
  )
}
