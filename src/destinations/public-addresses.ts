/**
 * Which IP addresses are public: "globally reachable" in IANA's special-purpose registries, without 6to4, Teredo, NAT64
 * and multicast. https://www.iana.org/assignments/iana-ipv4-special-registry and
 * https://www.iana.org/assignments/iana-ipv6-special-registry (2025-10-09).
 */
import { isIPv4, isIPv6 } from 'node:net'

export type Address = { bits: 32 | 128; value: bigint }
export type Range = Address & { prefix: number }

/**
 * The longest range that contains an address decides, as in the registries, where a range is reserved "unless allowed by a
 * more specific allocation". Ranges that a listed one already decides are left out.
 */
const REACHABLE: readonly (readonly [range: string, isReachable: boolean])[] = [
  ['0.0.0.0/0', true],
  ['0.0.0.0/8', false],
  ['10.0.0.0/8', false],
  ['100.64.0.0/10', false],
  ['127.0.0.0/8', false],
  // the platform's services on every machine of Azure; not in the registry
  ['168.63.129.16/32', false],
  ['169.254.0.0/16', false],
  ['172.16.0.0/12', false],
  ['192.0.0.0/24', false],
  ['192.0.0.9/32', true],
  ['192.0.0.10/32', true],
  ['192.0.2.0/24', false],
  // relays of 6to4
  ['192.88.99.0/24', false],
  ['192.168.0.0/16', false],
  ['198.18.0.0/15', false],
  ['198.51.100.0/24', false],
  ['203.0.113.0/24', false],
  // multicast, and from 240.0.0.0 on reserved addresses
  ['224.0.0.0/3', false],
  // global unicast alone: NAT64 (64:ff9b::/96), multicast and what IANA has not assigned are outside
  ['::/0', false],
  ['2000::/3', true],
  // with Teredo, 2001::/32
  ['2001::/23', false],
  ['2001:1::1/128', true],
  ['2001:1::2/128', true],
  ['2001:1::3/128', true],
  ['2001:3::/32', true],
  ['2001:4:112::/48', true],
  ['2001:20::/28', true],
  ['2001:30::/28', true],
  ['2001:db8::/32', false],
  // 6to4
  ['2002::/16', false],
  ['3fff::/20', false],
]

/** The value of IPv6 groups, of which the last may be an IPv4 address. */
function groupsOf(text: string): bigint[] {
  if (text === '') return []
  return text
    .split(':')
    .flatMap((group) =>
      group.includes('.') ? [ipv4Value(group) >> 16n, ipv4Value(group) & 0xffffn] : [BigInt(`0x${group}`)],
    )
}

const ipv4Value = (text: string): bigint => text.split('.').reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)

/** @returns undefined for other texts, and for addresses with a zone; an IPv4-mapped IPv6 address is its IPv4 address */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, value: ipv4Value(text) }
  if (!isIPv6(text) || text.includes('%')) return undefined
  const [head = '', tail] = text.split('::')
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')]
  const zeros = Array<bigint>(8 - left.length - right.length).fill(0n)
  const value = [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) | group, 0n)
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value }
}

/** @returns undefined for other texts, and for a range whose address has bits beyond its prefix */
export function parseRange(text: string): Range | undefined {
  const [, start = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const address = parseAddress(start)
  const prefix = Number(length)
  // an IPv4-mapped range would be counted in the bits of IPv6
  if (address === undefined || prefix > address.bits || (start.includes(':') && address.bits === 32)) return undefined
  const range = { ...address, prefix }
  return networkOf(address, prefix) << BigInt(address.bits - prefix) === address.value ? range : undefined
}

const networkOf = ({ bits, value }: Address, prefix: number): bigint => value >> BigInt(bits - prefix)

export const isInRange = (address: Address, range: Range): boolean =>
  address.bits === range.bits && networkOf(address, range.prefix) === networkOf(range, range.prefix)

const LONGEST_FIRST = REACHABLE.map(([text, isReachable]) => ({ range: parseRange(text) as Range, isReachable })).sort(
  (a, b) => b.range.prefix - a.range.prefix,
)

export const isPublicAddress = (address: Address): boolean =>
  LONGEST_FIRST.find(({ range }) => isInRange(address, range))?.isReachable === true
