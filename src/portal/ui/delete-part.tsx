/** Deletion of a record, among its settings: its name must be typed first. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { t } from '../text/text.ts'
import { Button } from './button.tsx'
import { ConfirmByName } from './dialog.tsx'
import { notifyFailure } from './failure-text.tsx'
import { notify } from './toasts.tsx'

export function DeletePart(props: {
  title: string
  text: string
  /** The text of the question, if different. */
  warning?: ComponentChildren
  /** The button of the question, if different. */
  action?: string
  name: string
  /** The message after the deletion. */
  done: string
  onDelete: () => Promise<unknown>
  onDone: () => unknown
}) {
  const { title, text, name } = props
  const [isOpen, setOpen] = useState(false)
  async function remove(): Promise<void> {
    try {
      await props.onDelete()
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 412) notify(t('record.changedMeanwhile'), { isError: true })
      else notifyFailure(failure)
      return
    }
    notify(props.done)
    await props.onDone()
  }
  return (
    <section class="settings-part">
      <h2>{title}</h2>
      <p class="weak">{text}</p>
      <Button kind="danger" icon="remove" onClick={() => setOpen(true)}>
        {title}
      </Button>
      {isOpen && (
        <ConfirmByName
          title={title}
          name={name}
          warning={props.warning ?? text}
          action={props.action ?? title}
          onConfirm={remove}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  )
}
