/** The dialog that adds a key: its name, and when it ends. */
import { send } from '../../api/client.ts'
import { zone } from '../../shell/preferences.ts'
import { t } from '../../text/text.ts'
import { inputMs } from '../../ui/chart/range.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { FormFailure } from '../../ui/failure-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { useDraft } from '../../ui/form.ts'

export function AddKey<Made>(props: {
  /** Address of the keys, such as `/manage/v1/sensors/sen_1/keys`. */
  address: string
  title: string
  action: string
  text?: string
  nameHelp: string
  isNameRequired?: boolean
  /** The key to be replaced, whose name is suggested. */
  replaced?: { id: string; name: string }
  onClose: () => void
  onMade: (made: Made) => void
}) {
  const { address, replaced } = props
  const draft = useDraft(`key.${address}.${replaced?.id ?? ''}`, { name: replaced?.name ?? '', expires: '' })
  async function submit(): Promise<void> {
    const made = await draft.submit(async (values, idempotencyKey) => {
      const response = await send(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({
          ...(values.name.trim() !== '' && { name: values.name.trim() }),
          ...(values.expires !== '' && {
            expiresAt: new Date(inputMs(values.expires, zone.value === 'utc')).toISOString(),
          }),
        }),
      })
      return ((await response.json()) as { data: Made }).data
    })
    if (made !== undefined) props.onMade(made)
  }
  return (
    <FormDialog title={props.title} action={props.action} onSubmit={submit} onClose={props.onClose}>
      {props.text !== undefined && <p>{props.text}</p>}
      <TextField
        label={t('keys.name')}
        help={props.nameHelp}
        required={props.isNameRequired === true}
        maxLength={200}
        autoFocus
        {...draft.field('name')}
      />
      <TextField
        label={t('keys.expires')}
        help={t('keys.expiresHelp')}
        type="datetime-local"
        dir="ltr"
        {...draft.field('expires')}
        error={draft.errorAt('expiresAt')}
      />
      <FormFailure error={draft.error.value} />
    </FormDialog>
  )
}
