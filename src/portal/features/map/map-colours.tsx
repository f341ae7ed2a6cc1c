/** Colours of the assets by the newest value of a channel, with their legend. The channel is in the address. */
import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../../api/client.ts'
import { addressWith, queryValue } from '../../shell/router.ts'
import { formatList, formatRounded, formatValue } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { useChannels } from '../sensors/list/channels.tsx'
import type { Colouring } from './engine/asset-index.ts'
import type { LiveAssets } from './engine/live-assets.ts'
import { classAbove, VALUE_CLASSES, type ValueScale } from './value-scale.ts'

/** The event stream has no values of a whole fleet, so one request brings all of them again. */
const RELOAD_MS = 15_000

export function ColourMenu() {
  const [q, setQ] = useState('')
  const channels = useChannels(q)
  const [isLarge, setLarge] = useState(false)
  const data = channels.data.value
  if (!isLarge && data?.nextCursor != null) setLarge(true)
  const chosen = queryValue('colour')
  return (
    <Menu
      label={t('map.colours.label')}
      align="end"
      button={
        <>
          <Icon name="palette" />
          <span>{t('map.colours.label')}</span>
        </>
      }
      {...(isLarge && { search: { label: t('map.colours.search'), value: q, onInput: setQ } })}
      items={[
        {
          label: t('map.colours.state'),
          isChecked: chosen === undefined,
          onSelect: addressWith({ colour: undefined }),
        },
        ...(data?.items ?? []).map(({ channel, units }) => ({
          label: (
            <span class="tag-count">
              <bdi class="cut">{channel}</bdi>
              <bdi class="weak">{formatList(units)}</bdi>
            </span>
          ),
          isChecked: chosen === channel,
          onSelect: addressWith({ colour: channel }),
        })),
      ]}
    />
  )
}

/** Loads the values while a channel is chosen. */
export function ValueLegend({ live }: { live: LiveAssets }) {
  const channel = queryValue('colour')
  const error = useSignal<ApiError | undefined>(undefined)
  useEffect(() => {
    if (channel === undefined) return
    const load = (wanted: string | undefined): Promise<void> =>
      live.colour(wanted).then(
        () => {
          error.value = undefined
        },
        (failure: ApiError) => {
          error.value = failure
        },
      )
    void load(channel)
    const reload = setInterval(() => {
      if (!document.hidden) void load(channel)
    }, RELOAD_MS)
    return () => {
      clearInterval(reload)
      void load(undefined)
    }
  }, [live, channel])
  if (channel === undefined) return null
  const colouring = live.summary.value?.colouring
  return (
    <section class="value-legend" aria-label={t('map.colours.by', { channel })}>
      <p>
        <bdi class="cut">{channel}</bdi>
        {colouring?.scale !== undefined && <bdi class="weak number">{rangeText(colouring, colouring.scale)}</bdi>}
      </p>
      {error.value !== undefined ? (
        <p class="weak" role="status">
          {error.value.status === 422 ? t('map.colours.unknown') : t('map.colours.failed')}
        </p>
      ) : (
        <>
          {colouring?.scale !== undefined && <Scale scale={colouring.scale} isBoolean={colouring.isBoolean} />}
          <p class="weak">
            <span class="value-missing" aria-hidden="true" />
            {t(colouring === undefined || colouring.scale !== undefined ? 'map.colours.none' : 'map.colours.empty')}
          </p>
        </>
      )}
    </section>
  )
}

function rangeText({ units, isBoolean }: Colouring, { lowest, highest }: ValueScale): string {
  if (isBoolean) return ''
  // values in several units have no range that can be read
  if (units.length > 1) return formatList(units)
  const high = formatValue(highest, units[0])
  return lowest === highest ? high : t('map.colours.between', { low: formatValue(lowest), high })
}

/** From low to high, in the direction of the axes of charts in every language. */
function Scale({ scale, isBoolean }: { scale: ValueScale; isBoolean: boolean }) {
  const { limits } = scale
  return (
    <ul class="value-scale" dir="ltr">
      {[undefined, ...limits].map((from, i) => {
        const to = limits[i]
        return (
          <li key={i}>
            <span class="value-swatch" style={{ background: `var(--${VALUE_CLASSES[classAbove(scale, i)]})` }} />
            {isBoolean ? (
              <span>{formatValue(i > 0)}</span>
            ) : (
              <>
                <span class="visually-hidden">{classText(from, to)}</span>
                {from !== undefined && (
                  <span class="value-limit number" aria-hidden="true">
                    {formatRounded(from)}
                  </span>
                )}
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function classText(from: number | undefined, to: number | undefined): string {
  if (from !== undefined && to !== undefined)
    return t('map.colours.between', { low: formatRounded(from), high: formatRounded(to) })
  if (to !== undefined) return t('map.colours.under', { limit: formatRounded(to) })
  return from === undefined ? t('map.colours.one') : t('map.colours.from', { limit: formatRounded(from) })
}
