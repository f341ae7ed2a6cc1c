/** Moves the selected runs into a folder, or out of their folders. */
import { useState } from 'preact/hooks'
import { api } from '../../../api/client.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { attempt } from '../../../ui/failure-text.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { notify } from '../../../ui/toasts.tsx'
import type { ListedRun } from '../result-view/run-data.ts'
import type { Folder } from './folders.ts'

const MAX_NAME = 100
const KNOWN = 'known-folders'

type Props = { runs: readonly ListedRun[]; folders: readonly Folder[]; onDone: () => void }

export function MoveToFolder({ runs, folders, onDone }: Props) {
  const [isOpen, setOpen] = useState(false)
  // a job without a run has no result yet
  const ids = runs.flatMap(({ runId }) => runId ?? [])
  return (
    <>
      <Button icon="folder" disabled={ids.length === 0} onClick={() => setOpen(true)}>
        {t('runs.moveToFolder')}
      </Button>
      {isOpen && (
        <FolderDialog
          ids={ids}
          folders={folders}
          first={runs[0]?.folder ?? ''}
          onClose={(isDone) => {
            setOpen(false)
            if (isDone) onDone()
          }}
        />
      )}
    </>
  )
}

type DialogProps = {
  ids: readonly string[]
  folders: readonly Folder[]
  first: string
  onClose: (isDone: boolean) => void
}

function FolderDialog({ ids, folders, first, onClose }: DialogProps) {
  const [name, setName] = useState(first)
  const [done, setDone] = useState<number | undefined>(undefined)
  async function move(): Promise<void> {
    const folder = name.trim() === '' ? null : name.trim()
    await attempt(async () => {
      for (const [i, id] of ids.entries()) {
        setDone(i)
        await api.PATCH('/enterprise/v1/gis/runs/{id}', { params: { path: { id } }, body: { folder } })
      }
      notify(t(folder === null ? 'runs.takenOut' : 'runs.moved', { count: ids.length, name: folder ?? '' }))
    })
    onClose(true)
  }
  return (
    <Dialog title={t('runs.moveToFolder')} onClose={done === undefined ? () => onClose(false) : undefined}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void move()
        }}
      >
        <TextField
          label={t('runs.folder')}
          help={t('runs.folderHelp')}
          value={name}
          maxLength={MAX_NAME}
          list={KNOWN}
          autoFocus
          onInput={setName}
        />
        <datalist id={KNOWN}>
          {folders.map((folder) => (
            <option key={folder.name} value={folder.name} />
          ))}
        </datalist>
        {done !== undefined && (
          <Progress label={t('runs.moveToFolder')} text={t('runs.moveToFolder')} done={done} total={ids.length} />
        )}
        <div class="dialog-actions">
          <Button disabled={done !== undefined} onClick={() => onClose(false)}>
            {t('frame.cancel')}
          </Button>
          <Button kind="main" type="submit" disabled={done !== undefined}>
            {t('runs.moveToFolder')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
