/** State of a form with a password, which is not kept as drafts of other forms are. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { randomId } from '../../shell/random-id.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { failureText } from '../../ui/form.ts'
import { PublicHead } from '../../ui/public-head.tsx'

export function useAccountForm<T extends Record<string, string>>(initial: T) {
  return useMemo(() => {
    const values = signal<T>(initial)
    const error = signal<ApiError | undefined>(undefined)
    let key = randomId()
    const set = (name: keyof T) => (value: string) => {
      values.value = { ...values.peek(), [name]: value }
      key = randomId()
    }
    const errorAt = (field: string) => error.value?.faults.find((fault) => fault.field === `body.${field}`)?.message
    return {
      values,
      error,
      set,
      errorAt,
      /** Props that bind a text field to a value of the same name. */
      field: (name: keyof T & string) => ({ value: values.value[name], onInput: set(name), error: errorAt(name) }),
      /**
       * A retry after a lost response has the same idempotency key, so nothing is made twice.
       * @returns whether the request succeeded
       */
      async submit(send: (values: T, idempotencyKey: string) => Promise<unknown>): Promise<boolean> {
        error.value = undefined
        try {
          await send(values.peek(), key)
          key = randomId()
          return true
        } catch (failure) {
          error.value = failure instanceof ApiError ? failure : new ApiError(0, 'UNEXPECTED', String(failure))
          requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid]')?.focus())
          return false
        }
      },
    }
  }, [])
}

/** A failure that belongs to no single field. */
export function FormFailure({ error }: { error: ApiError | undefined }) {
  if (error === undefined || error.faults.some(({ field }) => field.startsWith('body.'))) return null
  return (
    <div class="form-error" role="alert">
      {failureText(error)}
    </div>
  )
}

/** A form whose button is busy until its request has ended. */
export function AccountForm(props: { onSubmit: () => Promise<unknown>; action: string; children: ComponentChildren }) {
  const isBusy = useMemo(() => signal(false), [])
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy.peek()) return
    isBusy.value = true
    await props.onSubmit().finally(() => {
      isBusy.value = false
    })
  }
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      {props.children}
      <Button kind="main" type="submit" isBusy={isBusy.value}>
        {props.action}
      </Button>
    </form>
  )
}

/** @param isAccount for the address of an account, which password managers fill in */
export function EmailField(
  props: { value: string; onInput: (email: string) => void; error: string | undefined } & {
    label?: string
    isAccount?: boolean
  },
) {
  const { label = t('accounts.signIn.email'), isAccount = false, ...field } = props
  const autocomplete = isAccount ? { autocomplete: 'username' as const } : {}
  return <TextField label={label} type="email" dir="ltr" required autoFocus {...autocomplete} {...field} />
}

/** The column of pages that have no frame. */
export function PublicColumn({ children }: { children: ComponentChildren }) {
  return (
    <div class="public-column">
      <PublicHead />
      {children}
    </div>
  )
}
