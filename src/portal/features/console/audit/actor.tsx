/** Who made a change: a person in a role, or an application. */

import { t } from '../../../text/text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { actorParts, type Entry } from './words.ts'

export function Actor({ entry: { actor, actorName } }: { entry: Pick<Entry, 'actor' | 'actorName'> }) {
  const { who, role } = actorParts(actor)
  if (role !== undefined)
    return (
      <span class="cut" title={actor}>
        {who === '' ? role : <bdi dir="ltr">{who}</bdi>}
        {who !== '' && <span class="weak"> · {role}</span>}
      </span>
    )
  return (
    <span class="actor cut" title={actor}>
      {actor.startsWith('app_') && <Icon name="application" size={14} />}
      <bdi>{actorName ?? (actor.startsWith('app_') ? t('audit.deletedApplication') : actor)}</bdi>
    </span>
  )
}
