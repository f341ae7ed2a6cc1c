/** URLs of destinations: what is accepted, what is refused and why, and what WEBHOOK_ALLOW changes. */
import { describe, expect, test } from 'bun:test'
import { checkTarget, parseAllow } from '../../../src/destinations/targets.ts'

const NOTHING = parseAllow('')
const problemOf = (url: string, allow = NOTHING) => checkTarget(url, allow)?.text.en

test.each([
  'https://hooks.example.com/services/T0/B0/x?y=1#z',
  'https://hooks.example.com',
  'HTTPS://Hooks.Example.COM/',
  'https://hooks.example.com:443/',
  'https://bücher.example/',
  'https://xn--bcher-kva.example/a%20b',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'https://hooks.example.com/user@home',
])('%s is accepted', (url) => {
  expect(problemOf(url)).toBeUndefined()
})

test.each([
  ['http://hooks.example.com/', 'https and port 443'],
  ['https://hooks.example.com:8443/', 'https and port 443'],
  ['https://8.8.8.8:22/', 'https and port 443'],
  ['ftp://hooks.example.com/', 'starts with https://'],
  ['hooks.example.com', 'starts with https://'],
  ['https:hooks.example.com', 'starts with https://'],
  ['https://', 'starts with https://'],
  ['https:///hooks.example.com', 'starts with https://'],
  ['https://hooks.example.com/a b', 'starts with https://'],
  ['https://hooks.example.com\\@10.0.0.1/', 'starts with https://'],
  ['https://hooks.example.com:99999/', 'starts with https://'],
  ['https://user@hooks.example.com/', 'user name'],
  ['https://user:password@hooks.example.com/', 'user name'],
  ['https://@hooks.example.com/', 'user name'],
  ['https://hooks.example.com./', 'plainly'],
  ['https://hooks%2eexample.com/', 'plainly'],
  ['https://134744072/', 'plainly'],
  ['https://010.8.8.8/', 'plainly'],
  ['https://8.8.8/', 'plainly'],
  ['https://0x8.8.8.8/', 'plainly'],
  ['https://[::ffff:8.8.8.8]/', 'plainly'],
  ['https://10.0.0.1/', 'public internet'],
  ['https://[::1]/', 'public internet'],
  ['https://localhost/', 'public internet'],
  ['https://a.localhost/', 'public internet'],
  ['https://intranet/', 'public internet'],
])('%s is refused: %s', (url, part) => {
  expect(checkTarget(url, NOTHING)).toMatchObject({
    rule: 'webhookTarget',
    text: { en: expect.stringContaining(part) },
  })
})

describe('WEBHOOK_ALLOW', () => {
  test('a host allows itself alone, with http and all ports', () => {
    const allow = parseAllow('Hooks.internal, localhost')
    for (const url of ['http://hooks.internal:8080/', 'https://HOOKS.internal/', 'http://localhost/'])
      expect([url, problemOf(url, allow)]).toEqual([url, undefined])
    expect(problemOf('http://a.hooks.internal/', allow)).toContain('https and port 443')
    expect(problemOf('https://127.0.0.1/', allow)).toContain('public internet')
  })

  test('a range allows its addresses, and names that may resolve into it', () => {
    const allow = parseAllow('10.1.0.0/16,fd00::/8,192.0.2.7')
    for (const url of [
      'http://10.1.2.3:8080/',
      'https://[fd00::1]/',
      'http://192.0.2.7/',
      'http://any.example:81/',
      'http://intranet/',
    ])
      expect([url, problemOf(url, allow)]).toEqual([url, undefined])
    for (const url of ['https://10.2.0.1/', 'https://192.0.2.8/', 'https://[fe80::1]/'])
      expect(problemOf(url, allow)).toContain('public internet')
    expect(problemOf('http://8.8.8.8/', allow)).toContain('https and port 443')
    // its spelling stays refused
    for (const host of ['0x0a010203', '10.1.515', '[::ffff:10.1.2.3]'])
      expect(problemOf(`http://${host}/`, allow)).toContain('plainly')
  })

  test.each([
    '10.0.0.1/8',
    '10.0.0.0/33',
    'fd00::1/8',
    '::ffff:10.0.0.0/104',
    'https://hooks.example.com',
    'hooks.example.com:8080',
    '*.example.com',
    'a b',
    '1.2.3',
    '0x7f.1',
    'host.',
    '-a.example',
    '[::1]',
    'a'.repeat(64),
  ])('%s is no entry, and the error names it', (entry) => {
    expect(() => parseAllow(`good.example, ${entry},10.0.0.0/8`)).toThrow(`"${entry}" must be the name of a host`)
  })

  test('empty entries are skipped', () => {
    expect(parseAllow(' , ')).toEqual({ hosts: new Set(), ranges: [] })
    expect(parseAllow('a.example,,b_c,')).toEqual({ hosts: new Set(['a.example', 'b_c']), ranges: [] })
  })
})
