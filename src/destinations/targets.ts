/** Which URLs webhooks may be sent to: https on public addresses, and what the operator allows by WEBHOOK_ALLOW. */
import { isIPv4 } from 'node:net'
import type { Bilingual } from '../field-texts/bilingual.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { type Address, isInRange, isPublicAddress, parseAddress, parseRange, type Range } from './public-addresses.ts'

export type Allow = {
  /** Names whose addresses are allowed, wherever they are. */
  hosts: ReadonlySet<string>
  /** Addresses that are allowed, of any name. */
  ranges: readonly Range[]
}

export type Problem = { rule: string; text: Bilingual }

// _ is no letter of host names, but services of Docker have it
const LABEL = '[a-z\\d_]([a-z\\d_-]{0,61}[a-z\\d_])?'
const NAME = new RegExp(`^(?=.{1,253}$)(${LABEL}\\.)*${LABEL}$`)

/**
 * @param text hosts, addresses and CIDR ranges, separated by commas
 * @throws RangeError that names the first wrong entry
 */
export function parseAllow(text: string): Allow {
  const hosts = new Set<string>()
  const ranges: Range[] = []
  for (const entry of text.split(',').map((part) => part.trim().toLowerCase())) {
    if (entry === '') continue
    const address = parseAddress(entry)
    const range = address === undefined ? parseRange(entry) : { ...address, prefix: address.bits }
    if (range !== undefined) ranges.push(range)
    // a name with a last label of digits would be a wrong address
    else if (NAME.test(entry) && !/(^|\.)(\d+|0x[\da-f]*)$/.test(entry)) hosts.add(entry)
    else
      throw new RangeError(
        `"${entry}" must be the name of a host, an IP address, or a CIDR range without bits beyond its prefix, such as hooks.example.com, 10.1.2.3, 10.0.0.0/8 or fd00::/8`,
      )
  }
  return { hosts, ranges }
}

/** Whether the operator allows an address of a host, with http and all ports. */
export const isAllowed = (host: string, address: Address, { hosts, ranges }: Allow): boolean =>
  hosts.has(host) || ranges.some((range) => isInRange(address, range))

/** The host of a URL without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** Plain http and other ports need WEBHOOK_ALLOW. */
export const isPlainTarget = ({ protocol, port }: URL): boolean => protocol === 'https:' && port === ''

const AUTHORITY = /^https?:\/\/([^/?#]+)(?:[/?#]|$)/i
const PORT = /:\d*$/

/**
 * What is wrong with a URL before its name is resolved. Other spellings of an IP address (octal, hexadecimal, short,
 * IPv4 in IPv6) are refused, even for a public one.
 * @param url as it was sent
 */
export function checkTarget(url: string, allow: Allow): Problem | undefined {
  const [, authority = ''] = AUTHORITY.exec(url) ?? []
  // the parser of URLs would remove or replace these characters
  if (authority === '' || /[\s\p{Cc}\\]/u.test(url) || !URL.canParse(url)) return problem('targetUrl')
  const parsed = new URL(url)
  if (authority.includes('@')) return problem('targetUser')
  const host = hostOf(parsed)
  const address = parseAddress(host)
  const written = authority.replace(PORT, '').toLowerCase()
  if (host.endsWith('.') || written.includes('%')) return problem('targetHost')
  // a name may be written in other letters than ASCII; an IPv4 address has one spelling
  if (isIPv4(host) ? written !== host : address?.bits === 32) return problem('targetHost')
  if (address !== undefined) {
    const isFree = isAllowed(host, address, allow)
    if (!isFree && !isPublicAddress(address)) return problem('targetPublic')
    return isFree || isPlainTarget(parsed) ? undefined : problem('targetHttps')
  }
  // a name may resolve into an allowed range, which each attempt checks
  if (allow.hosts.has(host) || allow.ranges.length > 0) return undefined
  if (!host.includes('.') || host.endsWith('.localhost')) return problem('targetPublic')
  return isPlainTarget(parsed) ? undefined : problem('targetHttps')
}

const problem = (key: 'targetUrl' | 'targetUser' | 'targetHost' | 'targetPublic' | 'targetHttps'): Problem => ({
  rule: 'webhookTarget',
  text: fieldText(key),
})
