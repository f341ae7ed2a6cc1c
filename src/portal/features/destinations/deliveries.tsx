/** The log of what a destination was sent, newest first, as it goes on. */
import { usePolled } from '../../api/polled.ts'
import { now } from '../../shell/clock.ts'
import { addressWith, queryValue, setQuery } from '../../shell/router.ts'
import { formatExact, formatUntil, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { Chips } from '../../ui/chips.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Loaded } from '../../ui/states.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { answerOf, type Delivery, type Destination, eventName, loadDeliveries, STATUSES } from './destination-data.ts'
import { StatusView } from './status-view.tsx'

const FRESH_MS = 3_000

export function Deliveries({ destination, onReplay }: { destination: Destination; onReplay: () => void }) {
  const status = STATUSES.find((one) => one === queryValue('status'))
  const cursor = queryValue('cursor')
  const shown = queryValue('delivery')
  const log = usePolled(
    (signal) => loadDeliveries(destination.id, { status, cursor }, signal),
    [destination.id, status, cursor],
    FRESH_MS,
  )
  return (
    <section class="stack destination-log">
      <div class="log-head">
        <Chips
          label={t('destinations.status')}
          chips={STATUSES.map((one) => ({
            id: one,
            label: t(`destinations.statuses.${one}`),
            href: addressWith({ status: status === one ? undefined : one, cursor: undefined }),
            isOn: status === one,
          }))}
        />
        <Button icon="history" onClick={onReplay}>
          {t('destinations.replay')}
        </Button>
      </div>
      <Loaded resource={log}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 ? (
              <p class="weak">{t(status === undefined ? 'destinations.logEmpty' : 'destinations.logNone')}</p>
            ) : (
              <Log items={items} />
            )}
            {(cursor !== undefined || nextCursor !== null) && (
              <div class="row">
                <Button icon="back" disabled={cursor === undefined} onClick={() => setQuery({ cursor: undefined })}>
                  {t('destinations.newest')}
                </Button>
                <Button
                  disabled={nextCursor === null}
                  onClick={() => setQuery({ cursor: nextCursor ?? undefined }, { push: true })}
                >
                  {t('destinations.older')}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
      {shown !== undefined && (
        <DeliveryDialog
          key={shown}
          destinationId={destination.id}
          deliveryId={shown}
          onSent={({ id }) => {
            setQuery({ delivery: id })
            log.reload()
          }}
          onClose={() => {
            setQuery({ delivery: undefined })
            log.reload()
          }}
        />
      )}
    </section>
  )
}

const Log = ({ items }: { items: readonly Delivery[] }) => (
  <PlainTable
    label={t('destinations.log')}
    kind={ROWS_ON_PHONE}
    rows={items}
    keyOf={({ id }) => id}
    columns={[
      [
        t('destinations.event'),
        ({ id, type, recipient }) => (
          <>
            <a href={addressWith({ delivery: id })}>{eventName(type)}</a>
            {recipient !== null && (
              <span class="destination-target weak" dir="ltr">
                {recipient}
              </span>
            )}
          </>
        ),
        { isName: true, kind: 'wraps' },
      ],
      [t('destinations.time'), ({ createdAt }) => <Age at={createdAt} />],
      [t('destinations.status'), (delivery) => <StatusView delivery={delivery} />],
      [t('destinations.answer'), (delivery) => (delivery.attempts === 0 ? '–' : answerOf(delivery)), { kind: 'wraps' }],
      [t('destinations.attempts'), ({ attempts }) => formatWhole(attempts), { kind: 'number number-cell' }],
      [t('destinations.next'), ({ nextAttemptAt }) => <Until at={nextAttemptAt} />],
    ]}
  />
)

export function Until({ at }: { at: string | null }) {
  if (at === null) return <span class="weak">–</span>
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={formatExact(ms)}>
      {formatUntil(ms, now.value)}
    </time>
  )
}
