/** Exports of everything of an enterprise or a person: one is made at a time, and followed until it can be downloaded. */
import { useEffect, useState } from 'preact/hooks'
import { ApiError, api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'
import { formatBytes, formatMoment } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { DownloadButton } from '../../ui/download.tsx'
import { failureText } from '../../ui/form.ts'
import { Progress } from '../../ui/progress.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'

type DataExport = components['schemas']['DataExport']

const FOLLOW_MS = 2_000
const isUnderWay = ({ status }: DataExport): boolean => status === 'waiting' || status === 'running'

export function DataExports({ ownerId, isPerson }: { ownerId: string; isPerson: boolean }) {
  const [error, setError] = useState<string | undefined>(undefined)
  const list = useResource(
    (signal) =>
      dataOf(
        api.GET('/manage/v1/owners/{ownerId}/exports', {
          params: { path: { ownerId }, query: { limit: 20 } },
          signal,
        }),
      ),
    [ownerId],
  )
  const open = list.data.value?.items.find(isUnderWay)
  useEffect(() => {
    if (open === undefined) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) list.reload()
    }, FOLLOW_MS)
    return () => clearInterval(timer)
  }, [open?.id])

  async function attempt(request: () => Promise<unknown>): Promise<boolean> {
    setError(undefined)
    try {
      await request()
      return true
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      setError(failureText(failure))
      return false
    } finally {
      list.reload()
    }
  }
  const begin = (): Promise<boolean> =>
    attempt(() => api.POST('/manage/v1/owners/{ownerId}/exports', { params: { path: { ownerId } } }))
  async function remove(id: string): Promise<void> {
    const path = { ownerId, id }
    if (await attempt(() => api.DELETE('/manage/v1/owners/{ownerId}/exports/{id}', { params: { path } })))
      notify(t('exports.removed'))
  }

  return (
    <section class="settings-part">
      <h2>{t('exports.title')}</h2>
      <p class="weak">{t(isPerson ? 'exports.ofPerson' : 'exports.ofEnterprise')}</p>
      {error !== undefined && (
        <p class="form-error" role="alert">
          {error}
        </p>
      )}
      {open === undefined && (
        <Button icon="download" onClick={begin}>
          {t('exports.begin')}
        </Button>
      )}
      <Loaded resource={list} lines={2}>
        {({ items }) => (
          <ul class="data-exports" aria-label={t('exports.list')}>
            {items.map((item) => (
              <li key={item.id} data-status={item.status}>
                <One ownerId={ownerId} item={item} onRemove={() => remove(item.id)} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

function One({ ownerId, item, onRemove }: { ownerId: string; item: DataExport; onRemove: () => Promise<void> }) {
  if (isUnderWay(item))
    return (
      <>
        <p class="weak" role="status">
          {t('exports.making')}
        </p>
        <Progress
          label={t('exports.title')}
          done={item.partsDone}
          total={item.parts ?? undefined}
          text={
            item.parts === null
              ? t('exports.waiting')
              : t('exports.progress', { done: item.partsDone, parts: item.parts })
          }
        />
        <Button icon="close" onClick={onRemove}>
          {t('exports.stop')}
        </Button>
      </>
    )
  return (
    <>
      <dl class="data-export-facts">
        <dt>{t('exports.made')}</dt>
        <dd>{formatMoment(Date.parse(item.createdAt))}</dd>
        {item.bytes !== null && (
          <>
            <dt>{t('exports.size')}</dt>
            <dd>{formatBytes(item.bytes)}</dd>
            <dt>{t('exports.expires')}</dt>
            <dd>{formatMoment(Date.parse(item.expiresAt))}</dd>
          </>
        )}
      </dl>
      {item.status === 'failed' && <p>{t('exports.failed')}</p>}
      <div class="row">
        {item.status === 'done' && (
          <DownloadButton
            address={`/manage/v1/owners/${encodeURIComponent(ownerId)}/exports/${encodeURIComponent(item.id)}/content`}
            kind="main"
            label={t('exports.download')}
          />
        )}
        <Button icon="remove" onClick={onRemove}>
          {t('exports.remove')}
        </Button>
      </div>
    </>
  )
}
