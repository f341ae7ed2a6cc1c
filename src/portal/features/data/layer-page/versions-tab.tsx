/** The versions of a layer: authors and changes, comparing two of them, and bringing one back. */
import { useState } from 'preact/hooks'
import { ApiError, api, dataOf } from '../../../api/client.ts'
import type { components } from '../../../api/schema.d.ts'
import { queryValue, setQuery } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { Button } from '../../../ui/button.tsx'
import { notifyFailure } from '../../../ui/failure-text.tsx'
import { Failure, Skeleton } from '../../../ui/states.tsx'
import { useRows } from '../../../ui/table/table-rows.ts'
import { notify } from '../../../ui/toasts.tsx'
import type { LayerData } from '../layers/layer-data.ts'
import type { Current } from '../layers/layer-record.ts'
import { actorName } from '../layers/words.ts'
import { CompareVersions } from './compare-versions.tsx'

type Version = components['schemas']['LayerVersion']
const PAGE = 100

export function VersionsTab(props: { owner: string; current: Current; data: LayerData; onRestored: () => void }) {
  const { owner, current, data } = props
  const { layer } = current
  const path = { ownerId: owner, id: layer.id }
  const rows = useRows<Version>(
    ({ cursor, signal }) =>
      dataOf(
        api.GET('/manage/v1/owners/{ownerId}/layers/{id}/versions', {
          params: { path, query: { limit: PAGE, ...(cursor !== undefined && { cursor }) } },
          signal,
        }),
      ),
    [layer.version],
  )
  const [from, to] = [Number(queryValue('from')), Number(queryValue('to'))]
  const isComparing = from > 0 && to > 0 && from !== to
  // read here, so that the list updates with its rows
  rows.version.value
  const versions = Array.from({ length: rows.count.value ?? 0 }, (_, i) => rows.at(i)).filter(
    (one) => one !== undefined,
  )

  async function restore(version: number, etag: string): Promise<number> {
    const { data: answer } = await api.POST('/manage/v1/owners/{ownerId}/layers/{id}/versions/{version}/restore', {
      params: { path: { ...path, version } },
      headers: { 'if-match': etag },
    })
    return answer?.data?.version ?? 0
  }
  async function bringBack(version: number): Promise<void> {
    const before = layer.version
    try {
      const made = await restore(version, current.etag)
      props.onRestored()
      await reopen()
      notify(t('layers.restored', { version, made }), {
        undo: async () => {
          const { response } = await api.GET('/manage/v1/owners/{ownerId}/layers/{id}', { params: { path } })
          await restore(before, response.headers.get('etag') ?? '')
          props.onRestored()
          await reopen()
        },
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const isOvertaken = error.status === 412
      if (!isOvertaken) return notifyFailure(error)
      notify(t('layers.overtaken'), { isError: true })
      props.onRestored()
    }
  }
  /** The shown features still belong to the previous version. */
  async function reopen(): Promise<void> {
    const { data: answer, response } = await api.GET('/manage/v1/owners/{ownerId}/layers/{id}', { params: { path } })
    const fresh = answer?.data
    if (fresh === undefined) return
    const etag = response.headers.get('etag') ?? ''
    await data.rebase({ version: fresh.version, etag, fields: fresh.fields }, [])
  }
  const mayRestore = may.value.keep && data.summary.value?.hasChanges === false

  if (rows.error.value !== undefined) return <Failure error={rows.error.value} onRetry={rows.reload} />
  if (rows.count.value === undefined) return <Skeleton lines={8} />
  return (
    <div class={isComparing ? 'versions versions-comparing' : 'versions'}>
      <section class="version-list" aria-label={t('layers.tabs.versions')}>
        <p class="weak">{t('layers.versionsHelp')}</p>
        {may.value.keep && data.summary.value?.hasChanges && <p class="weak">{t('layers.saveFirst')}</p>}
        <ol>
          {versions.map((one, i) => (
            <li key={one.version} class={one.version === from || one.version === to ? 'version-chosen' : ''}>
              <div>
                <strong>{t('layers.versionNumber', { version: one.version })}</strong>
                {one.version === layer.version && <span class="version-now">{t('layers.now')}</span>}
                <div class="weak">
                  <bdi>{actorName(one.actor)}</bdi> · <Age at={one.createdAt} />
                </div>
                <div class="number">{changesText(one)}</div>
              </div>
              <div class="row">
                {versions[i + 1] !== undefined && (
                  <Button
                    kind="quiet"
                    icon="compare"
                    onClick={() => setQuery({ from: String(versions[i + 1]?.version), to: String(one.version) })}
                  >
                    {t('layers.compareBefore')}
                  </Button>
                )}
                {one.version !== layer.version && (
                  <Button
                    kind="quiet"
                    onClick={() => setQuery({ from: String(one.version), to: String(layer.version) })}
                  >
                    {t('layers.compareNow')}
                  </Button>
                )}
                {mayRestore && one.version !== layer.version && (
                  <Button kind="quiet" icon="history" onClick={() => bringBack(one.version)}>
                    {t('layers.restore')}
                  </Button>
                )}
              </div>
            </li>
          ))}
        </ol>
        {rows.hasMore.value && (
          <Button onClick={() => rows.want(versions.length, versions.length)}>{t('layers.moreVersions')}</Button>
        )}
        {may.value.keep && versions.length > 1 && (
          <ForgetVersions owner={owner} current={current} onDone={props.onRestored} />
        )}
      </section>
      {isComparing && <CompareVersions key={`${from} ${to}`} owner={owner} layer={layer} from={from} to={to} />}
    </div>
  )
}

function changesText({ added, changed, removed, restored }: Version): string {
  if (added === null || changed === null || removed === null) return t('layers.notCounted')
  const words = [
    ...(restored === null ? [] : [t('layers.broughtBack', { version: restored })]),
    ...(added > 0 ? [t('layers.addedCount', { count: added })] : []),
    ...(changed > 0 ? [t('layers.changedCount', { count: changed })] : []),
    ...(removed > 0 ? [t('layers.removedCount', { count: removed })] : []),
  ]
  return words.join(' · ') || t('layers.nothingChanged')
}

function ForgetVersions({ owner, current, onDone }: { owner: string; current: Current; onDone: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const path = { ownerId: owner, id: current.layer.id }
  async function forget(): Promise<void> {
    try {
      await api.DELETE('/manage/v1/owners/{ownerId}/layers/{id}/versions', {
        params: { path },
        headers: { 'if-match': current.etag },
      })
      notify(t('layers.forgotten'))
      setQuery({ from: undefined, to: undefined })
      onDone()
    } catch (error) {
      notifyFailure(error)
    } finally {
      setAsking(false)
    }
  }
  if (!isAsking)
    return (
      <Button kind="quiet" icon="remove" onClick={() => setAsking(true)}>
        {t('layers.forget')}
      </Button>
    )
  return (
    <div class="stack" role="alert">
      <p>{t('layers.forgetWarning')}</p>
      <div class="row">
        <Button onClick={() => setAsking(false)}>{t('frame.cancel')}</Button>
        <Button kind="danger" onClick={forget}>
          {t('layers.forget')}
        </Button>
      </div>
    </div>
  )
}
