/** Events that no request makes, and destinations of events: which targets are allowed, and their deliveries. */
import { createMail } from '../access/mail/mail.ts'
import { startStateWatch } from '../analytics/fleet/state-watch.ts'
import { ConfigError } from '../config/config-error.ts'
import { startDeliveries } from '../destinations/deliver.ts'
import { createAddressMails } from '../destinations/mail/address-mails.ts'
import { startMailer } from '../destinations/mail/mailer.ts'
import { startRepeats } from '../destinations/repeat.ts'
import { type Allow, parseAllow } from '../destinations/targets.ts'
import { startTimedEvents } from '../destinations/timed-events.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { AuthDeps } from '../surfaces/auth/deps.ts'
import type { ManageServices } from '../surfaces/manage/deps.ts'
import { publicAddress, type ServerHost } from './host.ts'
import type { Stores } from './stores/stores.ts'

/** @throws ConfigError that names the wrong entry */
function allowedTargets(text: string): Allow {
  try {
    return parseAllow(text)
  } catch (error) {
    throw error instanceof RangeError ? new ConfigError(`WEBHOOK_ALLOW: ${error.message}`) : error
  }
}

/** What may be a target, and what asks addresses. */
export type Destinations = Pick<ManageServices, 'webhookAllow' | 'addressMails'>

export function openDestinations(
  { config, logger, metrics, shutdown, warn }: ServerHost,
  { db, postgres, clickhouse }: Stores,
  { secret, limits }: Pick<AuthDeps, 'secret' | 'limits'>,
  { isBusy }: Pick<Ingest, 'isBusy'>,
): Destinations {
  const webhookAllow = allowedTargets(config.webhookAllow)
  const common = { secret, timeScale: config.deliveryTimeScale, publicUrl: publicAddress(config) }
  const deliveries = startDeliveries({
    ...common,
    postgres,
    allow: webhookAllow,
    isBusy,
    onAttempt: metrics.deliveryAttempted,
    onError: warn('events could not be delivered; this will be retried'),
  })
  shutdown.onStop('deliveries of events', deliveries.stop)
  const repeats = startRepeats(db, warn('alerts could not be sent again; this will be retried'))
  shutdown.onStop('repeated alerts', repeats.stop)
  const { smtpUrl, mailFrom: from } = config
  if (smtpUrl === undefined) return { webhookAllow, addressMails: undefined }
  // with its own connections, so that links for people do not wait for a burst of events
  const mail = createMail({ smtpUrl, from, onError: logMailError })
  const onError = warn('mails of events could not be sent; this will be retried')
  const mailer = startMailer({ ...common, db, clickhouse, mail, onAttempt: metrics.deliveryAttempted, onError })
  shutdown.onStop('mails of events', async () => {
    await mailer.stop()
    await mail.stop()
  })
  const addressMails = createAddressMails({ db, mail, publicUrl: common.publicUrl, limits, onError: logMailError })
  return { webhookAllow, addressMails }

  function logMailError(error: unknown): void {
    logger.error({ err: error }, 'a mail could not be sent')
  }
}

/** Once the server is ready. */
export function startEvents(
  { instanceId, shutdown, warn }: ServerHost,
  { db, clickhouse, changes }: Stores,
  { oldestRowMs }: Pick<Ingest, 'oldestRowMs'>,
): void {
  const timed = startTimedEvents(
    db,
    warn('ends of keys and refusals of Tool APIs could not be read; this will be retried'),
  )
  const onError = warn('states of sensors could not be compared; this will be retried')
  const states = startStateWatch({ db, clickhouse, changes, instanceId, oldestRowMs, onError })
  const looks = shutdown.together()
  looks.onStop('events by time', timed.stop)
  looks.onStop('events of states', states.stop)
}
