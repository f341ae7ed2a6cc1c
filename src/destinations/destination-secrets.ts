/** What a destination keeps secret, encrypted with the server's secret: signing keys, and the values of headers. */
import { sealFor } from '../access/sealed-answers.ts'
import { newKeyPair, newSecret } from './signature.ts'

export type DestinationSecrets = {
  privateKey: string
  /** The newest first. An earlier one signs too until `untilMs`. */
  secrets: readonly { secret: string; untilMs?: number }[]
  headers: Readonly<Record<string, string>>
  /** Of a service in PagerDuty. */
  routingKey?: string | undefined
}

/** How long the previous secret signs beside a new one. */
const BOTH_MS = 24 * 3_600_000

const sealOf = (id: string, serverSecret: string) => sealFor(id, 'destinations', serverSecret)

export const sealSecrets = (id: string, secrets: DestinationSecrets, serverSecret: string): string =>
  new TextDecoder().decode(sealOf(id, serverSecret).close(new TextEncoder().encode(JSON.stringify(secrets))))

/** @throws Error if the server has another secret now */
export const openSecrets = (id: string, sealed: string, serverSecret: string): DestinationSecrets =>
  JSON.parse(
    new TextDecoder().decode(sealOf(id, serverSecret).open(new TextEncoder().encode(sealed))),
  ) as DestinationSecrets

export function newSecrets(given: Pick<DestinationSecrets, 'headers' | 'routingKey'>) {
  const { privateKey, publicKey } = newKeyPair()
  const secret = newSecret()
  return { secret, publicKey, secrets: { privateKey, secrets: [{ secret }], ...given } satisfies DestinationSecrets }
}

/** With a new secret. Of the earlier ones, the newest stays valid for a day. */
export function rotated(secrets: DestinationSecrets, nowMs: number): { secret: string; secrets: DestinationSecrets } {
  const secret = newSecret()
  const [previous] = secrets.secrets
  const kept = previous === undefined ? [] : [{ secret: previous.secret, untilMs: nowMs + BOTH_MS }]
  return { secret, secrets: { ...secrets, secrets: [{ secret }, ...kept] } }
}

/** The secrets that sign at this time. */
export const validSecrets = ({ secrets }: DestinationSecrets, nowMs: number): string[] =>
  secrets.filter(({ untilMs }) => untilMs === undefined || untilMs > nowMs).map(({ secret }) => secret)
