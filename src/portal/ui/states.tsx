/** Shown by a page instead of its content: empty, loading, a failure, a missing permission. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'
import type { Resource } from '../api/resource.ts'
import { now } from '../shell/clock.ts'
import { formatPastAge } from '../text/format.ts'
import { type RefusalText, refusalOf } from '../text/refusals.ts'
import { t } from '../text/text.ts'
import { Button, CopyButton } from './button.tsx'
import { Missing, type RecordKind } from './missing.tsx'

/** The purpose of this page, one button, a link to the docs. */
export function Empty(props: {
  title: string
  text: ComponentChildren
  /** Text of the link to the API's description; for pages that are empty because nothing was created yet. */
  docs?: string
  children?: ComponentChildren
}) {
  return (
    <section class="empty">
      <h2>{props.title}</h2>
      <p>{props.text}</p>
      {props.children}
      {props.docs !== undefined && (
        <p>
          <a href="/docs">{props.docs}</a>
        </p>
      )}
    </section>
  )
}

const SKELETON_AFTER_MS = 150

/** Placeholder lines while loading; not shown for answers that come at once. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="skeleton" role="status" aria-label={t('frame.loading')} style={{ '--lines': lines }}>
      {isShown && Array.from({ length: lines }, (_, i) => <div key={i} />)}
    </div>
  )
}

/** The failure, its reason, and the remedy. The API's message names field and rule. */
export function Failure({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  const refusal = refusalOf(error)
  const text =
    error.code === 'OFFLINE'
      ? t('frame.failures.offline')
      : error.status === 404
        ? t('frame.failures.missing')
        : (refusal?.text ?? error.message)
  return (
    <section class="failure" role="alert">
      <h2>{refusal?.title ?? t('frame.failures.title')}</h2>
      <p>{text}</p>
      {refusal?.reason && <p>{t('failures.reason', { reason: refusal.reason })}</p>}
      {error.faults.length > 0 && (
        <ul>
          {error.faults.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        {onRetry && error.status !== 404 && (
          <Button icon="reload" onClick={onRetry}>
            {t('frame.retry')}
          </Button>
        )}
        {error.requestId !== undefined && <CopyButton text={error.requestId}>{t('frame.copyRequestId')}</CopyButton>}
      </div>
    </section>
  )
}

/** In the place of a page that this person may not see. */
export const Refused = ({ refusal: { title, text, reason } }: { refusal: RefusalText }) => (
  <Empty title={title} text={text}>
    {reason && <p>{t('failures.reason', { reason })}</p>}
  </Empty>
)

type LoadedProps<T> = {
  resource: Resource<T>
  children: (data: T) => ComponentChildren
  lines?: number
  /**
   * The kind of record of a page: if the record does not exist, or no longer, the page links to the list of that kind.
   */
  record?: { kind: RecordKind; isBelowHead?: true }
}

/** Shows a resource: the content as soon as there is data, with a note when the newest try failed. */
export function Loaded<T>(props: LoadedProps<T>) {
  const { data, error, loadedAt, reload } = props.resource
  if (props.record !== undefined && error.value?.status === 404)
    return <Missing kind={props.record.kind} isBelowHead={props.record.isBelowHead === true} />
  if (data.value === undefined)
    return error.value === undefined ? (
      <Skeleton {...(props.lines !== undefined && { lines: props.lines })} />
    ) : (
      <Failure error={error.value} onRetry={reload} />
    )
  return (
    <>
      {error.value !== undefined && loadedAt.value !== undefined && (
        <div class="stale" role="status">
          {t('frame.stale', { age: formatPastAge(loadedAt.value, now.value) })}
        </div>
      )}
      {props.children(data.value)}
    </>
  )
}
