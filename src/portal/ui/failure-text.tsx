/** A failure in words. */
import type { ComponentChildren } from 'preact'
import { ApiError } from '../api/client.ts'
import { t } from '../text/text.ts'
import { CopyButton } from './button.tsx'
import { failureText } from './form.ts'
import { notify } from './toasts.tsx'

/** Details that the operator needs to find a fault of the server. */
function RequestId({ error: { status, requestId } }: { error: ApiError }) {
  if (status < 500 || requestId === undefined) return null
  return <CopyButton text={requestId}>{t('frame.copyRequestId')}</CopyButton>
}

/** Texts of the server, closed at first. */
export function OriginalTexts({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <details class="original">
      <summary>{t('failures.original')}</summary>
      {texts.map((text) => (
        <p key={text} dir="ltr" lang="en">
          {text}
        </p>
      ))}
    </details>
  )
}

/** A failure that belongs to no single field; fields show their own. */
export function FormFailure({ error }: { error: ApiError | undefined }) {
  if (error === undefined) return null
  if (error.faults.length > 0) return null
  return (
    <div class="form-error" role="alert">
      {failureText(error)}
      <RequestId error={error} />
    </div>
  )
}

/** Runs a change without a form, and shows why it failed. @returns whether it succeeded */
export async function attempt(change: () => Promise<unknown>): Promise<boolean> {
  try {
    await change()
    return true
  } catch (error) {
    notifyFailure(error)
    return false
  }
}

export function notifyFailure(failure: unknown): void {
  if (failure instanceof ApiError) notify(failureText(failure), { isError: true, ...detailOf(failure) })
  else notify(String(failure), { isError: true })
}

function detailOf(error: ApiError): { detail?: ComponentChildren } {
  return error.status < 500 ? {} : { detail: <RequestId error={error} /> }
}
