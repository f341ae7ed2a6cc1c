/** Keys that are valid: when each was made and used last, and when it ends. And the question before one is revoked. */
import type { ComponentChildren } from 'preact'
import type { components } from '../api/schema.d.ts'
import { now } from '../clock.ts'
import { formatDay, formatExact } from '../text/format.ts'
import { t } from '../text/text.ts'
import { Age } from './age.tsx'
import { Button, CopyButton } from './button.tsx'
import { Confirm } from './dialog.tsx'
import { PlainTable, ROWS_ON_PHONE } from './plain-table.tsx'

export type ListedKey = components['schemas']['StoredKey'] & { publicKey?: string }

export function KeyTable<Key extends ListedKey>(props: {
  label: string
  keys: readonly Key[]
  /** When there is no valid key. */
  none: ComponentChildren
  onRevoke: (key: Key) => void
  /** More buttons of a key. */
  actions?: (key: Key) => ComponentChildren
}) {
  const valid = props.keys.filter(({ revokedAt }) => revokedAt === null)
  if (valid.length === 0) return <p>{props.none}</p>
  const arePairs = valid.some(({ publicKey }) => publicKey !== undefined)
  const secretTitle = arePairs ? t('applications.secretKey') : t('keys.lastFour')
  return (
    <PlainTable label={props.label} kind={ROWS_ON_PHONE}>
      <thead>
        <tr>
          <th scope="col">{t('keys.name')}</th>
          {arePairs && <th scope="col">{t('applications.publicKey')}</th>}
          <th scope="col">{secretTitle}</th>
          <th scope="col">{t('keys.created')}</th>
          <th scope="col">{t('keys.lastUsed')}</th>
          <th scope="col">{t('keys.expires')}</th>
          <th scope="col">
            <span class="visually-hidden">{t('keys.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {valid.map((key) => (
          <tr key={key.id}>
            <th scope="row" class="wraps">
              <span class="two-lines" title={key.name}>
                <bdi>{key.name}</bdi>
              </span>
            </th>
            {key.publicKey !== undefined && (
              <td>
                <span class="public-key">
                  <code dir="ltr" class="cut" title={key.publicKey}>
                    {key.publicKey}
                  </code>
                  <CopyButton text={key.publicKey} isSmall />
                </span>
              </td>
            )}
            <td>
              <code dir="ltr">…{key.lastFour}</code>
            </td>
            <td>
              <Age at={key.createdAt} />
            </td>
            <td>
              <Age at={key.lastUsedAt} />
            </td>
            <td>
              <Expiry at={key.expiresAt} />
            </td>
            <td class="key-actions">
              {props.actions?.(key)}
              <Button kind="quiet" onClick={() => props.onRevoke(key)}>
                {t('keys.revokeNow')}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  )
}

function Expiry({ at }: { at: string | null }) {
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
        {t('keys.lastUsed')} <Age at={props.revoked.lastUsedAt} />
      </p>
    </Confirm>
  )
}
