/** How long each sensor has been inside a zone: of a rule about staying there. */
import { useResource } from '../../api/resource.ts'
import { useLive } from '../../live.ts'
import { now } from '../../shell/clock.ts'
import { href } from '../../shell/router.ts'
import { formatDuration, formatExact } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Loaded } from '../../ui/states.tsx'
import { loadStates, sensorNames } from '../rules/rule-data.ts'

const RELOAD_MS = 30_000

async function load(ruleId: string, signal: AbortSignal) {
  const { items } = await loadStates(ruleId, signal)
  const inside = items
    .flatMap(({ sensorId, state, since }) =>
      since !== null && (state === 'pending' || state === 'firing')
        ? [{ sensorId, state, sinceMs: Date.parse(since) }]
        : [],
    )
    .sort((a, b) => a.sinceMs - b.sinceMs)
  return {
    inside,
    names: await sensorNames(
      inside.map(({ sensorId }) => sensorId),
      signal,
    ),
  }
}

export function DwellNow({ ruleId }: { ruleId: string }) {
  const states = useResource((signal) => load(ruleId, signal), [ruleId, Math.floor(now.value / RELOAD_MS)])
  useLive({ refresh: () => states.reload() }, [ruleId])
  return (
    <section class="inside-now" aria-label={t('zones.dwell.title')}>
      <h2>{t('zones.dwell.title')}</h2>
      <Loaded resource={states} lines={2}>
        {({ inside, names }) =>
          inside.length === 0 ? (
            <p class="weak">{t('zones.dwell.none')}</p>
          ) : (
            <ul>
              {inside.map(({ sensorId, state, sinceMs }) => (
                <li key={sensorId} class="dwell-row" data-state={state}>
                  <a class="cut" href={href('/sensors/:id', { id: sensorId })}>
                    <bdi>{names.get(sensorId) ?? sensorId}</bdi>
                  </a>
                  <time class="number" title={formatExact(sinceMs)} dateTime={new Date(sinceMs).toISOString()}>
                    {formatDuration(Math.max(0, now.value - sinceMs))}
                  </time>
                  {state === 'firing' && <strong>{t('rules.sensorStates.firing')}</strong>}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}
