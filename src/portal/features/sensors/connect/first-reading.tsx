/** Waits for a reading of a sensor: says why one was refused, and draws those that arrive. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { usePolled } from '../../../api/polled.ts'
import { useLive } from '../../../live.ts'
import { now } from '../../../shell/clock.ts'
import { language } from '../../../shell/preferences.ts'
import { href } from '../../../shell/router.ts'
import { formatAge } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { Chart, type Mark } from '../../../ui/chart/chart.tsx'
import type { ChartChannel } from '../../../ui/chart/chart-data.ts'
import type { Range } from '../../../ui/chart/range.ts'
import { Icon } from '../../../ui/icon.tsx'
import { RefusalReason } from '../one/refusal.tsx'
import { loadRefusals } from '../one/refusal-data.ts'
import { loadLatest, merged } from '../one/sensor-data.ts'

const POLL_MS = 2_500
const HOUR_MS = 3_600_000
const NO_MARKS: readonly Mark[] = []

type WaitingSensor = {
  id: string
  name: string
  channels: readonly (Pick<ChartChannel, 'name' | 'unit' | 'measurement'> & { active: boolean })[]
}

/** @param isNew the sensor has no earlier readings */
export function FirstReading({ sensor, isNew = false }: { sensor: WaitingSensor; isNew?: boolean }) {
  const { id } = sensor
  const latest = usePolled((signal) => loadLatest(id, signal), [id], POLL_MS)
  const refusals = usePolled((signal) => loadRefusals(id, signal), [id, language.value], POLL_MS)
  /** When a reading arrived here, in milliseconds since 1970. */
  const [arrivedMs, setArrivedMs] = useState<number | undefined>(undefined)
  const arrived = (): void => setArrivedMs((before) => before ?? Date.now())
  useLive(
    {
      sensors: [id],
      onReadings: (readings) => {
        latest.data.value = merged(latest.data.peek(), readings)
        arrived()
      },
    },
    [id],
  )
  // what was there before the page was opened is not what a person waits for
  const before = useRef<string | null | undefined>(isNew ? null : undefined)
  const newestAt = latest.data.value?.at
  useEffect(() => {
    if (newestAt === undefined) return
    if (before.current === undefined) before.current = newestAt
    else if (newestAt !== before.current) arrived()
  }, [newestAt])

  const refusal = refusals.data.value?.[0]
  return (
    <>
      {arrivedMs !== undefined ? (
        <p class="first-reading first-reading-here" role="status">
          <Icon name="check" />
          <span>{t(isNew ? 'sensorForm.arrived' : 'connect.arrived', { age: formatAge(arrivedMs, now.value) })}</span>
          <a href={href('/sensors/:id', { id }, { range: '1h' })}>{t('sensorForm.openChart')}</a>
        </p>
      ) : refusal !== undefined ? (
        <div class="first-reading first-reading-refused" role="status">
          <Icon name="alert" />
          <strong>{t('sensorForm.refused')}</strong>
          <div class="first-reading-reason">
            <RefusalReason refusal={refusal} sensor={sensor} isBeside />
          </div>
        </div>
      ) : (
        <p class="first-reading" role="status">
          {t(isNew ? 'sensorForm.waiting' : 'connect.waiting')}
          {newestAt && (
            <span>
              {t('connect.newest')} <Age at={newestAt} />
            </span>
          )}
        </p>
      )}
      {newestAt && <ReadingChart sensor={sensor} newestAt={newestAt} />}
    </>
  )
}

function ReadingChart({ sensor, newestAt }: { sensor: WaitingSensor; newestAt: string }) {
  const [chosen, setChosen] = useState<Range | undefined>(undefined)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const ids = useMemo(() => [sensor.id], [sensor.id])
  const channels = useMemo(() => sensor.channels.filter(({ active }) => active), [sensor.channels])
  // a reading of now comes into a chart that moves; a file may have readings of any time
  const isRecent = Date.parse(newestAt) > now.value - HOUR_MS
  const shown = useMemo(() => rangeAround(Date.parse(newestAt), isRecent), [isRecent || newestAt])
  return (
    <Chart
      title={sensor.name}
      sensorIds={ids}
      channels={channels}
      range={chosen ?? shown}
      marks={NO_MARKS}
      hidden={hidden}
      newestAt={newestAt}
      onHide={setHidden}
      onZoom={(fromMs, toMs) => setChosen({ fromMs, toMs, preset: undefined })}
    />
  )
}

function rangeAround(atMs: number, isRecent: boolean): Range {
  const nowMs = Date.now()
  if (isRecent) return { fromMs: nowMs - HOUR_MS, toMs: nowMs, preset: '1h' }
  return { fromMs: atMs - HOUR_MS / 2, toMs: atMs + HOUR_MS / 2, preset: undefined }
}
