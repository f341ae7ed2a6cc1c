/** Destinations of events: which targets are allowed, and their deliveries. */
import { ConfigError } from '../config/config-error.ts'
import { startDeliveries } from '../destinations/deliver.ts'
import { startRepeats } from '../destinations/repeat.ts'
import { type Allow, parseAllow } from '../destinations/targets.ts'
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
export function openDestinations({ config, shutdown, warn }: ServerHost, { postgres }: Stores, secret: string): Allow {
  const allow = allowedTargets(config.webhookAllow)
  const deliveries = startDeliveries({
    postgres,
    secret,
    allow,
    timeScale: config.deliveryTimeScale,
    publicUrl: publicAddress(config),
    onError: warn('events could not be delivered; this will be retried'),
  })
  shutdown.onStop('deliveries of events', deliveries.stop)
  shutdown.onStop('repeated alerts', startRepeats(db, warn('alerts could not be sent again; this will be retried')))
  return allow
}
