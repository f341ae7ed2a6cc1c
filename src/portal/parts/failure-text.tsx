/** A failure in words, with what the server said where the words are fewer. */
import { ApiError } from '../api/client.ts'
import { t } from '../text/text.ts'
import { failureText } from './form.ts'
import { notify } from './toasts.tsx'

export const Original = ({ error }: { error: ApiError }) => <OriginalTexts texts={error.originals} />

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

/** A failure that is no single field's; fields show their own. */
export function FormFailure({ error }: { error: ApiError | undefined }) {
  if (error === undefined) return null
  const isOfForm = error.faults.length === 0
  if (!isOfForm && error.originals.length === 0) return null
  return (
    <div class="form-error" role="alert">
      {isOfForm && failureText(error)}
      <Original error={error} />
    </div>
  )
}

export function notifyFailure(failure: unknown): void {
  const isKnown = failure instanceof ApiError
  notify(isKnown ? failureText(failure) : String(failure), {
    isError: true,
    ...(isKnown && failure.originals.length > 0 && { detail: <Original error={failure} /> }),
  })
}
