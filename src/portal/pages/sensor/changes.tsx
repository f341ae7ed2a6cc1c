/** Saving changes of a sensor from any part of its page: messages, and the question when two people edit it. */
import { useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { failureText } from '../../parts/form.ts'
import { notify } from '../../parts/toasts.tsx'
import { t } from '../../text/text.ts'
import { changeSensor, type SensorChange } from './change.ts'
import { type Conflict, ConflictDialog } from './conflict.tsx'
import { loadSensor, type SensorRecord, type Versioned } from './sensor-data.ts'

const CONFLICT = 412

export type Changes = {
  /** Saves. @returns undefined when it failed; the failure is shown, or is in `error` for the fields of a form */
  save(change: SensorChange): Promise<Versioned | undefined>
  error: ApiError | undefined
  /** The question about a conflict, to be placed anywhere. */
  question: preact.ComponentChildren
}

/** @param onTheirs drops what was typed, because the other version was chosen */
export function useChanges(
  { sensor, etag }: Versioned,
  onChange: (next: Versioned) => void,
  onTheirs: () => void = () => undefined,
): Changes {
  const [conflict, setConflict] = useState<Conflict | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)

  async function save(change: SensorChange, version = etag): Promise<Versioned | undefined> {
    setError(undefined)
    try {
      const next = await changeSensor(sensor.id, version, change)
      onChange(next)
      notify(t('sensor.saved'))
      return next
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      if (failure.status === CONFLICT) setConflict({ mine: change, theirs: failure.data as SensorRecord })
      else {
        setError(failure)
        if (failure.faults.length === 0) notify(failureText(failure), { isError: true })
      }
      return undefined
    }
  }
  const current = (): Promise<Versioned> => loadSensor(sensor.id, new AbortController().signal)
  const question = conflict !== undefined && (
    <ConflictDialog
      conflict={conflict}
      onClose={() => setConflict(undefined)}
      onTheirs={async () => {
        onChange(await current())
        onTheirs()
        setConflict(undefined)
      }}
      onMine={async () => {
        const { etag: newest } = await current()
        setConflict(undefined)
        await save(conflict.mine, newest)
      }}
    />
  )
  return { save, error, question }
}
