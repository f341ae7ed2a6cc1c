/**
 * State of a form: typed values survive a reload, an expired session and a lost connection (in this tab), and a
 * repeated request carries the same idempotency key, so nothing is created twice.
 */
import { type Signal, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { randomId } from '../shell/random-id.ts'
import { refusalOf } from '../text/refusals.ts'
import { t } from '../text/text.ts'

export type Draft<T> = {
  values: Signal<T>
  set<K extends keyof T>(name: K, value: T[K]): void
  /** The failure of the last attempt. */
  error: Signal<ApiError | undefined>
  /** Message for a field: the name as in the API's failures, without `body.`. */
  errorAt(field: string): string | undefined
  /** Props that bind a text field to a value of the same name. */
  field<K extends keyof T & string>(name: K): { value: T[K]; onInput: (value: T[K]) => void; error: string | undefined }
  /** Sends the form. @returns undefined when it failed; the failure is in `error` */
  submit<R>(send: (values: T, idempotencyKey: string) => Promise<R>): Promise<R | undefined>
  clear(): void
}

type Stored<T> = { values: T; key: string }

/** @param name identifies the form in this tab, with the id of the record that it changes */
export function useDraft<T extends object>(name: string, initial: T): Draft<T> {
  return useMemo(() => {
    const place = placeOf(name)
    const kept = read<T>(place)
    const values = signal<T>({ ...initial, ...kept?.values })
    let key = kept?.key ?? randomId()
    const error = signal<ApiError | undefined>(undefined)
    let isSending = false
    const keep = (): void => {
      try {
        sessionStorage.setItem(place, JSON.stringify({ values: values.peek(), key } satisfies Stored<T>))
      } catch {
        // storage is full or disabled: the draft lasts as long as the page
      }
    }
    const set: Draft<T>['set'] = (name, value) => {
      values.value = { ...values.peek(), [name]: value }
      // another request than before, if an earlier one was refused
      if (error.peek() !== undefined && error.peek()?.status !== 0) key = randomId()
      keep()
    }
    const errorAt = (field: string): string | undefined =>
      error.value?.faults.find((fault) => fault.field.replace(/^body\./, '') === field)?.message
    return {
      values,
      error,
      set,
      errorAt,
      field: <K extends keyof T & string>(name: K) => ({
        value: values.value[name],
        error: errorAt(name),
        onInput: (value: T[K]) => set(name, value),
      }),
      async submit(send) {
        // pressed twice: the first request is still running
        if (isSending) return undefined
        isSending = true
        try {
          error.value = undefined
          const result = await send(values.peek(), key)
          sessionStorage.removeItem(place)
          key = randomId()
          return result
        } catch (failure) {
          error.value = failure instanceof ApiError ? failure : new ApiError(0, 'UNEXPECTED', String(failure))
          requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid]')?.focus())
          return undefined
        } finally {
          isSending = false
        }
      },
      clear() {
        sessionStorage.removeItem(place)
        values.value = initial
        error.value = undefined
      },
    }
  }, [name])
}

/** Fills in a form before it is opened, replacing values that were typed there. */
export function keepDraft<T extends object>(name: string, values: T): void {
  sessionStorage.setItem(placeOf(name), JSON.stringify({ values, key: randomId() } satisfies Stored<T>))
}

/** Fills in some fields of a form before it is opened, and keeps the typed values of the others. */
export function addToDraft<T extends object>(name: string, values: Partial<T>): void {
  keepDraft(name, { ...read<T>(placeOf(name))?.values, ...values })
}

const placeOf = (name: string): string => `groundwave.draft.${name}`

function read<T>(place: string): Stored<T> | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(place) ?? 'null') as Stored<T> | null) ?? undefined
  } catch {
    return undefined
  }
}

/** The message of a failure that belongs to no single field. */
export function failureText(error: ApiError): string {
  if (error.code === 'OFFLINE') return t('frame.failures.unsent')
  const refusal = refusalOf(error)
  if (refusal === undefined) return error.message
  return [refusal.text, refusal.reason && t('failures.reason', { reason: refusal.reason })].filter(Boolean).join(' ')
}
