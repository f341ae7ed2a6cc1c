/** Asks for the reason of a hold or a suspension, which is shown to the people affected. */
import { useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'

export function ReasonDialog(props: {
  title: string
  text: string
  help: string
  onConfirm: (reason: string) => Promise<unknown>
  onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  async function submit(): Promise<void> {
    setTried(true)
    if (reason.trim() === '' || isBusy) return
    setBusy(true)
    await props.onConfirm(reason.trim()).finally(() => setBusy(false))
  }
  return (
    <FormDialog title={props.title} kind="danger" isBusy={isBusy} onSubmit={submit} onClose={props.onClose}>
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
    </FormDialog>
  )
}
