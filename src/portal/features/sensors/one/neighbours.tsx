/** Links to the sensors before and after this one, in the list that the person came from. */
import { useResource } from '../../../api/resource.ts'
import { href, queryValue } from '../../../shell/router.ts'
import { formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { rangeQuery } from '../../../ui/chart/range.ts'
import { Icon } from '../../../ui/icon.tsx'
import { neighboursOf } from '../list-order.ts'

export function Neighbours({ id }: { id: string }) {
  const found = useResource((signal) => neighboursOf(id, signal), [id]).data.value
  if (found === undefined || found.total < 2) return null
  const tab = queryValue('tab')
  const query = { ...rangeQuery(), ...(tab !== undefined && { tab }) }
  const link = (to: string | undefined, rel: 'prev' | 'next') =>
    to !== undefined && (
      <a
        class="icon-button"
        rel={rel}
        href={href('/sensors/:id', { id: to }, query)}
        title={t(`sensor.${rel}`)}
        aria-label={t(`sensor.${rel}`)}
      >
        <Icon name={rel === 'prev' ? 'back' : 'ahead'} />
      </a>
    )
  return (
    <nav class="row" aria-label={t('sensor.list')}>
      {link(found.before, 'prev')}
      <span class="number weak">
        {t('sensor.placeInList', { number: formatWhole(found.number), total: formatWhole(found.total) })}
      </span>
      {link(found.after, 'next')}
    </nav>
  )
}
