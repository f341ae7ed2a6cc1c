/** Asks for the reason of a hold, which those who are affected see. */
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { t } from '../../text/text.ts'

export function ReasonDialog(props: {
  title: string
  text: string
  help: string
  onHold: (reason: string) => Promise<unknown>
  onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    setTried(true)
    if (reason.trim() === '' || isBusy) return
    setBusy(true)
    await props.onHold(reason.trim()).finally(() => setBusy(false))
  }
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <p>{props.text}</p>
        <TextField
          label={t('operator.enterprise.reason')}
          help={props.help}
          value={reason}
          maxLength={1000}
          autoFocus
          onInput={setReason}
          error={isTried && reason.trim() === '' ? t('operator.enterprise.reasonNeeded') : undefined}
        />
        <div class="dialog-actions">
          <Button onClick={props.onClose}>{t('frame.cancel')}</Button>
          <Button kind="danger" type="submit" isBusy={isBusy}>
            {props.title}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
