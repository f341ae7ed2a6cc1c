/** Features on a map with their attributes in a table; the two select each other. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { queryValue, setQuery } from '../../../shell/router.ts'
import { formatBytes, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { DownloadButton, storedFileAddress } from '../../../ui/download.tsx'
import { Switch } from '../../../ui/field.tsx'
import { Failure, Skeleton } from '../../../ui/states.tsx'
import { Figure } from '../../../ui/table/figure.tsx'
import { Table } from '../../../ui/table/table.tsx'
import { useRows } from '../../../ui/table/table-rows.ts'
import { type Column, tableView } from '../../../ui/table/table-view.ts'
import type { MapEngine } from '../../map/engine/engine.ts'
import type { ResultLayers } from '../../map/engine/result-layers.ts'
import { MapView } from '../../map/map.tsx'
import type { ValueClass } from '../result/classes.ts'
import { openFeatures } from '../result/features.ts'
import { type FeatureRow, type FeatureSummary, UNREADABLE } from '../result/features-protocol.ts'
import { ASK_FROM_BYTES, kindOf, MAX_TEXT_BYTES, type StoredFile } from './file-kind.ts'
import { CLASS_COLOURS, coloursFor, MapOptions } from './map-options.tsx'
import { Unreadable } from './unreadable.tsx'

const SHOWN_FIELDS = 12
const COLUMN_PX = 140

export function FeatureView({ file, input }: { file: StoredFile; input: StoredFile | undefined }) {
  const [isAgreed, setAgreed] = useState(file.bytes < ASK_FROM_BYTES)
  if (isAgreed) return <OpenFeatures key={file.key} file={file} input={input} />
  return (
    <p class="result-note">
      {t('results.large', { size: formatBytes(file.bytes) })}{' '}
      {file.bytes > MAX_TEXT_BYTES ? (
        <DownloadButton address={storedFileAddress(file.key)} />
      ) : (
        <Button onClick={() => setAgreed(true)}>{t('results.showAnyway')}</Button>
      )}
    </p>
  )
}

const NOTHING: FeatureSummary = { count: 0, empty: 0, outside: 0, kinds: {}, fields: [], box: undefined }

/** One worker reads the file, for the table and for pictures on the map. */
function OpenFeatures({ file, input }: { file: StoredFile; input: StoredFile | undefined }) {
  const address = storedFileAddress(file.key)
  const features = useMemo(() => openFeatures(address), [])
  useEffect(() => features.end, [features])
  const { data, error, reload } = useResource(() => features.load(address), [address])
  const isLoaded = data.value !== undefined
  const summary = data.value ?? NOTHING
  const view = tableView(columnsOf(summary), { prefix: 'feature' })
  const sorting =
    view.sort === undefined ? undefined : { field: Number(view.sort), order: view.order ?? ('asc' as const) }
  const rows = useRows<FeatureRow>(
    async ({ offset, limit }) => {
      if (!isLoaded) return { items: [], total: 0, nextCursor: null }
      const items = await features.rows(offset, limit, sorting)
      const end = offset + items.length
      return { items, total: summary.count, nextCursor: end < summary.count ? String(end) : null }
    },
    [address, view.sort, view.order, isLoaded],
  )
  const engine = useRef<MapEngine | undefined>(undefined)
  const layers = useRef<ResultLayers | undefined>(undefined)
  const [isReading, setReading] = useState(false)
  const [isDrawn, setDrawn] = useState(false)
  const [feature, setFeature] = useState<{ row: number; feature: FeatureRow } | undefined>(undefined)
  const below = input !== undefined && kindOf(input) === 'features' ? storedFileAddress(input.key) : undefined
  const isInputShown = queryValue('input') === 'shown'
  const chosen = queryValue('feature')

  useEffect(() => {
    const index = chosen === undefined ? Number.NaN : Number(chosen)
    if (!(Number.isInteger(index) && index >= 0 && index < summary.count)) {
      setFeature(undefined)
      layers.current?.select(null)
      return
    }
    let isOld = false
    features.place(index, sorting).then(
      ({ row, box, feature: found, geometry }) => {
        if (isOld) return
        setFeature({ row, feature: found })
        rows.shown.value = row
        layers.current?.select(geometry)
        if (box !== undefined) showBox(engine.current, box)
      },
      // the worker ended with its page
      () => undefined,
    )
    return () => {
      isOld = true
    }
  }, [chosen, isLoaded, isDrawn, view.sort, view.order])

  function ready(map: MapEngine): () => void {
    engine.current = map
    let isGone = false
    void import('../../map/engine/result-layers.ts').then(({ addResult }) => {
      if (isGone) return
      layers.current = addResult(map, features.picture)
      setReading(true)
    })
    return () => {
      isGone = true
      layers.current?.remove()
      layers.current = undefined
      engine.current = undefined
      setReading(false)
      setDrawn(false)
    }
  }

  useEffect(() => {
    const added = layers.current
    if (!isLoaded || added === undefined) return
    let isGone = false
    // before the features are drawn, which would otherwise be shown on the whole world first
    if (summary.box !== undefined) engine.current?.fit(summary.box)
    added.setInput(isInputShown ? below : undefined)
    void added.show().then(() => {
      if (!isGone) setDrawn(true)
    })
    return () => {
      isGone = true
    }
  }, [isLoaded, isReading])

  const select = (index: number | undefined): void =>
    setQuery({ feature: index === undefined ? undefined : String(index) })
  async function touch(place: { longitude: number; latitude: number }): Promise<void> {
    if (layers.current === undefined || !isLoaded) return
    try {
      select(await features.at(layers.current.touch(place)))
    } catch {
      // the worker ended with its page
    }
  }
  const coloured = summary.fields.findIndex(({ name, isNumber }) => isNumber && name === queryValue('colour'))
  const [classes, setClasses] = useState<ValueClass[]>([])
  useEffect(() => {
    if (!isLoaded || !isReading) return
    let isOld = false
    features.classify(coloured < 0 ? undefined : coloured, CLASS_COLOURS.length).then(
      (found) => {
        if (isOld) return
        setClasses(found)
        layers.current?.setColours(found.length === 0 ? undefined : coloursFor(found.length))
      },
      // the worker ended with its page
      () => undefined,
    )
    return () => {
      isOld = true
    }
  }, [coloured, isLoaded, isReading])
  const canDraw = !isLoaded || summary.box !== undefined
  if (error.value?.code === UNREADABLE) return <Unreadable file={file} />
  if (error.value !== undefined && !isLoaded) return <Failure error={error.value} onRetry={reload} />
  return (
    <div class="result-features" data-drawn={isDrawn}>
      <Notes summary={summary} />
      {isLoaded && canDraw && (
        <MapOptions
          name={file.filename}
          summary={summary}
          field={coloured}
          classes={classes}
          map={() => engine.current}
        />
      )}
      {canDraw && (
        <div class="result-map">
          <MapView
            label={t('results.mapOf', { name: file.filename })}
            onReady={ready}
            onClick={(_, place) => void touch(place)}
          >
            {feature !== undefined && (
              <FeaturePanel feature={feature.feature} summary={summary} onClose={() => select(undefined)} />
            )}
            {below !== undefined && (
              <div class="result-map-options">
                <Switch
                  label={t('results.inputBeneath')}
                  isOn={isInputShown}
                  onChange={(isShown) => {
                    setQuery({ input: isShown ? 'shown' : undefined })
                    layers.current?.setInput(isShown ? below : undefined)
                  }}
                />
              </div>
            )}
          </MapView>
        </div>
      )}
      {!isLoaded && <Skeleton lines={12} />}
      {isLoaded && (
        <Table
          label={t('results.attributesOf', { name: file.filename })}
          view={view}
          rows={rows}
          rowId={({ index }) => String(index)}
          open={({ index }) =>
            () =>
              select(chosen === String(index) ? undefined : index)
            }
          marked={feature?.row}
          countText={(count) => t('results.features', { count })}
          empty={<p>{t('results.noFeatures')}</p>}
          fileName={file.filename.replace(/\.\w+$/, '')}
        />
      )}
    </div>
  )
}

/** A single point has no extent; the map keeps its zoom then. */
function showBox(engine: MapEngine | undefined, box: [number, number, number, number]): void {
  const bounds = engine?.map.getBounds()
  const [west, south, east, north] = box
  const isInView =
    bounds !== undefined &&
    west >= bounds.getWest() &&
    east <= bounds.getEast() &&
    south >= bounds.getSouth() &&
    north <= bounds.getNorth()
  if (!isInView) engine?.fit(box)
}

function columnsOf({ fields, kinds }: FeatureSummary): Column<FeatureRow>[] {
  const isMixed = Object.keys(kinds).length > 1
  return [
    {
      id: 'n',
      title: '#',
      width: 72,
      isNumber: true,
      isMain: true,
      cell: ({ index }) => formatWhole(index + 1),
      csv: ({ index }) => index + 1,
    },
    {
      id: 'geometry',
      title: t('results.geometry'),
      width: 120,
      ...(!isMixed && { isExtra: true as const }),
      cell: ({ kind }) => t(`results.kinds.${kind}`),
      csv: ({ kind }) => kind,
    },
    ...fields.map(
      ({ name, isNumber }, i): Column<FeatureRow> => ({
        id: `f${i}`,
        title: name,
        width: COLUMN_PX,
        ...(!isNumber && { grow: 1 }),
        isNumber,
        sort: { by: String(i), first: 'asc' },
        ...(i >= SHOWN_FIELDS && { isExtra: true as const }),
        cell: ({ values: { [i]: value = null } }) =>
          // an id or a year is not formatted as a quantity
          typeof value === 'number' ? <Figure value={value} /> : <ValueText value={value} />,
        csv: ({ values }) => values[i] ?? null,
      }),
    ),
  ]
}

function ValueText({ value }: { value: FeatureRow['values'][number] }) {
  if (value === null) return <span class="weak">–</span>
  if (typeof value === 'string') return <bdi class="cut">{value}</bdi>
  // as in the file
  return (
    <span class="number" dir="ltr">
      {String(value)}
    </span>
  )
}

function Notes({ summary: { empty, outside } }: { summary: FeatureSummary }) {
  if (empty === 0 && outside === 0) return null
  return (
    <div class="result-note" role="note">
      {empty > 0 && <p>{t('results.emptyGeometries', { count: empty })}</p>}
      {outside > 0 && <p>{t('results.outsideEarth', { count: outside })}</p>}
    </div>
  )
}

function FeaturePanel(props: { feature: FeatureRow; summary: FeatureSummary; onClose: () => void }) {
  const { feature, summary } = props
  const number = feature.index + 1
  return (
    <section class="result-feature" aria-label={t('results.featureNumber', { number })}>
      <header>
        <h3>{t('results.featureNumber', { number })}</h3>
        <IconButton icon="close" label={t('frame.close')} onClick={props.onClose} />
      </header>
      <dl>
        <dt>{t('results.geometry')}</dt>
        <dd>{t(`results.kinds.${feature.kind}`)}</dd>
        {summary.fields.map(({ name }, i) => (
          <>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <ValueText value={feature.values[i] ?? null} />
            </dd>
          </>
        ))}
      </dl>
    </section>
  )
}
