/** Addresses of a destination that do not get its mails: not confirmed yet, or left. */
import { changeRecord, type Versioned } from '../../api/record.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/toasts.tsx'
import { type Destination, destinationPath } from './destination-data.ts'

export function Addresses(props: { destination: Destination; onChange: (next: Versioned<Destination>) => void }) {
  const { id, addresses, to } = props.destination
  const without = addresses.flatMap(({ email, state }) => (state === 'confirmed' ? [] : [{ email, state }]))
  if (without.length === 0) return null
  async function sendLinks(): Promise<void> {
    await attempt(async () => {
      props.onChange(await changeRecord<Destination>(destinationPath(id), undefined, { to }))
      notify(t('destinations.linksSent'))
    })
  }
  return (
    <section class="notice" role="status">
      <Icon name="alert" />
      <div>
        <h2>{t('destinations.addressesTitle')}</h2>
        <ul>
          {without.map(({ email, state }) => (
            <li key={email}>
              <bdi>{email}</bdi> <span class="weak">{t(`destinations.addresses.${state}`)}</span>
            </li>
          ))}
        </ul>
        {without.some(({ state }) => state !== 'unsubscribed') && (
          <div class="row">
            <Button onClick={sendLinks}>{t('destinations.sendLinks')}</Button>
          </div>
        )}
      </div>
    </section>
  )
}
