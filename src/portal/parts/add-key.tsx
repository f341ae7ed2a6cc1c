/** The dialog that adds a key: its name, and when it ends. */
import { send } from '../api/client.ts'
import { zone } from '../preferences.ts'
import { t } from '../text/text.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FormFailure } from './failure-text.tsx'
import { TextField } from './field.tsx'
import { useDraft } from './form.ts'
import { inputMs } from './range.ts'

export function AddKey<Made>(props: {
  /** Address of what gets the key, such as `/manage/v1/sensors/sen_1`. */
  address: string
  title: string
  action: string
  text?: string
  nameHelp: string
  /** The key whose place it takes, and whose name is suggested. */
  replaced?: { id: string; name: string }
  onClose: () => void
  onMade: (made: Made) => void
}) {
  const { address, replaced } = props
  const draft = useDraft(`key.${address}.${replaced?.id ?? ''}`, { name: replaced?.name ?? '', expires: '' })
  const { name, expires } = draft.values.value
  const { error } = draft
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const made = await draft.submit(async (values, idempotencyKey) => {
      const response = await send(`${address}/keys`, {
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
    <Dialog title={props.title} onClose={props.onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {props.text !== undefined && <p>{props.text}</p>}
        <TextField
          label={t('keys.name')}
          help={props.nameHelp}
          value={name}
          maxLength={200}
          autoFocus
          onInput={(value) => draft.set('name', value)}
          error={draft.errorAt('name')}
        />
        <TextField
          label={t('keys.expires')}
          help={t('keys.expiresHelp')}
          type="datetime-local"
          dir="ltr"
          value={expires}
          onInput={(value) => draft.set('expires', value)}
          error={draft.errorAt('expiresAt')}
        />
        <FormFailure error={error.value} />
        <div class="dialog-actions">
          <Button onClick={props.onClose}>{t('frame.cancel')}</Button>
          <Button kind="main" type="submit">
            {props.action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
