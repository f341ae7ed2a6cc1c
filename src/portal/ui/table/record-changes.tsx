/** Saving changes of a record from any part of its page: messages, and the question when two people edit it. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { changeRecord, loadRecord, type Versioned } from '../../api/record.ts'
import { t } from '../../text/text.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { notifyFailure } from '../failure-text.tsx'
import { PlainTable } from '../plain-table.tsx'
import { notify } from '../toasts.tsx'

const CONFLICT = 412
/** The last change sent from this page for each record, by its address. */
const underWay = new Map<string, Promise<unknown>>()

export type RecordChanges<T, Change = Partial<T>> = {
  /**
   * @param etag of the version that the change was made from, if a newer one may have been loaded since
   * @returns undefined when it failed; the failure is shown, or is in `error` for the fields of a form
   */
  save(change: Change, etag?: string): Promise<Versioned<T> | undefined>
  error: ApiError | undefined
  /** The question about a conflict, to be placed anywhere. */
  question: ComponentChildren
}

/** The page's texts about its record. */
export type RecordWords<T, Change = Partial<T>> = {
  /** A field in words, and its value as people read it. */
  labelOf: (field: keyof Change & string) => string
  textOf: (field: keyof Change & string, version: T | Change) => string
  saved?: string
  conflictTitle?: string
  conflict?: string
}

type Options<T, Change> = RecordWords<T, Change> & {
  path: string
  version: Versioned<T>
  onChange: (next: Versioned<T>) => void
  /** Drops the typed values when the other version was chosen. */
  onTheirs?: () => void
  /** After a change was saved, also one that was chosen in a conflict. */
  onSaved?: (change: Change) => void
}

export function useRecordChanges<T extends object, Change extends object = Partial<T>>(
  options: Options<T, Change>,
): RecordChanges<T, Change> {
  const { path, version, onChange } = options
  const [conflict, setConflict] = useState<{ mine: Change; theirs: T } | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)

  const newest = useRef(version)
  newest.current = version

  /**
   * The person's own changes are serialised, so that the second one does not conflict with the first, whose answer is
   * pending.
   */
  function save(change: Change, etag?: string): Promise<Versioned<T> | undefined> {
    const before = underWay.get(path)
    const saving =
      before === undefined
        ? saveNow(change, etag)
        : // once the page is drawn with the answer
          before
            .catch(() => undefined)
            .then(() => new Promise((drawn) => setTimeout(drawn)))
            .then(() => saveNow(change, etag))
    underWay.set(path, saving)
    const end = (): void => {
      if (underWay.get(path) === saving) underWay.delete(path)
    }
    saving.then(end, end)
    return saving
  }
  async function saveNow(change: Change, etag = newest.current.etag): Promise<Versioned<T> | undefined> {
    setError(undefined)
    try {
      const next = await changeRecord<T>(path, etag, change)
      onChange(next)
      options.onSaved?.(change)
      notify(options.saved ?? t('record.saved'))
      return next
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      if (failure.status === CONFLICT) setConflict({ mine: change, theirs: failure.data as T })
      else {
        setError(failure)
        if (failure.faults.length === 0) notifyFailure(failure)
      }
      return undefined
    }
  }

  const question = conflict !== undefined && (
    <Dialog title={options.conflictTitle ?? t('record.conflictTitle')} onClose={() => setConflict(undefined)} isWide>
      <p>{options.conflict ?? t('record.conflict')}</p>
      <BothVersions {...conflict} words={options} />
      <div class="dialog-actions">
        <Button
          onClick={async () => {
            onChange(await loadRecord<T>(path))
            options.onTheirs?.()
            setConflict(undefined)
          }}
        >
          {t('record.takeTheirs')}
        </Button>
        <Button
          kind="main"
          onClick={async () => {
            const { etag } = await loadRecord<T>(path)
            setConflict(undefined)
            await save(conflict.mine, etag)
          }}
        >
          {t('record.takeMine')}
        </Button>
      </div>
    </Dialog>
  )
  return { save, error, question }
}

function BothVersions<T, Change extends object>(props: { mine: Change; theirs: T; words: RecordWords<T, Change> }) {
  const { mine, theirs, words } = props
  const sent = (Object.keys(mine) as (keyof Change & string)[])
    .filter((field) => mine[field] !== undefined)
    .map((field) => ({ field, mine: words.textOf(field, mine), theirs: words.textOf(field, theirs) }))
  const different = sent.filter((one) => one.mine !== one.theirs)
  return (
    <PlainTable
      label={t('record.conflictTitle')}
      rows={different.length > 0 ? different : sent}
      keyOf={({ field }) => field}
      columns={[
        [t('record.field'), ({ field }) => words.labelOf(field), { isName: true }],
        [t('record.theirs'), (one) => <bdi>{one.theirs}</bdi>, { kind: 'wraps' }],
        [t('record.mine'), (one) => <bdi>{one.mine}</bdi>, { kind: 'wraps' }],
      ]}
    />
  )
}
