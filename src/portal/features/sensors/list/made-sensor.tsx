/** A new sensor: its key with commands that work, and a note as soon as the first reading has arrived. */
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { useLive } from '../../../live.ts'
import { now } from '../../../shell/clock.ts'
import { language } from '../../../shell/preferences.ts'
import { href } from '../../../shell/router.ts'
import { formatAge } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { sensorSnippets } from '../../../ui/snippets.ts'
import { KeyBox } from '../../account/key-box.tsx'
import { useKeyGuard } from '../../account/key-guard.ts'
import type { Made } from './sensor-form.tsx'

export function MadeSensor({ made, onAnother }: { made: Made; onAnother: () => void }) {
  const [isSaved, setSaved] = useState(false)
  useKeyGuard(!isSaved)
  return (
    <div class="made-sensor">
      {isSaved ? (
        <div class="row">
          <a class="button button-main" href={href('/sensors/:id', { id: made.id })}>
            {t('sensorForm.openSensor')}
          </a>
          <Button icon="add" onClick={onAnother}>
            {t('sensorForm.another')}
          </Button>
        </div>
      ) : (
        <KeyBox
          title={t('sensorForm.keyTitle')}
          secret={made.key}
          snippets={sensorSnippets(made.id, made.key, made.channels)}
          onSaved={() => setSaved(true)}
        />
      )}
      <FirstReading id={made.id} />
    </div>
  )
}

const POLL_MS = 2_500

type Refusal = { reason: string; message: string; messageAr: string }

function FirstReading({ id }: { id: string }) {
  /** When it arrived here, in milliseconds since 1970. */
  const [arrivedMs, setArrivedMs] = useState<number | undefined>(undefined)
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined)
  const arrived = (): void => setArrivedMs((before) => before ?? Date.now())

  useLive({ sensors: [id], onReadings: arrived }, [id])
  useEffect(() => {
    if (arrivedMs !== undefined) return
    const abort = new AbortController()
    const timer = setInterval(() => {
      if (!document.hidden) void look(abort.signal)
    }, POLL_MS)
    async function look(signal: AbortSignal): Promise<void> {
      try {
        const path = { params: { path: { id } }, signal }
        const [latest, refused] = await Promise.all([
          dataOf(api.GET('/enterprise/v1/assets/sensors/{id}/latest', path)),
          dataOf(api.GET('/enterprise/v1/assets/sensors/{id}/refusals', path)),
        ])
        if (signal.aborted) return
        if (latest.at !== null) arrived()
        setRefusal(refused.items[0])
      } catch {
        // the next poll comes soon; the frame reports a lost connection
      }
    }
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [id, arrivedMs !== undefined])

  if (arrivedMs !== undefined)
    return (
      <p class="first-reading first-reading-here" role="status">
        <Icon name="check" />
        <span>{t('sensorForm.arrived', { age: formatAge(arrivedMs, now.value) })}</span>
        <a href={href('/sensors/:id', { id }, { range: '1h' })}>{t('sensorForm.openChart')}</a>
      </p>
    )
  if (refusal !== undefined)
    return (
      <p class="first-reading first-reading-refused" role="status">
        <Icon name="alert" />
        <span>
          {t('sensorForm.refused')} {language.value === 'ar' ? refusal.messageAr : refusal.message}
        </span>
      </p>
    )
  return (
    <p class="first-reading" role="status">
      {t('sensorForm.waiting')}
    </p>
  )
}
