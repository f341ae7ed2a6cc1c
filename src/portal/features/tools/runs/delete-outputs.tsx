/** Deletes the stored results of the selected runs; the runs stay in the list. */
import { useState } from 'preact/hooks'
import { ApiError, api } from '../../../api/client.ts'
import { formatBytes } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { notifyFailure } from '../../../ui/failure-text.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { notify } from '../../../ui/toasts.tsx'
import type { ListedRun } from '../result-view/run-data.ts'

export function DeleteOutputs({ runs, onDone }: { runs: readonly ListedRun[]; onDone: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const files = runs.flatMap(({ artifacts }) => artifacts)
  return (
    <>
      <Button kind="danger" icon="remove" disabled={files.length === 0} onClick={() => setOpen(true)}>
        {t('runs.deleteOutputs')}
      </Button>
      {isOpen && (
        <DeleteDialog
          files={files}
          onClose={(isDone) => {
            setOpen(false)
            if (isDone) onDone()
          }}
        />
      )}
    </>
  )
}

type Props = { files: readonly { key: string; bytes: number }[]; onClose: (isDone: boolean) => void }

function DeleteDialog({ files, onClose }: Props) {
  const [done, setDone] = useState<number | undefined>(undefined)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  async function remove(): Promise<void> {
    let failure: unknown
    for (const [i, { key }] of files.entries()) {
      setDone(i)
      try {
        await api.DELETE('/enterprise/v1/gis/files/{key}', { params: { path: { key } } })
      } catch (error) {
        // somebody else deleted it first
        if (!(error instanceof ApiError && error.status === 404)) failure = error
      }
    }
    if (failure === undefined) notify(t('runs.deleted', { count: files.length }))
    else notifyFailure(failure)
    onClose(true)
  }
  return (
    <Dialog title={t('runs.deleteOutputs')} onClose={done === undefined ? () => onClose(false) : undefined}>
      <p>{t('runs.deleteQuestion', { count: files.length, size: formatBytes(bytes) })}</p>
      {done !== undefined && (
        <Progress
          label={t('runs.deleteOutputs')}
          done={done}
          total={files.length}
          text={t('runs.filesLeft', { count: files.length - done })}
        />
      )}
      <div class="dialog-actions">
        <Button disabled={done !== undefined} onClick={() => onClose(false)}>
          {t('frame.cancel')}
        </Button>
        <Button kind="danger" onClick={remove}>
          {t('runs.deleteFiles', { count: files.length })}
        </Button>
      </div>
    </Dialog>
  )
}
