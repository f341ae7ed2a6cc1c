/** One delivery, followed until it has ended: the outcome, the receiver's answer, and sending it again. */
import { useState } from 'preact/hooks'
import { usePolled } from '../../api/polled.ts'
import { formatExact, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Until } from './deliveries.tsx'
import { answerOf, type Delivery, eventName, loadDelivery, resend } from './destination-data.ts'
import { StatusView } from './status-view.tsx'

const FRESH_MS = 1_000

type Props = {
  destinationId: string
  deliveryId: string
  /** The event is sent again by another delivery. */
  onSent: (next: Delivery) => void
  onClose: () => void
}

export function DeliveryDialog(props: Props) {
  const { destinationId, deliveryId, onClose } = props
  const delivery = usePolled(
    (signal) => loadDelivery(destinationId, deliveryId, signal),
    [destinationId, deliveryId],
    FRESH_MS,
  )
  const type = delivery.data.value?.type
  return (
    <Dialog title={type === undefined ? t('destinations.event') : eventName(type)} onClose={onClose} isWide>
      <Loaded resource={delivery} lines={4}>
        {(loaded) => <Facts delivery={loaded} {...props} />}
      </Loaded>
    </Dialog>
  )
}

function outcomeOf(delivery: Delivery): string {
  const { status, attempts, type } = delivery
  const answer = answerOf(delivery)
  if (status === 'pending' && attempts > 0 && hasAnswer(delivery)) return t('destinations.outcome.retried', { answer })
  if (status === 'pending')
    return t(type === 'destination.test' ? 'destinations.waiting' : 'destinations.outcome.pending')
  return t(`destinations.outcome.${status}`, { answer })
}

/** Whether an attempt has ended. */
const hasAnswer = ({ statusCode, failure }: Delivery): boolean => statusCode !== null || failure !== null

function Facts({ delivery, destinationId, onSent, onClose }: { delivery: Delivery } & Props) {
  const [isBusy, setBusy] = useState(false)
  async function sendAgain(): Promise<void> {
    setBusy(true)
    await attempt(async () => onSent(await resend(destinationId, delivery.id)))
    setBusy(false)
  }
  return (
    <div class="stack">
      <p role="status">
        <strong>{outcomeOf(delivery)}</strong>
      </p>
      <dl class="facts">
        <dt>{t('destinations.status')}</dt>
        <dd>
          <StatusView delivery={delivery} />
        </dd>
        <dt>{t('destinations.time')}</dt>
        <dd>{formatExact(Date.parse(delivery.createdAt))}</dd>
        <dt>{t('destinations.attempts')}</dt>
        <dd>{formatWhole(delivery.attempts)}</dd>
        {delivery.nextAttemptAt !== null && (
          <>
            <dt>{t('destinations.next')}</dt>
            <dd>
              <Until at={delivery.nextAttemptAt} />
            </dd>
          </>
        )}
        {delivery.recipient !== null && (
          <>
            <dt>{t('destinations.to')}</dt>
            <dd>
              <bdi>{delivery.recipient}</bdi>
            </dd>
          </>
        )}
        {delivery.groupId !== null && (
          <>
            <dt>{t('destinations.events.group')}</dt>
            <dd>
              <Id text={delivery.groupId} />
            </dd>
          </>
        )}
        <dt>{t('destinations.eventId')}</dt>
        <dd>
          <Id text={delivery.eventId} />
        </dd>
        {delivery.replacedBy !== null && (
          <>
            <dt>{t('destinations.replacedBy')}</dt>
            <dd>
              <Id text={delivery.replacedBy} />
            </dd>
          </>
        )}
      </dl>
      {delivery.statusCode !== null && (
        <section class="stack">
          <h3>{t('destinations.body')}</h3>
          {delivery.answer === null || delivery.answer === '' ? (
            <p class="weak">{t('destinations.noBody')}</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and the keyboard must reach them
            <pre class="delivery-answer" dir="auto" tabIndex={0}>
              {delivery.answer}
            </pre>
          )}
        </section>
      )}
      <div class="dialog-actions">
        <Button onClick={onClose}>{t('frame.close')}</Button>
        {delivery.status !== 'pending' && (
          <Button icon="reload" isBusy={isBusy} onClick={sendAgain}>
            {t('destinations.resend')}
          </Button>
        )}
      </div>
    </div>
  )
}

const Id = ({ text }: { text: string }) => (
  <>
    <code dir="ltr">{text}</code>
    <CopyButton text={text} isSmall />
  </>
)
