/** Downloads a layer in a format of choice. */
import { useState } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { warningsInLanguage } from '../../../text/warnings.ts'
import { Button } from '../../../ui/button.tsx'
import { download } from '../../../ui/download.tsx'
import { notifyFailure } from '../../../ui/failure-text.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { notify } from '../../../ui/toasts.tsx'
import type { LayerData } from '../layers/layer-data.ts'

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

type Props = { owner: string; layer: { id: string }; data: LayerData }

export function ExportMenu({ owner, layer, data }: Props) {
  const [making, setMaking] = useState<AbortController | undefined>(undefined)

  async function save(format: Format): Promise<void> {
    if (data.summary.peek()?.hasChanges) notify(t('layers.exportStored'))
    const abort = new AbortController()
    setMaking(abort)
    try {
      const query = new URLSearchParams({ format, ...(format === 'csv' && { escapeFormulas: 'true' }) })
      const path = `/manage/v1/owners/${encodeURIComponent(owner)}/layers/${encodeURIComponent(layer.id)}/export?${query}`
      const headers = await download(path, abort.signal)
      const listIn = (name: string): unknown => JSON.parse(decodeURIComponent(headers.get(name) ?? '%5B%5D'))
      for (const warning of warningsInLanguage(listIn('x-warnings'), listIn('x-warnings-ar'))) notify(warning)
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return
      notifyFailure(error)
    } finally {
      setMaking(undefined)
    }
  }

  if (making !== undefined)
    return (
      <span class="row" role="status">
        <span class="weak">{t('layers.exporting')}</span>
        <Button onClick={() => making.abort()}>{t('frame.cancel')}</Button>
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
      items={FORMATS.map(({ format, name }) => ({ label: name, onSelect: () => void save(format) }))}
    />
  )
}
