/** Who made a change: a person in a role, or an application. */

import { t } from '../../../text/text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { actorParts, type Entry } from './words.ts'

export function Actor({ entry: { actor, actorName } }: { entry: Pick<Entry, 'actor' | 'actorName'> }) {
  const { who, role } = actorParts(actor)
  if (role !== undefined)
    return (
      <span class="actor" title={actor}>
        {who !== '' && (
          <bdi class="cut" dir="ltr">
            {who}
          </bdi>
        )}
        <span class={who === '' ? 'cut' : 'actor-role weak cut'}>{who === '' ? role : `· ${role}`}</span>
      </span>
    )
  return (
    <span class="actor" title={actor}>
      {actor.startsWith('app_') && <Icon name="application" size={14} />}
      <bdi class="cut">{actorName ?? (actor.startsWith('app_') ? t('audit.deletedApplication') : actor)}</bdi>
    </span>
  )
}
