/** Whether a destination takes its events: in a colour, a shape and words, with what to do when it does not. */
import type { ComponentChildren } from 'preact'
import { now } from '../../shell/clock.ts'
import { formatAge } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StateShape } from '../sensors/state.tsx'
import { type Destination, type Health, healthOf } from './destination-data.ts'

const SHAPES = {
  disabled: 'refused',
  gone: 'refused',
  failing: 'late',
  owner: 'off',
  fresh: 'new',
  well: 'sending',
} as const satisfies Record<Health, string>

export function HealthView({ destination }: { destination: Destination }) {
  const health = healthOf(destination)
  const { failingSince, lastSuccessAt } = destination.health
  const shape = SHAPES[health]
  return (
    <span class="destination-health">
      <span class="state" data-health={health}>
        <StateShape state={shape} />
        <span class={`state-word state-${shape}`}>{t(`destinations.states.${health}`)}</span>
      </span>
      {health === 'failing' && (
        <span class="weak">
          {t('destinations.failingSince')} <Age at={failingSince} />
        </span>
      )}
      {lastSuccessAt !== null && (
        <span class="weak">
          {t('destinations.lastSuccess')} <Age at={lastSuccessAt} />
        </span>
      )}
    </span>
  )
}

/** Why nothing arrives, and what to do. @param children buttons */
export function Trouble({ destination, children }: { destination: Destination; children: ComponentChildren }) {
  const health = healthOf(destination)
  if (health === 'fresh' || health === 'well') return null
  const { failingSince } = destination.health
  const age = failingSince === null ? '' : formatAge(Date.parse(failingSince), now.value)
  return (
    <section class="notice" role="status">
      <Icon name={health === 'owner' ? 'power' : 'alert'} />
      <div>
        <h2>{t(`destinations.trouble.${health}.title`)}</h2>
        <p>{t(`destinations.trouble.${health}.text`, { age })}</p>
        <div class="row">{children}</div>
      </div>
    </section>
  )
}
