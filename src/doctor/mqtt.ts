/** Whether devices can trust the MQTT listener, and for how long. */
import { X509Certificate } from 'node:crypto'
import type { Config } from '../config.ts'
import { type Finding, ok, problem, skipped, warning } from './finding.ts'

const CHECK = 'MQTT'
const MS_PER_DAY = 86_400_000
/** Days before its end in which a certificate is to be renewed. */
const RENEW_DAYS = 14
const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

export function mqttFindings({ mqtt, host }: Pick<Config, 'mqtt' | 'host'>, nowMs = Date.now()): Finding[] {
  if (mqtt === undefined) return [skipped(CHECK, 'MQTT_PORT is not set')]
  const { tls } = mqtt
  if (tls === undefined)
    return LOOPBACK.includes(host)
      ? [ok(CHECK, `without TLS, on ${host} only`)]
      : [
          warning(
            CHECK,
            `keys of devices cross the network without TLS, on ${host}`,
            'Set MQTT_TLS_CERT and MQTT_TLS_KEY, or put a proxy with TLS in front of MQTT_PORT.',
          ),
        ]
  const { validFromDate, validToDate } = new X509Certificate(tls.cert)
  const renew =
    'Renew it, and start the server again: it reads the files of MQTT_TLS_CERT and MQTT_TLS_KEY at its start.'
  if (validFromDate.getTime() > nowMs)
    return [
      problem(
        CHECK,
        `the certificate is valid from ${validFromDate.toISOString()}`,
        'Check the clock of this machine.',
      ),
    ]
  const days = Math.floor((validToDate.getTime() - nowMs) / MS_PER_DAY)
  if (days < 0) return [problem(CHECK, `the certificate ended ${validToDate.toISOString()}`, renew)]
  if (days < RENEW_DAYS) return [warning(CHECK, `the certificate ends in ${days} days`, renew)]
  return [ok(CHECK, `with TLS; the certificate ends in ${days} days`)]
}
