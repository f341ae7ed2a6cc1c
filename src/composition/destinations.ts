/** Events that no request makes, and destinations of events: which targets are allowed, and their deliveries. */
import { startStateWatch } from '../analytics/fleet/state-watch.ts'
import { ConfigError } from '../config/config-error.ts'
import { startDeliveries } from '../destinations/deliver.ts'
import { type Allow, parseAllow } from '../destinations/targets.ts'
import { startTimedEvents } from '../destinations/timed-events.ts'
import type { Ingest } from '../ingest/ingest.ts'
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

/** @param secret the server's secret @returns what may be a target */
export function openDestinations(
  { config, metrics, shutdown, warn }: ServerHost,
  { postgres }: Stores,
  secret: string,
): Allow {
  const allow = allowedTargets(config.webhookAllow)
  const deliveries = startDeliveries({
    postgres,
    secret,
    allow,
    timeScale: config.deliveryTimeScale,
    publicUrl: publicAddress(config),
    onAttempt: metrics.deliveryAttempted,
    onError: warn('events could not be delivered; this will be retried'),
  })
  shutdown.onStop('deliveries of events', deliveries.stop)
  return allow
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
