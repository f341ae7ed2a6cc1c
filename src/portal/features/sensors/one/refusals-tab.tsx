/** Why readings or calls of a sensor were refused in the last hour, with the data sent and the remedy. */
import { useEffect } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'
import { href } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Code } from '../../account/key-box.tsx'
import { FIXES, loadRefusals, type Refusal } from './refusal-data.ts'
import type { SensorRecord } from './sensor-data.ts'

/** Refusals are written every two seconds, and a person who corrects a device watches this list. */
const RELOAD_MS = 5_000

export function RefusalsTab({ sensor }: { sensor: SensorRecord }) {
  const refusals = useResource((signal) => loadRefusals(sensor.id, signal), [sensor.id, language.value])
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) refusals.reload()
    }, RELOAD_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <Loaded resource={refusals}>
      {(items) =>
        items.length === 0 ? (
          <Empty title={t('sensor.nothingRefused')} text={t('sensor.nothingRefusedText')} />
        ) : (
          <ul class="refusals">
            {items.map((refusal) => (
              <Reason key={refusal.reason} refusal={refusal} sensor={sensor} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function Reason({ refusal, sensor }: { refusal: Refusal; sensor: SensorRecord }) {
  const { reason, count, lastAt, example, text } = refusal
  const fix = FIXES[reason]
  const channel = reason === 'SENSOR_READING_UNKNOWN_CHANNEL' ? unknownChannel(example, sensor) : undefined
  return (
    <li>
      <h3>{text}</h3>
      <p class="refusal-facts weak">
        <span class="number">{t('sensor.refusedTimes', { count })}</span>
        <span>
          {t('sensor.lastTime')} <Age at={lastAt} />
        </span>
        <code dir="ltr">{reason}</code>
      </p>
      {fix !== undefined && <p>{t(fix)}</p>}
      {example !== null && (
        <div>
          <h4 class="weak">{t('sensor.wasSent')}</h4>
          <Code text={pretty(example)} />
        </div>
      )}
      {channel !== undefined && may.value.administer && (
        <a class="button" href={href('/sensors/:id', { id: sensor.id }, { tab: 'settings', add: channel })}>
          {t('sensor.addThisChannel', { channel })}
        </a>
      )}
    </li>
  )
}

/** Examples that were cut are not valid JSON. */
function pretty(example: string): string {
  try {
    return JSON.stringify(JSON.parse(example), undefined, 2)
  } catch {
    return example
  }
}

/** The first name in an example that the sensor does not have. */
function unknownChannel(example: string | null, sensor: SensorRecord): string | undefined {
  try {
    const { values } = JSON.parse(example ?? '{}') as { values?: Record<string, unknown> }
    const known = new Set(sensor.channels.filter(({ active }) => active).map(({ name }) => name))
    return Object.keys(values ?? {}).find((name) => !known.has(name))
  } catch {
    // cut at one kilobyte
    return undefined
  }
}
