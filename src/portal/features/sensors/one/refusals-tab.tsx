/** Why readings or calls of a sensor were refused in the last hour, with the data sent and the remedy. */
import { useEffect } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'
import { t } from '../../../text/text.ts'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { RefusalReason } from './refusal.tsx'
import { loadRefusals } from './refusal-data.ts'
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
              <li key={refusal.reason}>
                <RefusalReason refusal={refusal} sensor={sensor} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}
