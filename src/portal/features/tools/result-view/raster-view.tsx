/** A picture of a raster, with the value under the pointer, and its place on the map. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { formatFigure, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { storedFileAddress } from '../../../ui/download.tsx'
import { Failure, Skeleton } from '../../../ui/states.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import type { MapEngine } from '../../map/engine/engine.ts'
import { MapView } from '../../map/map.tsx'
import type { RasterPicture, Stretch } from '../result/raster.ts'
import type { StoredFile } from './file-kind.ts'
import { Unreadable } from './unreadable.tsx'

const TOO_LARGE = 'TOO_LARGE'
const UNREADABLE = 'UNREADABLE'
type Library = typeof import('../result/raster.ts')

export function RasterView({ file }: { file: StoredFile }) {
  const { data, error, reload } = useResource(
    async (signal) => {
      const library = await import('../result/raster.ts')
      try {
        return { library, raster: await library.readRaster(storedFileAddress(file.key), signal) }
      } catch (failure) {
        if (signal.aborted || !navigator.onLine) throw failure
        throw new ApiError(200, failure instanceof library.TooLargeRaster ? TOO_LARGE : UNREADABLE, '')
      }
    },
    [file.key],
  )
  if (error.value?.code === TOO_LARGE) return <p class="result-note">{t('results.rasterTooLarge')}</p>
  if (error.value?.code === UNREADABLE) return <Unreadable file={file} />
  if (error.value !== undefined) return <Failure error={error.value} onRetry={reload} />
  if (data.value === undefined) return <Skeleton lines={12} />
  return <Raster file={file} {...data.value} />
}

function Raster({ file, raster, library }: { file: StoredFile; raster: RasterPicture; library: Library }) {
  const [stretch, setStretch] = useState<Stretch>('most')
  const [shown, setShown] = useState<'picture' | 'map'>('picture')
  const limits = useMemo(() => library.limitsOf(raster, stretch), [raster, stretch])
  const pixels = useMemo(() => library.pixelsOf(raster, limits), [raster, limits])
  const { corners, crs, fullWidth, fullHeight } = raster
  return (
    <div class="result-raster">
      <div class="row">
        {corners && (
          <Tabs
            label={t('results.view')}
            selected={shown}
            tabs={[
              { id: 'picture', label: t('results.picture') },
              { id: 'map', label: t('results.map') },
            ]}
            onSelect={(id) => setShown(id === 'map' ? 'map' : 'picture')}
          />
        )}
        <span class="weak number">{t('results.pixels', { width: fullWidth, height: fullHeight })}</span>
        {crs !== undefined && <span class="weak number">EPSG:{crs}</span>}
      </div>
      {shown === 'map' && corners ? (
        <RasterOnMap file={file} pixels={pixels} corners={corners} />
      ) : (
        <RasterPixels file={file} raster={raster} pixels={pixels} />
      )}
      {!raster.isColour && <Legend limits={limits} stretch={stretch} onStretch={setStretch} />}
    </div>
  )
}

function RasterPixels({ file, raster, pixels }: { file: StoredFile; raster: RasterPicture; pixels: ImageData }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [at, setAt] = useState<{ x: number; y: number } | undefined>(undefined)
  useEffect(() => canvas.current?.getContext('2d')?.putImageData(pixels, 0, 0), [pixels])
  const { width, height, fullWidth, bands, noData } = raster
  function onMove(event: PointerEvent & { currentTarget: HTMLCanvasElement }): void {
    const box = event.currentTarget.getBoundingClientRect()
    const x = Math.floor(((event.clientX - box.left) / box.width) * width)
    const y = Math.floor(((event.clientY - box.top) / box.height) * height)
    setAt(x >= 0 && y >= 0 && x < width && y < height ? { x, y } : undefined)
  }
  const values = at && bands.map((band) => band[at.y * width + at.x] as number)
  const isEmpty = values?.every((value) => value === noData || Number.isNaN(value))
  const scale = fullWidth / width
  return (
    <>
      <canvas
        ref={canvas}
        class="result-canvas"
        width={width}
        height={height}
        role="img"
        aria-label={t('results.rasterOf', { name: file.filename })}
        onPointerMove={onMove}
        onPointerLeave={() => setAt(undefined)}
      />
      <p class="result-cell number" {...(at !== undefined && { dir: 'ltr' })}>
        {at === undefined
          ? t('results.pointAtCell')
          : `${formatWhole(Math.floor(at.x * scale))}, ${formatWhole(Math.floor(at.y * scale))}: ${
              isEmpty ? t('results.noData') : `${scale > 1 ? '≈ ' : ''}${values?.map(formatFigure).join(', ')}`
            }`}
      </p>
    </>
  )
}

function Legend(props: { limits: [number, number]; stretch: Stretch; onStretch: (stretch: Stretch) => void }) {
  const { limits, stretch, onStretch } = props
  return (
    <div class="result-legend">
      <span class="number" dir="ltr">
        {formatFigure(limits[0])} <span class="result-legend-bar" aria-hidden="true" /> {formatFigure(limits[1])}
      </span>
      <Tabs
        label={t('results.stretch')}
        selected={stretch}
        tabs={[
          { id: 'most', label: t('results.stretchMost') },
          { id: 'all', label: t('results.stretchAll') },
        ]}
        onSelect={(id) => onStretch(id === 'all' ? 'all' : 'most')}
      />
    </div>
  )
}

const SOURCE = 'result-raster'

function RasterOnMap({
  file,
  pixels,
  corners,
}: {
  file: StoredFile
  pixels: ImageData
  corners: NonNullable<RasterPicture['corners']>
}) {
  const [engine, setEngine] = useState<MapEngine | undefined>(undefined)
  useEffect(() => {
    if (engine === undefined) return
    const canvas = document.createElement('canvas')
    canvas.width = pixels.width
    canvas.height = pixels.height
    canvas.getContext('2d')?.putImageData(pixels, 0, 0)
    const { map } = engine
    const coordinates = corners as [[number, number], [number, number], [number, number], [number, number]]
    const add = (): void => {
      if (map.getSource(SOURCE) === undefined)
        map.addSource(SOURCE, { type: 'canvas', canvas, coordinates, animate: false })
      if (map.getLayer(SOURCE) === undefined)
        map.addLayer({ id: SOURCE, type: 'raster', source: SOURCE, paint: { 'raster-fade-duration': 0 } })
    }
    add()
    return () => {
      if (map.getLayer(SOURCE)) map.removeLayer(SOURCE)
      if (map.getSource(SOURCE)) map.removeSource(SOURCE)
    }
  }, [engine, pixels])
  return (
    <div class="result-map">
      <MapView
        label={t('results.mapOf', { name: file.filename })}
        onReady={(map) => {
          setEngine(map)
          const [x, y] = [corners.map(([longitude]) => longitude), corners.map(([, latitude]) => latitude)]
          map.fit([Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)])
          return () => setEngine(undefined)
        }}
      />
    </div>
  )
}
