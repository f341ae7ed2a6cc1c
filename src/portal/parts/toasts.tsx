/** Short messages about what has happened, with an undo where there is one. */
import { signal } from '@preact/signals'
import { t } from '../text/text.ts'
import { Button, IconButton } from './button.tsx'

type Toast = { id: number; text: string; undo?: () => Promise<unknown>; isError: boolean }

const toasts = signal<Toast[]>([])
const SHOWN_MS = 5_000
/** Long enough to notice and to reach the button. */
const UNDO_MS = 12_000
let lastId = 0

const remove = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** @param undo shown as a button; the message stays longer */
export function notify(
  text: string,
  { undo, isError = false }: { undo?: () => Promise<unknown>; isError?: boolean } = {},
) {
  const id = ++lastId
  toasts.value = [...toasts.value.slice(-2), { id, text, isError, ...(undo && { undo }) }]
  setTimeout(() => remove(id), undo ? UNDO_MS : SHOWN_MS)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo, isError }) => (
        <div key={id} class={isError ? 'toast toast-error' : 'toast'}>
          <span>{text}</span>
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
