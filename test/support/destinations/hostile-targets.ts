/**
 * Hosts that lead to a machine's own or private network, from public lists: OWASP's cheat sheet on server-side request
 * forgery, "Server-Side Request Forgery" of PayloadsAllTheThings, and the URL validation cheat sheet of PortSwigger.
 */
import { type Random, whole } from '../random.ts'
import { some } from '../twins/any-layer.ts'

/** Other spellings of addresses, and addresses that are not public. */
export const LISTED_HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.127.127.127',
  '127.0.1.3',
  '0',
  '0.0.0.0',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7f.0x0.0x0.0x1',
  '0177.0.0.01',
  '0177.1',
  '00000177.0.0.1',
  '0x7f.1',
  '127.0.0.1.',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '3232235521',
  '0xc0a80001',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xA9FEA9FE',
  '0251.0376.0251.0376',
  '0xa9.0xfe.0xa9.0xfe',
  '169.254.43518',
  '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:169.254.169.254]',
  '[::ffff:8.8.8.8]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:7f00:1::]',
  '[fd00:ec2::254]',
  '[fc00::1]',
  '[fe80::1]',
  '[fe80::1%25lo]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[5f00::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[4000::1]',
] as const

/** Names that resolve into a private network, with an address of theirs. */
export const LISTED_NAMES: readonly (readonly [name: string, address: string])[] = [
  ['localhost', '127.0.0.1'],
  ['localhost.localdomain', '127.0.0.1'],
  ['LOCALHOST', '::1'],
  ['foo.localhost', '127.0.0.1'],
  ['localtest.me', '127.0.0.1'],
  ['localtest.me', '::1'],
  ['spoofed.burpcollaborator.net', '127.0.0.1'],
  ['127.0.0.1.nip.io', '127.0.0.1'],
  ['company.127.0.0.1.nip.io', '127.0.0.1'],
  ['www.oastify.com.127.0.0.1.sslip.io', '127.0.0.1'],
  ['mail.ebc.apple.com', '127.0.0.6'],
  ['bugbounty.dod.network', '127.0.0.2'],
  ['1ynrnhl.xip.io', '169.254.169.254'],
  ['metadata.google.internal', '169.254.169.254'],
  ['instance-data', '169.254.169.254'],
  ['ip6-localhost', '::1'],
  ['mapped.example', '::ffff:127.0.0.1'],
  ['nat64.example', '64:ff9b::7f00:1'],
  ['link-local.example', 'fe80::1%lo'],
  ['wrong.example', '127.1'],
  ['bücher.example', '127.0.0.1'],
]

/** Around a host: what makes some parsers see another one. `#` stands for the host. */
const AROUND = [
  'https://#/',
  'http://#/',
  'HTTPS://#/',
  'https://#:443/',
  'http://#:80/',
  'https://example.com@#/',
  'https://#@example.com/',
  'https://example.com:80@#:443/',
  'https://example.com\\@#/',
  'https://#\\@example.com/',
  'https:\\\\#\\',
  'https:#/',
  'https:/#/',
  'https:///#/',
  '//#/',
  ' https://#/',
  'https://\t#/',
  'https://#\n/',
  'https://#\r\nHost: example.com/',
  'https://#%00.example.com/',
  'https://#?https://example.com/',
  'https://##https://example.com/',
  'https://#;example.com/',
  'ftp://#/',
  'file://#/etc/passwd',
  'gopher://#:70/_x',
  'dict://#:11211/stat',
  'ldap://#/',
  'jar:https://#!/',
  'javascript://#/',
  'wss://#/',
  'unix://#/var/run/docker.sock',
] as const

/** One number in one of the spellings that inet_aton reads. */
const spelled = (random: Random, value: number): string =>
  some(random, [
    String(value),
    `0${value.toString(8)}`,
    `0x${value.toString(16)}`,
    `0X${value.toString(16)}`,
    `000${value.toString(8)}`,
  ])

function privateHost(random: Random): string {
  const [first, second] = some(random, [
    [127, whole(random, 256)],
    [10, whole(random, 256)],
    [192, 168],
    [172, 16 + whole(random, 16)],
    [169, 254],
    [100, 64 + whole(random, 64)],
    [0, whole(random, 256)],
    [224 + whole(random, 32), whole(random, 256)],
  ]) as [number, number]
  const bytes = [first, second, whole(random, 256), whole(random, 256)] as const
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
  const dotted = bytes.join('.')
  const hex = (high: number, low: number): string => (high * 256 + low).toString(16)
  const groups = `${hex(bytes[0], bytes[1])}:${hex(bytes[2], bytes[3])}`
  return some(random, [
    dotted,
    bytes.map((byte) => spelled(random, byte)).join('.'),
    `${spelled(random, first)}.${spelled(random, value % 2 ** 24)}`,
    `${spelled(random, first)}.${spelled(random, second)}.${spelled(random, value % 2 ** 16)}`,
    spelled(random, value),
    `[::ffff:${dotted}]`,
    `[::ffff:${groups}]`,
    `[::${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[2002:${groups}::1]`,
    `[fd${hex(0, bytes[3]).padStart(2, '0')}:${groups}::1]`,
    `[fe80::${groups}]`,
  ])
}

/** A URL whose host, or one that a part of it looks like, is in no public network. Ports of the templates stay. */
export function hostileUrl(random: Random, port: number): string {
  const host = random() < 0.3 ? some(random, LISTED_HOSTS) : privateHost(random)
  return random() < 0.6
    ? `${some(random, ['https', 'http'])}://${host}:${port}/`
    : some(random, AROUND).replace('#', host)
}
