/** The deletions of a sensor's readings, newest first; one under way is followed until it is done. */
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import type { components } from '../../../api/schema.d.ts'
import { formatList, formatMoment, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { Button } from '../../../ui/button.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../../ui/plain-table.tsx'
import { Loaded } from '../../../ui/states.tsx'

type Deletion = components['schemas']['ReadingDeletion']

const FOLLOW_MS = 2_000
const PAGE = 10

/** @param begun grows with every deletion that begins on this page */
export function PastDeletions({ sensorId, begun }: { sensorId: string; begun: number }) {
  const [limit, setLimit] = useState(PAGE)
  const list = useResource(
    (signal) =>
      dataOf(
        api.GET('/manage/v1/sensors/{id}/deletions', {
          params: { path: { id: sensorId }, query: { limit } },
          signal,
        }),
      ),
    [sensorId, begun, limit],
  )
  const isUnderWay = list.data.value?.items.some(({ status }) => status !== 'done') === true
  useEffect(() => {
    if (!isUnderWay) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) list.reload()
    }, FOLLOW_MS)
    return () => clearInterval(timer)
  }, [isUnderWay])
  return (
    <>
      <h3>{t('deletions.past')}</h3>
      <Loaded resource={list} lines={2}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <p class="weak">{t('deletions.none')}</p>
          ) : (
            <>
              <Table items={items} />
              {nextCursor !== null && limit < 1000 && (
                <Button onClick={() => setLimit(Math.min(1000, limit + 50))}>{t('deletions.more')}</Button>
              )}
            </>
          )
        }
      </Loaded>
    </>
  )
}

function Table({ items }: { items: readonly Deletion[] }) {
  return (
    <PlainTable
      label={t('deletions.past')}
      kind={`past-deletions ${ROWS_ON_PHONE}`}
      rows={items}
      keyOf={({ id }) => id}
      attributesOf={({ status }) => ({ 'data-status': status })}
      columns={[
        [
          t('deletions.period'),
          ({ from, to }) => (
            <>
              <bdi>{formatMoment(Date.parse(from))}</bdi> – <bdi>{formatMoment(Date.parse(to))}</bdi>
            </>
          ),
        ],
        [
          t('deletions.what'),
          ({ channels, refill }) => (
            <>
              {channels === null ? t('deletions.all') : <bdi>{formatList(channels)}</bdi>}
              {refill && <span class="weak"> ({t('deletions.refilled')})</span>}
            </>
          ),
        ],
        [
          t('deletions.readings'),
          ({ readings }) =>
            readings === null ? <span class="weak">{t('deletions.counting')}</span> : formatWhole(readings),
          { kind: 'number-cell' },
        ],
        [
          t('deletions.state'),
          ({ status }) => (
            <>
              {t(`deletions.states.${status}`)}
              {status !== 'done' && <progress aria-label={t(`deletions.states.${status}`)} />}
            </>
          ),
        ],
        [t('deletions.requested'), ({ createdAt }) => <Age at={createdAt} />],
      ]}
    />
  )
}
