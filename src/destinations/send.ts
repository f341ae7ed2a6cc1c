/**
 * Sends one webhook. Its host's name is resolved once, every address is checked, and the connection goes to a checked
 * address: no redirect, no proxy and no second look-up can lead elsewhere. Written on sockets, since an HTTP client would
 * look the name up itself, keep connections, and report an answer only after its headers.
 */
import { lookup } from 'node:dns/promises'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type AnswerReader, createAnswerReader } from './answer-reader.ts'
import { isPublicAddress, parseAddress } from './public-addresses.ts'
import { type Allow, checkTarget, hostOf, isAllowed, isPlainTarget } from './targets.ts'

/** From the start of an attempt to its end; what has arrived by then counts. */
const ATTEMPT_MS = 15_000
/** For one address while there are others. */
const CONNECT_MS = 4_000
const ANSWER_BYTES = 65_536
const MAX_ADDRESSES = 4

export type Webhook = {
  url: string
  /** All but Host, Content-Length and Connection. */
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  allow: Allow
  signal: AbortSignal
}

/**
 * Why there is no status. None names an address. `target`: the URL is not allowed, or its host has no address, or one that
 * is not public; one reason for all, so that nobody finds out which names a private network has.
 */
export type Failure =
  | 'target'
  | 'unreachable'
  | 'refused'
  | 'certificate-expired'
  | 'certificate-name'
  | 'certificate-untrusted'
  | 'tls'
  | 'reset'
  | 'no-answer'
  | 'not-http'
  | 'timeout'

export type Outcome =
  | {
      kind: 'answered'
      statusCode: number
      retryAfterMs?: number
      /** The beginning of the body, at most one kilobyte. */
      answer: string
      durationMs: number
    }
  | { kind: 'failed'; reason: Failure; durationMs: number }

/** What tests replace. */
export type Network = {
  /** @returns all addresses of a name. @throws Error if it has none */
  resolve: (host: string) => Promise<readonly string[]>
  /** Certificates of CAs, instead of those that the server trusts. */
  ca?: string
  attemptMs: number
  connectMs: number
}

const NETWORK: Network = {
  resolve: async (host) => (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address),
  attemptMs: ATTEMPT_MS,
  connectMs: CONNECT_MS,
}

class AttemptError extends Error {
  constructor(readonly reason: Failure) {
    super(reason)
  }
}

/**
 * @throws the reason of the signal, if it ends the attempt before the status line
 * @throws TypeError for a header that cannot be sent
 */
export async function sendWebhook(webhook: Webhook, options: Partial<Network> = {}): Promise<Outcome> {
  const network = { ...NETWORK, ...options }
  const { url, allow, signal } = webhook
  signal.throwIfAborted()
  const startedAt = performance.now()
  const durationMs = (): number => Math.round(performance.now() - startedAt)
  const reader = createAnswerReader()
  // not AbortSignal.any: the signal of a server lives on, and so would what listens to it
  const attempt = new AbortController()
  const timer = setTimeout(() => attempt.abort(new AttemptError('timeout')), network.attemptMs)
  const onStop = (): void => attempt.abort(signal.reason)
  signal.addEventListener('abort', onStop)
  try {
    if (checkTarget(url, allow) !== undefined) throw new AttemptError('target')
    const request = Buffer.concat([headOf(webhook), webhook.body])
    const addresses = await checkedAddresses(new URL(url), allow, network, attempt.signal)
    const socket = await connectToFirst(new URL(url), addresses, network, attempt.signal)
    await exchange(socket, request, reader, attempt.signal)
  } catch (error) {
    if (error instanceof AttemptError) return { kind: 'failed', reason: error.reason, durationMs: durationMs() }
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onStop)
  }
  const { statusCode, retryAfterMs } = reader
  if (statusCode === undefined) throw new Error('an exchange without an error has a status')
  return {
    kind: 'answered',
    statusCode,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    answer: reader.text(),
    durationMs: durationMs(),
  }
}

const SET_HERE = ['host', 'content-length', 'transfer-encoding', 'connection']

/** @throws TypeError */
function headOf({ url, headers, body }: Webhook): Uint8Array {
  const { host, pathname, search } = new URL(url)
  const lines = [`POST ${pathname}${search} HTTP/1.1`, `Host: ${host}`]
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    if (SET_HERE.includes(name.toLowerCase())) throw new TypeError(`the header ${name} is set by the sender`)
    lines.push(`${name}: ${value}`)
  }
  lines.push(`Content-Length: ${body.length}`, 'Connection: close', '', '')
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

/** The addresses of a host, all of which may be connected to. @throws AttemptError */
async function checkedAddresses(url: URL, allow: Allow, network: Network, stop: AbortSignal): Promise<string[]> {
  const host = hostOf(url)
  // a name that is not found is not distinguished from one that is not public
  const texts = isIP(host) > 0 ? [host] : await untilStopped(network.resolve(host), stop).catch(() => [])
  stop.throwIfAborted()
  const isGood = (text: string): boolean => {
    const address = parseAddress(text)
    if (address === undefined) return false
    return isAllowed(host, address, allow) || (isPublicAddress(address) && isPlainTarget(url))
  }
  if (texts.length === 0 || !texts.every(isGood)) throw new AttemptError('target')
  return texts.slice(0, MAX_ADDRESSES)
}

/** A look-up cannot be ended; its result is then dropped. */
function untilStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason), { once: true })
    work.then(resolve, reject)
  })
}

/** Tries the addresses in their order; nothing is sent before a connection is ready. @throws AttemptError */
async function connectToFirst(url: URL, addresses: readonly string[], network: Network, stop: AbortSignal) {
  let failure: unknown
  for (const [i, address] of addresses.entries())
    try {
      const isLast = i === addresses.length - 1
      return await connectTo(url, address, network, isLast ? undefined : network.connectMs, stop)
    } catch (error) {
      stop.throwIfAborted()
      failure = error
    }
  throw failure
}

function connectTo(url: URL, address: string, { ca }: Network, limitMs: number | undefined, stop: AbortSignal) {
  const host = hostOf(url)
  const isTls = url.protocol === 'https:'
  const target = { host: address, port: Number(url.port || (isTls ? 443 : 80)) }
  const socket = isTls
    ? connectTls({
        ...target,
        // TLS has names only in SNI; an address is checked against the certificate all the same
        ...(isIP(host) === 0 && { servername: host }),
        rejectUnauthorized: true,
        ...(ca !== undefined && { ca }),
      })
    : connectTcp(target)
  return new Promise<Socket>((resolve, reject) => {
    const timer = limitMs === undefined ? undefined : setTimeout(() => fail('unreachable'), limitMs)
    function settle(): void {
      clearTimeout(timer)
      stop.removeEventListener('abort', onAbort)
    }
    function fail(reason: Failure): void {
      settle()
      socket.destroy()
      reject(new AttemptError(reason))
    }
    // the caller throws the reason of the signal
    const onAbort = (): void => fail('timeout')
    stop.addEventListener('abort', onAbort)
    // stays, since an error of a socket that nobody listens to would end the server
    socket.on('error', (error) => fail(failureOf(error, isTls)))
    socket.once('close', () => fail('reset'))
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      settle()
      resolve(socket)
    })
  })
}

const FAILURES: Record<string, Failure> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  CERT_HAS_EXPIRED: 'certificate-expired',
  CERT_NOT_YET_VALID: 'certificate-expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate-untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate-untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate-untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate-untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate-untrusted',
}

const failureOf = ({ code = '' }: NodeJS.ErrnoException, isTls: boolean): Failure =>
  FAILURES[code] ?? (isTls ? 'tls' : 'reset')

/**
 * Sends the request and reads until the answer is complete, the limit of bytes or the end of the attempt.
 * @throws AttemptError without a status
 */
function exchange(socket: Socket, request: Uint8Array, reader: AnswerReader, stop: AbortSignal) {
  let received = 0
  return new Promise<void>((resolve, reject) => {
    function end(error: unknown): void {
      stop.removeEventListener('abort', onAbort)
      socket.destroy()
      if (reader.statusCode === undefined) reject(error)
      else resolve()
    }
    const onAbort = (): void => end(stop.reason)
    stop.addEventListener('abort', onAbort)
    socket.on('data', (bytes: Uint8Array) => {
      received += bytes.length
      try {
        if (reader.read(bytes) || received >= ANSWER_BYTES) end(new AttemptError('not-http'))
      } catch {
        end(new AttemptError('not-http'))
      }
    })
    socket.on('error', () => end(new AttemptError('reset')))
    socket.on('close', () => end(new AttemptError('no-answer')))
    socket.write(request)
  })
}
