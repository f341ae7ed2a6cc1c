/** A bar above the page while keys of the owner, or tokens of operators, should be replaced or revoked. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import type { components } from '../api/schema.d.ts'
import { formatDay } from '../text/format.ts'
import { t } from '../text/text.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { href } from './router.ts'
import { account, isOperator, may, ownerId } from './session.ts'

type Reminder = components['schemas']['KeyReminder']
type Found = { items: readonly Reminder[]; hasMore: boolean }

const MAX_SHOWN = 100

/** The page on which the key is replaced. */
function addressOf({ kind, holderId }: Reminder): string {
  const id = holderId ?? ''
  switch (kind) {
    case 'sensor-key':
      return href('/sensors/:id', { id }, { tab: 'settings' })
    case 'fleet-key-secret':
      return href('/settings/fleet-keys/:id', { id }, { tab: 'settings' })
    case 'application-key':
      return href('/settings/applications/:id', { id })
    case 'tool-api-key':
      return href('/tool-apis/:id', { id }, { tab: 'keys' })
    case 'personal-key':
      return href('/account')
    case 'operator-token':
      return href('/operator/people', {}, { tab: 'tokens' })
  }
}

const query = { limit: MAX_SHOWN }

async function load(owner: string | undefined, ofOperators: boolean, signal: AbortSignal): Promise<Found> {
  const pages = await Promise.all([
    ...(owner === undefined
      ? []
      : [
          dataOf(
            api.GET('/manage/v1/owners/{ownerId}/key-reminders', {
              params: { path: { ownerId: owner }, query },
              signal,
            }),
          ),
        ]),
    ...(ofOperators ? [dataOf(api.GET('/manage/v1/operators/token-reminders', { params: { query }, signal }))] : []),
  ])
  return {
    items: pages.flatMap(({ items }) => items),
    hasMore: pages.some(({ nextCursor }) => nextCursor !== null),
  }
}

/** Stored per tab, because another person may sign in there. */
const placeOf = (owner: string | undefined): string => `groundwave.reminded.${account.peek()?.id ?? ''}.${owner ?? ''}`

function isDismissed(owner: string | undefined): boolean {
  try {
    return sessionStorage.getItem(placeOf(owner)) !== null
  } catch {
    // storage is disabled: the bar comes back with the next page load
    return false
  }
}

export function KeyReminders() {
  const owner = may.value.keep ? ownerId.value : undefined
  const ofOperators = isOperator.value
  const reminders = useResource<Found>(
    (signal) =>
      isDismissed(owner) ? Promise.resolve({ items: [], hasMore: false }) : load(owner, ofOperators, signal),
    [owner, ofOperators],
  )
  const [isOpen, setOpen] = useState(false)
  // a failure is not shown here: the pages of the keys report theirs
  const { items, hasMore } = reminders.data.value ?? { items: [], hasMore: false }
  if (items.length === 0) return null
  const worst = items.some(({ reasons }) => reasons.includes('expired')) ? 'expired' : 'open'
  function dismiss(): void {
    try {
      sessionStorage.setItem(placeOf(owner), '1')
    } catch {
      // see isDismissed
    }
    reminders.data.value = { items: [], hasMore: false }
  }
  return (
    <section class="reminder-bar" data-worst={worst} aria-label={t('reminders.title')}>
      <Icon name="key" />
      <span>{t(hasMore ? 'reminders.more' : 'reminders.count', { count: items.length })}</span>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {t('reminders.show')}
      </Button>
      <IconButton icon="close" label={t('reminders.dismiss')} onClick={dismiss} />
      {isOpen && (
        <Dialog title={t('reminders.title')} onClose={() => setOpen(false)} isWide>
          <p class="weak">{t('reminders.text')}</p>
          <ul class="reminder-list">
            {items.map((item) => (
              <Entry key={item.id} item={item} onLeave={() => setOpen(false)} />
            ))}
          </ul>
        </Dialog>
      )}
    </section>
  )
}

function Entry({ item, onLeave }: { item: Reminder; onLeave: () => void }) {
  const { kind, name, lastFour, holderName, expiresAt, createdAt, reasons } = item
  const day = (at: string | null): string => (at === null ? '–' : formatDay(Date.parse(at)))
  return (
    <li>
      <a href={addressOf(item)} onClick={onLeave}>
        <bdi>{holderName ?? name}</bdi>
      </a>
      <span class="weak">
        {t(`reminders.kinds.${kind}`)} <bdi>{name}</bdi> <code dir="ltr">…{lastFour}</code>
      </span>
      <span class="reminder-reasons">
        {reasons.map((reason) => (
          <span key={reason} data-reason={reason}>
            {t(`reminders.reasons.${reason}`, { day: day(reason === 'old' ? createdAt : expiresAt) })}
          </span>
        ))}
      </span>
    </li>
  )
}
