/** Buttons labelled with their action. A running one cannot be pressed again. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../text/text.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonProps = {
  children: ComponentChildren
  /** A promise disables the button until it has settled. */
  onClick?: (event: MouseEvent) => unknown
  kind?: 'main' | 'plain' | 'danger' | 'quiet'
  icon?: IconName
  type?: 'button' | 'submit'
  disabled?: boolean
  isBusy?: boolean
  /** For a button that switches something on and off. */
  isPressed?: boolean
  title?: string
}

export function Button({ children, onClick, kind = 'plain', icon, type = 'button', title, ...state }: ButtonProps) {
  const [isRunning, setRunning] = useState(false)
  const isBusy = isRunning || state.isBusy === true
  async function press(event: MouseEvent): Promise<void> {
    const result = onClick?.(event)
    if (!(result instanceof Promise)) return
    setRunning(true)
    try {
      await result
    } finally {
      setRunning(false)
    }
  }
  return (
    <button
      type={type}
      class={`button button-${kind}`}
      disabled={state.disabled === true || isBusy}
      aria-busy={isBusy}
      aria-pressed={state.isPressed}
      title={title}
      onClick={(event) => void press(event)}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  )
}

export function IconButton(props: {
  icon: IconName
  label: string
  onClick: (event: MouseEvent) => void
  isPressed?: boolean
  expands?: 'menu' | 'dialog'
  isExpanded?: boolean
  disabled?: boolean
}) {
  return (
    <button
      type="button"
      class="icon-button"
      title={props.label}
      aria-label={props.label}
      aria-pressed={props.isPressed}
      aria-haspopup={props.expands}
      aria-expanded={props.isExpanded}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      <Icon name={props.icon} size={18} />
    </button>
  )
}

const SHOWN_MS = 2_000

/** Copies a text, and confirms it. The small variant has no label. */
export function CopyButton(props: { text: string; children?: ComponentChildren; isSmall?: boolean }) {
  const { text, children } = props
  const [isCopied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  if (props.isSmall)
    return (
      <span aria-live="polite">
        <IconButton
          icon={isCopied ? 'check' : 'copy'}
          label={isCopied ? t('frame.copied') : t('frame.copy')}
          onClick={() => void copy()}
        />
      </span>
    )
  return (
    <span aria-live="polite">
      <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
        {isCopied ? t('frame.copied') : (children ?? t('frame.copy'))}
      </Button>
    </span>
  )
}

/** The clipboard interface exists only over TLS and on localhost; a selection can be copied everywhere. */
async function copyText(text: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
