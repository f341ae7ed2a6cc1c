/** Valid keys: when each was created and last used, and when it expires. Asks before a key is revoked. */
import type { ComponentChildren } from 'preact'
import type { components } from '../../api/schema.d.ts'
import { now } from '../../shell/clock.ts'
import { formatDay, formatExact } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age, LastUse } from '../../ui/age.tsx'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'

export type ListedKey = components['schemas']['StoredKey'] & { publicKey?: string }

export function KeyTable<Key extends ListedKey>(props: {
  label: string
  keys: readonly Key[]
  /** Shown when there is no valid key. */
  none: ComponentChildren
  onRevoke: (key: Key) => void
  /** Additional buttons of a key. */
  actions?: (key: Key) => ComponentChildren
}) {
  const valid = props.keys.filter(({ revokedAt }) => revokedAt === null)
  if (valid.length === 0) return <p>{props.none}</p>
  const arePairs = valid.some(({ publicKey }) => publicKey !== undefined)
  const secretTitle = arePairs ? t('applications.secretKey') : t('keys.lastFour')
  return (
    <PlainTable
      label={props.label}
      kind={ROWS_ON_PHONE}
      rows={valid}
      keyOf={({ id }) => id}
      columns={[
        [
          t('keys.name'),
          ({ name }) => (
            <span class="two-lines" title={name}>
              <bdi>{name}</bdi>
            </span>
          ),
          { isName: true, kind: 'wraps' },
        ],
        arePairs && [
          t('applications.publicKey'),
          ({ publicKey }) =>
            publicKey !== undefined && (
              <span class="public-key">
                <code dir="ltr" class="cut" title={publicKey}>
                  {publicKey}
                </code>
                <CopyButton text={publicKey} isSmall />
              </span>
            ),
        ],
        [secretTitle, ({ lastFour }) => <code dir="ltr">…{lastFour}</code>],
        [t('keys.created'), ({ createdAt }) => <Age at={createdAt} />],
        [t('keys.lastUsed'), ({ lastUsedAt }) => <LastUse at={lastUsedAt} recordedEvery="hour" />],
        [t('keys.expires'), ({ expiresAt }) => <Expiry at={expiresAt} />],
        [
          t('keys.actions'),
          (key) => (
            <>
              {props.actions?.(key)}
              <Button kind="quiet" onClick={() => props.onRevoke(key)}>
                {t('keys.revokeNow')}
              </Button>
            </>
          ),
          { isTitleHidden: true, kind: 'key-actions' },
        ],
      ]}
    />
  )
}

export function Expiry({ at }: { at: string | null }) {
  if (at === null) return <span class="weak">{t('frame.never')}</span>
  const ms = Date.parse(at)
  const day = (
    <time dateTime={at} title={formatExact(ms)}>
      {formatDay(ms)}
    </time>
  )
  if (ms > now.value) return day
  return (
    <span class="state-silent">
      {t('keys.isExpired')} {day}
    </span>
  )
}

export function RevokeKey(props: {
  title: string
  text: string
  revoked: Pick<ListedKey, 'lastUsedAt'>
  onConfirm: () => Promise<void>
  onClose: () => void
}) {
  return (
    <Confirm title={props.title} action={t('keys.revokeNow')} onConfirm={props.onConfirm} onClose={props.onClose}>
      <p>{props.text}</p>
      <p class="weak">
        {t('keys.lastUsed')} <LastUse at={props.revoked.lastUsedAt} recordedEvery="hour" />
      </p>
    </Confirm>
  )
}
