/** A name that is edited in place. Enter saves, Escape restores the old one; a refused name stays in the field. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../text/text.ts'
import { Button, IconButton } from './button.tsx'

const MAX_CHARACTERS = 200

export function EditableName(props: {
  value: string
  label: string
  action: string
  /** @returns whether it was saved; otherwise the name stays in the field */
  onSave: (value: string) => Promise<boolean>
  /** Why the last name was refused. */
  error: string | undefined
}) {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const input = useRef<HTMLInputElement>(null)
  const isEditing = typed !== undefined
  // before the first key press, whose character would be selected too
  useLayoutEffect(() => input.current?.select(), [isEditing])

  function close(): void {
    setTyped(undefined)
  }
  async function save(): Promise<void> {
    const name = (typed ?? '').trim()
    if (name === props.value) return close()
    if (await props.onSave(name)) close()
    else input.current?.focus()
  }

  if (typed === undefined)
    return (
      <span class="editable">
        <h1>
          <bdi>{props.value}</bdi>
        </h1>
        <IconButton icon="edit" label={props.action} onClick={() => setTyped(props.value)} />
      </span>
    )
  return (
    <form
      class="editable"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <input
        ref={input}
        dir="auto"
        aria-label={props.label}
        aria-invalid={props.error !== undefined}
        maxLength={MAX_CHARACTERS}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <Button kind="main" onClick={save}>
        {t('frame.save')}
      </Button>
      <Button onClick={close}>{t('frame.cancel')}</Button>
      {props.error !== undefined && (
        <span class="field-error" role="alert">
          {props.error}
        </span>
      )}
    </form>
  )
}
