/** Public addresses against IANA's registries, which Python's ipaddress applies. */
import { expect, test } from 'bun:test'
import { isPublicAddress, parseAddress, parseRange } from '../../../src/destinations/public-addresses.ts'
import { python } from '../../support/python.ts'
import { seeded, testSeed, whole } from '../../support/random.ts'

/**
 * All rows of IANA's special-purpose registries for IPv4 and IPv6 (2025-10-09): the range, and "Globally Reachable", where
 * N/A and no value count as false.
 */
const REGISTRIES = `
0.0.0.0/8 False
0.0.0.0/32 False
10.0.0.0/8 False
100.64.0.0/10 False
127.0.0.0/8 False
169.254.0.0/16 False
172.16.0.0/12 False
192.0.0.0/24 False
192.0.0.0/29 False
192.0.0.8/32 False
192.0.0.9/32 True
192.0.0.10/32 True
192.0.0.170/32 False
192.0.0.171/32 False
192.0.2.0/24 False
192.31.196.0/24 True
192.52.193.0/24 True
192.88.99.0/24 False
192.88.99.2/32 False
192.168.0.0/16 False
192.175.48.0/24 True
198.18.0.0/15 False
198.51.100.0/24 False
203.0.113.0/24 False
240.0.0.0/4 False
255.255.255.255/32 False
::1/128 False
::/128 False
64:ff9b::/96 True
64:ff9b:1::/48 False
100::/64 False
100:0:0:1::/64 False
2001::/23 False
2001::/32 False
2001:1::1/128 True
2001:1::2/128 True
2001:1::3/128 True
2001:2::/48 False
2001:3::/32 True
2001:4:112::/48 True
2001:10::/28 False
2001:20::/28 True
2001:30::/28 True
2001:db8::/32 False
2002::/16 False
2620:4f:8000::/48 True
3fff::/20 False
5f00::/16 False
fc00::/7 False
fe80::/10 False`

/** What the design takes away: 6to4, Teredo, NAT64, multicast, the platform of Azure, and all but 2000::/3. */
const JUDGE = `
import ipaddress, random, sys, json
rows = [line.split() for line in sys.argv[1].strip().splitlines()]
nets = sorted(((ipaddress.ip_network(n), g == 'True') for n, g in rows), key=lambda row: -row[0].prefixlen)
minus = [ipaddress.ip_network(n) for n in ('192.88.99.0/24', '2002::/16', '2001::/32', '64:ff9b::/96', '64:ff9b:1::/48', '224.0.0.0/4', 'ff00::/8', '168.63.129.16/32')]
def public(a):
    mapped = getattr(a, 'ipv4_mapped', None)
    if mapped: return public(mapped)
    if any(a.version == n.version and a in n for n in minus): return False
    if a.version == 6 and a not in ipaddress.ip_network('2000::/3'): return False
    return next((g for n, g in nets if n.version == a.version and a in n), True)
random.seed(int(sys.argv[2]))
ips = []
for net in [n for n, _ in nets] + minus + [ipaddress.ip_network('2000::/3')]:
    first, last = int(net.network_address), int(net.broadcast_address)
    top = 2 ** net.max_prefixlen - 1
    kind = type(net.network_address)
    for value in (first - 1, first, first + 1, random.randint(first, last), last - 1, last, last + 1):
        if 0 <= value <= top: ips.append(kind(value))
ips += [ipaddress.IPv4Address(random.getrandbits(32)) for _ in range(1000)]
ips += [ipaddress.IPv6Address((1 << 125) | random.getrandbits(125)) for _ in range(500)]
ips += [ipaddress.IPv6Address(random.getrandbits(128)) for _ in range(500)]
ips += [ipaddress.IPv6Address((0xffff << 32) | int(ip)) for ip in ips if ip.version == 4]
rows = []
for ip in ips:
    texts = {str(ip), ip.exploded}
    if ip.version == 6: texts.add('::ffff:' + str(ip.ipv4_mapped) if ip.ipv4_mapped else ip.exploded.upper())
    rows += [(text, public(ip)) for text in sorted(texts)]
print(json.dumps(rows))
`

test('an address is public if the registries and the design say so, in every spelling', async () => {
  process.stderr.write(`public addresses: replay with TEST_SEED=${testSeed}\n`)
  const judged = JSON.parse(await python(JUDGE, REGISTRIES, String(testSeed))) as [text: string, isPublic: boolean][]
  expect(judged.length).toBeGreaterThan(5_000)
  expect(new Set(judged.map(([, isPublic]) => isPublic)).size).toBe(2)
  const wrong = judged.filter(([text, isPublic]) => isPublicAddress(parseAddress(text)!) !== isPublic)
  expect(wrong).toEqual([])
})

test.each([
  ['168.63.129.16', false],
  ['169.254.169.254', false],
  ['8.8.8.8', true],
  ['2606:4700:4700::1111', true],
  ['::ffff:127.0.0.1', false],
  ['::ffff:8.8.8.8', true],
  ['64:ff9b::8.8.8.8', false],
  ['2002:808:808::1', false],
  ['fd00:ec2::254', false],
])('%s is public: %p', (text, isPublic) => {
  expect(isPublicAddress(parseAddress(text)!)).toBe(isPublic)
})

test('a text in another form is no address', () => {
  for (const text of [
    '',
    '1',
    '127.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '1.2.3.4.',
    '1.2.3.4/32',
    'fe80::1%eth0',
    '1:2',
    '[::1]',
  ])
    expect([text, parseAddress(text)]).toEqual([text, undefined])
})

test('a range is read as Python does, and has no bits beyond its prefix', async () => {
  const random = seeded(testSeed)
  const texts = Array.from({ length: 500 }, () => {
    const isV4 = random() < 0.5
    const prefix = whole(random, isV4 ? 36 : 132)
    const groups = Array.from({ length: isV4 ? 4 : 8 }, () => (random() < 0.7 ? 0 : whole(random, isV4 ? 256 : 65_536)))
    return `${groups.map((group) => (isV4 ? String(group) : group.toString(16))).join(isV4 ? '.' : ':')}/${prefix}`
  })
  const program = `
import ipaddress, sys, json
def read(text):
    try: net = ipaddress.ip_network(text)
    except ValueError: return None
    return [net.max_prefixlen, str(int(net.network_address)), net.prefixlen]
print(json.dumps([read(text) for text in json.loads(sys.argv[1])]))`
  const expected = JSON.parse(await python(program, JSON.stringify(texts))) as unknown[]
  expect(expected.filter((range) => range !== null).length).toBeGreaterThan(20)
  const read = texts.map((text) => {
    const range = parseRange(text)
    return range === undefined ? null : [range.bits, String(range.value), range.prefix]
  })
  expect(read).toEqual(expected as never)
  for (const text of ['10.0.0.0', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', '::ffff:10.0.0.0/104', 'a/8'])
    expect([text, parseRange(text)]).toEqual([text, undefined])
})
