/** Short messages about events, with an undo where there is one. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { t } from '../text/text.ts'
import { Button, IconButton } from './button.tsx'

type Link = { href: string; text: string }
type Toast = { id: number; text: string } & Options

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
  /** A link to the place; the message stays longer. */
  link?: Link
  /** Below the text; the message stays longer. */
  detail?: ComponentChildren
  isError?: boolean
}

export function notify(text: string, options: Options = {}): void {
  const id = ++lastId
  toasts.value = [...toasts.value.slice(-2), { id, text, ...options }]
  setTimeout(() => remove(id), options.undo || options.link || options.detail ? LONG_MS : SHOWN_MS)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo, link, detail, isError }) => (
        <div key={id} class={isError ? 'toast toast-error' : 'toast'}>
          <span>
            {text}
            {detail}
          </span>
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
