/** Short messages about what has happened, with an undo where there is one. */
import { signal } from '@preact/signals'
import { t } from '../text/text.ts'
import { Button, IconButton } from './button.tsx'

type Link = { href: string; text: string }
type Toast = { id: number; text: string; undo?: () => Promise<unknown>; link?: Link; isError: boolean }

const toasts = signal<Toast[]>([])
const SHOWN_MS = 5_000
/** Long enough to notice and to reach the button. */
const LONG_MS = 12_000
let lastId = 0

const remove = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

type Options = {
  /** Shown as a button; the message stays longer. */
  undo?: () => Promise<unknown>
  /** Where to look; the message stays longer. */
  link?: Link
  isError?: boolean
}

export function notify(text: string, { undo, link, isError = false }: Options = {}): void {
  const id = ++lastId
  toasts.value = [...toasts.value.slice(-2), { id, text, isError, ...(undo && { undo }), ...(link && { link }) }]
  setTimeout(() => remove(id), undo || link ? LONG_MS : SHOWN_MS)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo, link, isError }) => (
        <div key={id} class={isError ? 'toast toast-error' : 'toast'}>
          <span>{text}</span>
          {link && (
            <a href={link.href} onClick={() => remove(id)}>
              {link.text}
            </a>
          )}
          {undo && (
            <Button kind="quiet" icon="undo" onClick={() => undo().finally(() => remove(id))}>
              {t('frame.undo')}
            </Button>
          )}
          <IconButton icon="close" label={t('frame.close')} onClick={() => remove(id)} />
        </div>
      ))}
    </div>
  )
}
