/** Several sensors in one chart: sensors, channels and range are in the address. */
import { useMemo, useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { loadRecord } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import { addressWith, href, place, queryValue, setQuery } from '../../shell/router.ts'
import { isolated, t } from '../../text/text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Chart } from '../../ui/chart/chart.tsx'
import { chooseRange, rangeOf } from '../../ui/chart/range.ts'
import { RangePicker } from '../../ui/chart/range-picker.tsx'
import { Chips } from '../../ui/chips.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { useComparedSpans } from '../alerts/compared-spans.ts'
import { sensorPath } from '../sensors/one/sensor-data.ts'
import { AddSensors } from './add-sensors.tsx'
import { type ComparedSensor, channelsOf, linesOf, MAX_COMPARED } from './compared.ts'

const NO_MARKS: never[] = []

/** @returns undefined for a sensor that does not exist for this person */
async function loadSensor(id: string, signal: AbortSignal): Promise<ComparedSensor | undefined> {
  try {
    return (await loadRecord<ComparedSensor>(sensorPath(id), signal)).record
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 404) return undefined
    throw failure
  }
}

export function ComparePage() {
  const wanted = queryValue('with') ?? ''
  const ids = useMemo(() => [...new Set(wanted.split(',').filter((id) => id !== ''))], [wanted])
  const [isAdding, setAdding] = useState(false)
  const found = useResource(
    (signal) => Promise.all(ids.slice(0, MAX_COMPARED).map((id) => loadSensor(id, signal))),
    [wanted],
  )
  const choose = (chosen: readonly string[]): void => {
    setAdding(false)
    setQuery({ with: chosen.join(',') }, { push: true })
  }
  return (
    <>
      <PageHead title={t('compare.title')} parent={{ href: href('/sensors'), label: t('sensor.list') }}>
        <Button icon="add" onClick={() => setAdding(true)}>
          {t('compare.add')}
        </Button>
      </PageHead>
      <Loaded resource={found}>
        {(loaded) => {
          const sensors = loaded.filter((sensor) => sensor !== undefined)
          return (
            <>
              {ids.length > MAX_COMPARED && <p role="status">{t('compare.most', { count: MAX_COMPARED })}</p>}
              {sensors.length < loaded.length && (
                <p role="status">{t('compare.missing', { count: loaded.length - sensors.length })}</p>
              )}
              {sensors.length === 0 ? (
                <Empty title={t('compare.none')} text={t('compare.noneText')}>
                  <Button kind="main" icon="add" onClick={() => setAdding(true)}>
                    {t('compare.add')}
                  </Button>
                </Empty>
              ) : (
                <Comparison sensors={sensors} onChoose={choose} />
              )}
              {isAdding && <AddSensors picked={sensors} onChoose={choose} onClose={() => setAdding(false)} />}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function Comparison({ sensors, onChoose }: { sensors: ComparedSensor[]; onChoose: (ids: string[]) => void }) {
  const query = place.value.query.toString()
  const range = useMemo(() => rangeOf(Date.now()), [query])
  const [steps, setSteps] = useState(0)
  const { all, common } = useMemo(() => channelsOf(sensors), [sensors])
  // names may contain commas
  const asked = queryValue('channels')?.split('\n')
  const chosen = asked?.filter((name) => all.includes(name)) ?? common
  const chosenKey = chosen.join('\n')
  const lines = useMemo(() => linesOf(sensors, chosen), [sensors, chosenKey])
  const sensorIds = useMemo(() => sensors.map(({ id }) => id), [sensors])
  const spans = useComparedSpans(sensors, lines, range, query)
  const hide = queryValue('hide') ?? ''
  const hidden = useMemo(() => new Set(hide === '' ? [] : hide.split('\n')), [hide])
  return (
    <div class="stack">
      <ul class="compare-sensors" aria-label={t('compare.sensors')}>
        {sensors.map(({ id, name }, i) => (
          <li key={id} class={`tag series-${(i % 6) + 1}`}>
            <a href={href('/sensors/:id', { id })}>
              <bdi class="cut">{name}</bdi>
            </a>
            <IconButton
              icon="close"
              label={t('compare.remove', { name })}
              onClick={() => onChoose(sensorIds.filter((one) => one !== id))}
            />
          </li>
        ))}
      </ul>
      {all.length > 1 && (
        <Chips
          label={t('compare.channels')}
          chips={all.map((name) => {
            const isOn = chosen.includes(name)
            const next = all.filter((one) => (one === name ? !isOn : chosen.includes(one)))
            return {
              id: name,
              label: <bdi>{name}</bdi>,
              isOn,
              href: addressWith({ channels: next.join('\n') || undefined }),
            }
          })}
        />
      )}
      <RangePicker
        range={range}
        canGoBack={steps > 0}
        onBack={() => {
          setSteps((count) => count - 1)
          history.back()
        }}
        onChange={() => setSteps((count) => count + 1)}
      />
      {lines.length === 0 ? (
        <p class="weak">{t('compare.noChannels')}</p>
      ) : (
        <Chart
          key={sensorIds.join()}
          title={sensors.map(({ name }) => isolated(name)).join(', ')}
          sensorIds={sensorIds}
          channels={lines}
          range={range}
          marks={NO_MARKS}
          spans={spans}
          hidden={hidden}
          onHide={(next) => setQuery({ hide: [...next].join('\n') })}
          onZoom={(fromMs, toMs) => {
            setSteps((count) => count + 1)
            chooseRange(fromMs, toMs, { push: true })
          }}
        />
      )}
    </div>
  )
}
