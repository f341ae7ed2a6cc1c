/** Search by name and filter by state, for the list and the map at once. In the address. */
import type { ComponentChildren } from 'preact'
import { addressWith, queryValue, setQuery } from '../../shell/router.ts'
import { membership } from '../../shell/session.ts'
import { formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { useTypedQuery } from '../../ui/table/typed-query.ts'
import { FavouritesLabel, onlyFavourites } from '../sensors/favourite.tsx'
import { SENSOR_STATES, type SensorState, StateShape, stateName } from '../sensors/state.tsx'
import { TagFilter } from '../sensors/tag-filter.tsx'
import type { LiveAssets } from './engine/live-assets.ts'

const TYPING_MS = 150

export const statesIn = (text: string): SensorState[] =>
  SENSOR_STATES.filter((state) => text.split(',').includes(state))

export function MapFilters(props: {
  live: LiveAssets
  text: string
  states: SensorState[]
  /** Beside the filter by tag. */
  children: ComponentChildren
}) {
  const { live, states } = props
  const [typed, setTyped] = useTypedQuery(props.text, (q) => setQuery({ q }), TYPING_MS)
  const summary = live.summary.value
  const isFavourites = onlyFavourites()
  return (
    <div class="map-filters">
      <input
        type="search"
        aria-label={t('map.search')}
        placeholder={t('map.search')}
        dir="auto"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <fieldset class="map-states">
        <legend class="visually-hidden">{t('sensors.quickFilters')}</legend>
        {membership.value !== undefined && (
          <button
            type="button"
            class="chip"
            aria-pressed={isFavourites}
            onClick={() => setQuery({ favourite: isFavourites ? undefined : 'true' })}
          >
            <FavouritesLabel />
          </button>
        )}
        {SENSOR_STATES.filter((state) => (summary?.byState[state] ?? 0) > 0 || states.includes(state)).map((state) => (
          <button
            key={state}
            type="button"
            class="chip"
            aria-pressed={states.includes(state)}
            onClick={() => {
              const next = states.includes(state) ? states.filter((one) => one !== state) : [...states, state]
              setQuery({ state: next.join(',') })
            }}
          >
            <StateShape state={state} />
            <span>{stateName(state)}</span>
            <span class="number weak">{formatWhole(summary?.byState[state] ?? 0)}</span>
          </button>
        ))}
      </fieldset>
      <div class="map-count">
        <p class="weak" role="status">
          {summary !== undefined && summary.total > 0 && countText(summary.matching, summary.total)}
        </p>
        <div class="map-choices">
          <TagFilter tag={queryValue('tag')} hrefOf={(tag) => addressWith({ tag })} align="end" />
          {props.children}
        </div>
      </div>
    </div>
  )
}

const countText = (matching: number, total: number): string =>
  matching === total ? t('map.count', { count: total }) : t('map.countOf', { count: total, matching })
