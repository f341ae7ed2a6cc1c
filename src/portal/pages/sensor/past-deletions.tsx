/** The deletions of a sensor's readings, newest first; one under way is followed until it is done. */
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'
import { Age } from '../../parts/age.tsx'
import { Button } from '../../parts/button.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../parts/plain-table.tsx'
import { Loaded } from '../../parts/states.tsx'
import { formatList, formatMoment, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'

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
    <PlainTable label={t('deletions.past')} kind={`past-deletions ${ROWS_ON_PHONE}`}>
      <thead>
        <tr>
          {(['period', 'what', 'readings', 'state', 'requested'] as const).map((column) => (
            <th key={column} scope="col" class={column === 'readings' ? 'number-cell' : undefined}>
              {t(`deletions.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id} data-status={item.status}>
            <td>
              <bdi>{formatMoment(Date.parse(item.from))}</bdi> – <bdi>{formatMoment(Date.parse(item.to))}</bdi>
            </td>
            <td>
              {item.channels === null ? t('deletions.all') : <bdi>{formatList(item.channels)}</bdi>}
              {item.refill && <span class="weak"> ({t('deletions.refilled')})</span>}
            </td>
            <td class="number-cell">
              {item.readings === null ? (
                <span class="weak">{t('deletions.counting')}</span>
              ) : (
                formatWhole(item.readings)
              )}
            </td>
            <td>
              {t(`deletions.states.${item.status}`)}
              {item.status !== 'done' && <progress aria-label={t(`deletions.states.${item.status}`)} />}
            </td>
            <td>
              <Age at={item.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  )
}
