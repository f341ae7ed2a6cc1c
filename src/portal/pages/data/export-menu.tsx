/** Downloads a layer in a format of choice. */
import { useRef, useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import type { LayerData } from '../../layers/layer-data.ts'
import { Button } from '../../parts/button.tsx'
import { notifyFailure } from '../../parts/failure-text.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { notify } from '../../parts/toasts.tsx'
import { formatBytes } from '../../text/format.ts'
import { t } from '../../text/text.ts'

const FORMATS = [
  { format: 'geojson', name: 'GeoJSON' },
  { format: 'gpkg', name: 'GeoPackage' },
  { format: 'shp', name: 'Shapefile (ZIP)' },
  { format: 'kml', name: 'KML' },
  { format: 'gml', name: 'GML (ZIP)' },
  { format: 'fgb', name: 'FlatGeobuf' },
  { format: 'parquet', name: 'GeoParquet' },
  { format: 'csv', name: 'CSV' },
] as const
type Format = (typeof FORMATS)[number]['format']

type Props = { owner: string; layer: { id: string; name: string }; data: LayerData }

export function ExportMenu({ owner, layer, data }: Props) {
  const [state, setState] = useState<{ done: number } | undefined>(undefined)
  const abort = useRef(new AbortController())

  async function download(format: Format): Promise<void> {
    if (data.summary.peek()?.hasChanges) notify(t('layers.exportStored'))
    abort.current = new AbortController()
    setState({ done: 0 })
    try {
      const query = new URLSearchParams({ format, ...(format === 'csv' && { escapeFormulas: 'true' }) })
      const path = `/manage/v1/owners/${encodeURIComponent(owner)}/layers/${encodeURIComponent(layer.id)}/export?${query}`
      const response = await send(path, { signal: abort.current.signal })
      const chunks: Uint8Array<ArrayBuffer>[] = []
      let done = 0
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
        chunks.push(chunk)
        done += chunk.length
        setState({ done })
      }
      const name = decodeURIComponent(response.headers.get('x-output-filename') ?? `${layer.name}.${format}`)
      saveFile(name, new Blob(chunks, { type: response.headers.get('content-type') ?? '' }))
      const warnings = JSON.parse(decodeURIComponent(response.headers.get('x-warnings') ?? '%5B%5D')) as string[]
      for (const warning of warnings) notify(warning)
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return
      notifyFailure(error)
    } finally {
      setState(undefined)
    }
  }

  if (state !== undefined)
    return (
      <span class="row" role="status">
        <span class="weak number">
          {state.done === 0 ? t('layers.exporting') : t('layers.exported', { size: formatBytes(state.done) })}
        </span>
        <Button onClick={() => abort.current.abort()}>{t('frame.cancel')}</Button>
      </span>
    )
  return (
    <Menu
      label={t('layers.download')}
      button={
        <>
          <Icon name="download" />
          <span>{t('layers.download')}</span>
          <Icon name="down" />
        </>
      }
      items={FORMATS.map(({ format, name }) => ({ label: name, onSelect: () => void download(format) }))}
    />
  )
}
