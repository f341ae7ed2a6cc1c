/** A question or a short form above the page. The browser's own dialog keeps the focus inside and closes on Escape. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { t } from '../text/text.ts'
import { Button, IconButton } from './button.tsx'
import { TextField } from './field.tsx'

export function Dialog(props: {
  title: string
  children: ComponentChildren
  /** Undefined for a dialog that only its own buttons close. */
  onClose?: (() => void) | undefined
  isWide?: boolean
  /** At the lower edge of a phone; tapping beside it closes it. */
  isSheet?: boolean
}) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by onCancel
    <dialog
      ref={element}
      class={props.isSheet ? 'dialog dialog-sheet' : props.isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        props.onClose?.()
      }}
      onClick={(event) => {
        // everything inside covers the dialog, so that clicks on its own surface are clicks beside the content
        if (props.isSheet && event.target === element.current) props.onClose?.()
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{props.title}</h2>
        {props.onClose && <IconButton icon="close" label={t('frame.close')} onClick={props.onClose} />}
      </header>
      <div class="dialog-body">{props.children}</div>
    </dialog>
  )
}

/** For actions that take effect at once: the consequences, and a button. */
export function Confirm(props: {
  title: string
  children: ComponentChildren
  /** Undefined where it is the title. */
  action?: string
  /** Undefined for "Cancel". */
  dismiss?: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      {props.children}
      <div class="dialog-actions">
        <Button onClick={props.onClose}>{props.dismiss ?? t('frame.cancel')}</Button>
        <Button kind="danger" onClick={props.onConfirm}>
          {props.action ?? props.title}
        </Button>
      </div>
    </Dialog>
  )
}

/** A short form with its buttons. */
export function FormDialog(props: {
  title: string
  children: ComponentChildren
  /** Undefined where it is the title. */
  action?: string
  kind?: 'main' | 'danger'
  isBusy?: boolean
  onSubmit: () => unknown
  onClose: () => void
}) {
  const { title, kind = 'main', isBusy = false } = props
  function submit(event: Event): void {
    event.preventDefault()
    void props.onSubmit()
  }
  return (
    <Dialog title={title} onClose={props.onClose}>
      <form onSubmit={submit}>
        {props.children}
        <div class="dialog-actions">
          <Button onClick={props.onClose}>{t('frame.cancel')}</Button>
          <Button kind={kind} type="submit" isBusy={isBusy}>
            {props.action ?? title}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** A name without invisible characters, such as overrides of the direction, so that people can type it. */
const typeable = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()

/** For irreversible actions: the button works when the name has been typed. */
export function ConfirmByName(props: {
  title: string
  warning: ComponentChildren
  name: string
  action: string
  onConfirm: () => Promise<void>
  onClose: () => void
}) {
  const [typed, setTyped] = useState('')
  const isTyped = typed.trim() !== '' && typeable(typed) === typeable(props.name)
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div>{props.warning}</div>
      <TextField label={t('frame.typeName', { name: props.name })} value={typed} onInput={setTyped} autoFocus />
      <div class="dialog-actions">
        <Button onClick={props.onClose}>{t('frame.cancel')}</Button>
        <Button kind="danger" disabled={!isTyped} onClick={props.onConfirm}>
          {props.action}
        </Button>
      </div>
    </Dialog>
  )
}
