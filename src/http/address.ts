/** The address of a request's caller: the peer of the connection, or the address that trusted proxies report. */
import { type RequestContext, requestContextOf } from './request-context.ts'

const UNKNOWN = 'unknown'

export type HeaderLookup = Pick<Headers, 'get'>

/**
 * If the connection comes from a trusted proxy: the newest entry of X-Forwarded-For that is not itself a trusted proxy.
 * IPv6 addresses are shortened to their /64, since one caller has all addresses of it.
 */
function addressIn({ connection, trustedProxies }: RequestContext, headers: HeaderLookup): string {
  const peer = plain(connection?.address ?? UNKNOWN)
  if (trustedProxies === undefined || !trustedProxies.has(peer)) return network(peer)
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',').map((entry) => plain(entry.trim()))
  return network(forwarded.findLast((entry) => entry !== '' && !trustedProxies.has(entry)) ?? peer)
}

/** Whether a call went through a proxy that is not trusted. */
export const isForwardedByStranger = ({ connection, trustedProxies }: RequestContext, headers: Headers): boolean =>
  headers.has('x-forwarded-for') && trustedProxies?.has(plain(connection?.address ?? UNKNOWN)) === false

export const addressOf = (request: Request): string => addressIn(requestContextOf(request), request.headers)

/** The part of a call that the sensor gate needs. */
export const senderIn = (requestContext: RequestContext, headers: HeaderLookup) => ({
  headers,
  address: () => addressIn(requestContext, headers),
})

/** The part of a request that the gates need. */
export const peerOf = (request: Request) => ({ headers: request.headers, address: () => addressOf(request) })

/** The address of a connection without headers, as limits count it. */
export const networkOf = (address: string): string => network(plain(address))

/** Turns an IPv4-mapped IPv6 address back into the IPv4 address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, 64)

function network(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const [left, right] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = tail === undefined ? 0 : 8 - (left?.length ?? 0) - (right?.length ?? 0)
  const groups = [...(left ?? []), ...Array<string>(Math.max(0, zeros)).fill('0'), ...(right ?? [])]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * Whether the caller's connection is encrypted: PUBLIC_URL says so, or the proxy that ends TLS, since this server has none
 * itself.
 */
export function isSecure(request: Request): boolean {
  const { connection, publicTls, trustedProxies } = requestContextOf(request)
  if (publicTls === true) return true
  const peer = plain(connection?.address ?? UNKNOWN)
  if (trustedProxies?.has(peer) !== true) return false
  return request.headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https'
}
