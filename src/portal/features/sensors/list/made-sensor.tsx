/** A new sensor: its key with commands that work, and its first reading as soon as it has arrived. */
import { useState } from 'preact/hooks'
import { href } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { sensorSnippets } from '../../../ui/snippets.ts'
import { KeyBox } from '../../account/key-box.tsx'
import { useKeyGuard } from '../../account/key-guard.ts'
import { FirstReading } from '../connect/first-reading.tsx'
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
      <FirstReading sensor={made} isNew />
    </div>
  )
}
