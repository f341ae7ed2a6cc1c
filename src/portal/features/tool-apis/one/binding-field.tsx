/** Chooses the layer, file or version of a file that supplies the second input of a tool, or uploads a new one. */
import { useEffect, useState } from 'preact/hooks'
import { ApiError, api, dataOf, send } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import type { components } from '../../../api/schema.d.ts'
import { randomId } from '../../../shell/random-id.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { DropZone } from '../../../ui/drop-zone.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { failureText } from '../../../ui/form.ts'
import { Loaded } from '../../../ui/states.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { createFile } from './stored-file.ts'
import type { Binding, SavableTool } from './tool-api-data.ts'

type Layer = components['schemas']['Layer']
type OwnerFile = components['schemas']['File']
type Found = { layers: Layer[]; files: OwnerFile[] }
type Kind = 'layer' | 'file'

/** Maximum number of items in the list; others are found by name. */
const MAX_SHOWN = 50
const TYPING_MS = 200
const LAYER_BYTES = 100 * 2 ** 20
const VECTOR = '.geojson,.json,.zip,.kml,.kmz,.gml,.gpkg,.fgb,.parquet,.csv'
const RASTER = '.tif,.tiff'

async function search(ownerId: string, kind: Kind, q: string, signal: AbortSignal): Promise<Found> {
  const query = { limit: MAX_SHOWN, ...(q !== '' && { q }) }
  const request = { params: { path: { ownerId }, query }, signal }
  if (kind === 'layer')
    return { layers: (await dataOf(api.GET('/manage/v1/owners/{ownerId}/layers', request))).items, files: [] }
  return { layers: [], files: (await dataOf(api.GET('/manage/v1/owners/{ownerId}/files', request))).items }
}

/** The chosen item comes first, whatever the search. Empty for an item that was deleted. */
async function chosenOf(ownerId: string, value: Binding | undefined, signal: AbortSignal): Promise<Found> {
  const nothing: Found = { layers: [], files: [] }
  if (value === undefined) return nothing
  const request = { params: { path: { ownerId, id: value.id } }, signal }
  try {
    return value.kind === 'layer'
      ? { ...nothing, layers: [await dataOf(api.GET('/manage/v1/owners/{ownerId}/layers/{id}', request))] }
      : { ...nothing, files: [await dataOf(api.GET('/manage/v1/owners/{ownerId}/files/{id}', request))] }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return nothing
    throw error
  }
}

type Second = NonNullable<SavableTool['secondInput']>

/** Why an item cannot be chosen; undefined if it can. */
function layerFault(layer: Layer, second: Second): string | undefined {
  return second.kind === 'polygons' && layer.dimensions.some((dimension) => dimension !== 2)
    ? t('toolApis.notPolygons')
    : undefined
}
function fileFault(file: OwnerFile, second: Second): string | undefined {
  if (!file.versions.some(({ scanStatus }) => scanStatus === 'clean')) return t('toolApis.noCleanVersion')
  const isRaster = file.kind === 'raster'
  if (second.kind === 'raster') return isRaster ? undefined : t('toolApis.notRaster')
  return isRaster || file.kind === 'image' || file.kind === 'document' ? t('toolApis.notVector') : undefined
}

export function BindingField(props: {
  ownerId: string
  second: Second
  value: Binding | undefined
  onChange: (binding: Binding) => void
  error: string | undefined
}) {
  const { ownerId, second, value, onChange } = props
  const isRaster = second.kind === 'raster'
  const [kind, setKind] = useState<Kind>(value === undefined ? (isRaster ? 'file' : 'layer') : kindOf(value))
  const [text, setText] = useState('')
  const [q, setQ] = useState('')
  const [isUploading, setUploading] = useState(false)
  const found = useResource((signal) => search(ownerId, kind, q, signal), [ownerId, kind, q])
  const chosen = useResource((signal) => chosenOf(ownerId, value, signal), [ownerId, value?.id])
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  const file = chosen.data.value?.files.find(({ id }) => id === value?.id)

  return (
    <fieldset class="binding">
      <legend>{t(`toolApis.seconds.${second.kind}`)}</legend>
      <p class="field-help">{t('toolApis.bindingHelp')}</p>
      {!isRaster && (
        <Tabs
          label={t('toolApis.binding')}
          tabs={[
            { id: 'layer', label: t('toolApis.layers') },
            { id: 'file', label: t('toolApis.files') },
          ]}
          selected={kind}
          onSelect={(id) => setKind(id as Kind)}
        />
      )}
      <input
        type="search"
        dir="auto"
        aria-label={t('toolApis.searchBinding')}
        placeholder={t('toolApis.searchBinding')}
        maxLength={200}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Loaded resource={found} lines={3}>
        {(data) => (
          <Choices
            items={choicesOf(kind, second, [chosen.data.value, data])}
            chosen={value?.id}
            onChoose={(id) => onChange({ kind, id })}
          />
        )}
      </Loaded>
      {kind === 'file' && file !== undefined && <Versions file={file} value={value} onChange={onChange} />}
      {props.error !== undefined && (
        <div class="field-error" role="alert">
          {props.error}
        </div>
      )}
      {isUploading ? (
        <Upload
          ownerId={ownerId}
          kind={kind}
          isRaster={isRaster}
          onDone={(id) => {
            setUploading(false)
            found.reload()
            onChange({ kind, id })
          }}
        />
      ) : (
        <div>
          <Button icon="upload" onClick={() => setUploading(true)}>
            {t(kind === 'layer' ? 'toolApis.uploadLayer' : 'toolApis.uploadFile')}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

/** Removes duplicate items. */
function choicesOf(kind: Kind, second: Second, founds: readonly (Found | undefined)[]): Choice[] {
  const items = founds.flatMap((found): Choice[] =>
    kind === 'layer'
      ? (found?.layers ?? []).map((layer) => ({
          id: layer.id,
          name: layer.name,
          fault: layerFault(layer, second),
          note: t('toolApis.features', { count: layer.featureCount }),
        }))
      : (found?.files ?? []).map((file) => ({
          id: file.id,
          name: file.name,
          fault: fileFault(file, second),
          note: t('toolApis.versions', { count: file.versions.length }),
        })),
  )
  return [...new Map(items.map((item) => [item.id, item])).values()]
}

const kindOf = ({ kind }: Binding): Kind => (kind === 'layer' ? 'layer' : 'file')

type Choice = { id: string; name: string; note: string; fault: string | undefined }

function Choices(props: { items: readonly Choice[]; chosen: string | undefined; onChoose: (id: string) => void }) {
  const { items, chosen } = props
  if (items.length === 0) return <p class="weak">{t('toolApis.noneToBind')}</p>
  return (
    <ul class="binding-choices">
      {items.map(({ id, name, note, fault }) => (
        <li key={id}>
          <label class="check">
            <input
              type="radio"
              name="binding"
              checked={id === chosen}
              disabled={fault !== undefined && id !== chosen}
              onChange={() => props.onChoose(id)}
            />
            <bdi class="cut" title={name}>
              {name}
            </bdi>
            <span class="weak">{fault ?? note}</span>
          </label>
        </li>
      ))}
      {items.length >= MAX_SHOWN && <li class="weak">{t('toolApis.searchMore')}</li>}
    </ul>
  )
}

function Versions(props: { file: OwnerFile; value: Binding | undefined; onChange: (binding: Binding) => void }) {
  const { file, value } = props
  const clean = file.versions.filter(({ scanStatus }) => scanStatus === 'clean').map(({ version }) => version)
  return (
    <SelectField
      label={t('toolApis.version')}
      help={t('toolApis.versionHelp')}
      value={value?.kind === 'file-version' ? String(value.version) : ''}
      options={[
        { value: '', label: t('toolApis.newestVersion') },
        ...clean
          .toSorted((a, b) => b - a)
          .map((one) => ({ value: String(one), label: t('toolApis.pinned', { version: one }) })),
      ]}
      onChange={(chosen) =>
        props.onChange(
          chosen === ''
            ? { kind: 'file', id: file.id }
            : { kind: 'file-version', id: file.id, version: Number(chosen) },
        )
      }
    />
  )
}

function Upload(props: { ownerId: string; kind: Kind; isRaster: boolean; onDone: (id: string) => void }) {
  const { ownerId, kind, isRaster } = props
  const [error, setError] = useState<string | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  async function take(file: File): Promise<void> {
    setError(undefined)
    setBusy(true)
    try {
      props.onDone(await (kind === 'layer' ? createLayer(ownerId, file) : createFile(ownerId, file)))
    } catch (failure) {
      setError(failure instanceof ApiError ? failureText(failure) : t('toolApis.notGeojson'))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <DropZone
        label={t(kind === 'layer' ? 'toolApis.chooseGeojson' : 'toolApis.chooseFile')}
        help={t(kind === 'layer' ? 'toolApis.layerFile' : isRaster ? 'toolApis.rasterFile' : 'toolApis.vectorFile')}
        accept={kind === 'layer' ? '.geojson,.json,application/geo+json,application/json' : isRaster ? RASTER : VECTOR}
        maxBytes={LAYER_BYTES}
        onFile={(file) => void take(file)}
      />
      {isBusy && <p role="status">{t('toolApis.uploading')}</p>}
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </>
  )
}

const stemOf = (name: string): string => name.replace(/\.[^.]+$/, '') || name

async function createLayer(ownerId: string, file: File): Promise<string> {
  const geojson: unknown = JSON.parse(await file.text())
  const response = await send(`/manage/v1/owners/${encodeURIComponent(ownerId)}/layers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomId() },
    body: JSON.stringify({ name: stemOf(file.name).slice(0, 200), geojson }),
  })
  return ((await response.json()) as { data: { id: string } }).data.id
}
