/** Filters by a tag: a menu of the most used ones with a search among all, or the chosen one to be removed. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { type Resource, useResource } from '../../api/resource.ts'
import { enterpriseId } from '../../shell/session.ts'
import { formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'

type TagCounts = { items: { tag: string; count: number }[]; nextCursor: string | null }

const IN_MENU = 30

/** Tags of the enterprise's sensors, the most used first. @param q part of a tag */
export function useTags(q = '', limit = IN_MENU): Resource<TagCounts> {
  return useResource(
    (signal) =>
      dataOf(api.GET('/enterprise/v1/assets/tags', { params: { query: { limit, ...(q !== '' && { q }) } }, signal })),
    [enterpriseId.value, q, limit],
  )
}

/** @param hrefOf the address with another tag, or without a tag */
export function TagFilter(props: {
  tag: string | undefined
  hrefOf: (tag: string | undefined) => string
  align?: 'start' | 'end'
}) {
  const { tag, hrefOf } = props
  const [q, setQ] = useState('')
  const tags = useTags(q)
  const [isLarge, setLarge] = useState(false)
  const data = tags.data.value
  if (!isLarge && data?.nextCursor != null) setLarge(true)
  if (tag !== undefined)
    return (
      <a class="chip" aria-current="true" href={hrefOf(undefined)} title={t('sensors.removeFilter')}>
        <Icon name="tag" size={14} />
        <bdi class="cut">{tag}</bdi>
        <Icon name="close" size={14} />
      </a>
    )
  if (data === undefined || (data.items.length === 0 && q === '')) return null
  return (
    <Menu
      label={t('sensors.filterByTag')}
      align={props.align ?? 'start'}
      button={
        <>
          <Icon name="tag" />
          <span>{t('sensors.tag')}</span>
          <Icon name="down" />
        </>
      }
      {...(isLarge && { search: { label: t('sensors.findTag'), value: q, onInput: setQ } })}
      items={data.items.map((one) => ({
        label: (
          <span class="tag-count">
            <bdi class="cut">{one.tag}</bdi>
            <span class="weak number">{formatWhole(one.count)}</span>
          </span>
        ),
        onSelect: hrefOf(one.tag),
      }))}
    />
  )
}
