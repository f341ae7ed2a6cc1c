/** Damaged bodies of every way in which readings arrive by HTTP, each made from valid ones. The same seed makes the same. */
import fc from 'fast-check'
import { mutated } from '../../test/support/fuzz.ts'
import { UP } from '../../test/support/lorawan/chirpstack.ts'
import { UPLINK } from '../../test/support/lorawan/things-stack.ts'

/** A device that the bodies name, beside others that nobody has. */
export const DEVICE = 'pump 7,=1'
const DEV_EUI = UPLINK.end_device_ids.dev_eui
export const DEVICES = [DEVICE, DEV_EUI, UP.deviceInfo.devEui]
export const CHANNELS = [
  { name: 'temperature', measurement: 'number', unit: '°C' },
  { name: 'count', measurement: 'whole' },
  { name: 'open', measurement: 'boolean' },
]

const utf8 = (text: string): Buffer => Buffer.from(text)
const at = new Date(Date.now() - 3_600_000).toISOString()
const seconds = Math.floor(Date.now() / 1_000) - 3_600
const nanoseconds = `${seconds}000000000`
const readings = [
  { at, values: { temperature: 21.5, count: 3, open: true }, location: [13.4, 52.5] },
  { at: at.replace('Z', '+00:00'), values: { temperature: -1e-7 } },
]

const TAG = DEVICE.replace(/[ ,=]/g, '\\$&')
const LINES = [
  `weather,sensor=${TAG} temperature=21.5,count=3i,open=t ${nanoseconds}`,
  `cpu,host=${TAG},cpu=cpu0 usage_idle=9.7e1,text="a \\"quoted\\" \\\\ text, with = and spaces" ${nanoseconds}`,
  `my\\ measurement,device=${TAG},a\\=b=c\\,d latitude=52.5,longitude=13.4,temperature=-0.5`,
  `m,sensor=new\\ device count=9223372036854775807i,big=18446744073709551615u,temperature=1e308 ${nanoseconds}`,
  `# a comment, and a line with a carriage return\r`,
  `m,sensor=${TAG} open=FALSE,temperature=.5 ${seconds}`,
].map(utf8)

const SENML = [
  [
    { bn: 'urn:dev:ow:10e2073a01080063:', bt: seconds, bu: 'Cel', bver: 5, n: 'temperature', v: 21.5 },
    { n: 'temperature', t: -5, v: 20.9 },
    { n: 'count', u: 'count', t: -5, v: 3 },
    { n: 'open', vb: true },
    { u: 'lon', v: 13.4 },
    { u: 'lat', v: 52.5 },
  ],
  [
    { n: 'temperature', u: 'Cel', v: 1.5, t: seconds, ut: 60 },
    { n: 'temperature', vs: 'text' },
    { n: 'open', vd: 'aGk' },
  ],
  [
    { bn: 'temperature', bv: 20, bs: 1 },
    { v: 1, s: 2 },
    { bt: -1, v: 1 },
  ],
].map((pack) => utf8(JSON.stringify(pack)))

/** What parsers treat specially. */
const WORDS = [
  '1e400',
  '-1e400',
  '1e-400',
  '9'.repeat(400),
  '0.'.padEnd(400, '1'),
  '-0',
  '0x10',
  'NaN',
  'Infinity',
  '1i',
  '1u',
  'i',
  '\\',
  '\\\\',
  '\\"',
  '\\,',
  '\\ ',
  '\\=',
  '"',
  '""',
  "'",
  ',',
  '=',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '\0',
  '#',
  '{',
  '}',
  '[',
  ']',
  ':',
  '\ufeff',
  '\u2028',
  '\\ud800',
  '\\u0000',
  '__proto__',
  '"__proto__":{}',
  'constructor',
  'null',
  'true',
  '"at":',
  '"values":{',
  '"readings":[',
  '[['.repeat(2_000),
  '{"a":'.repeat(2_000),
  'x'.repeat(5_000),
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '"bn":"x"',
  '"bver":99',
  '"t":1e300',
  '%00',
  '%ff',
].map(utf8)

const words = fc.array(fc.tuple(fc.nat({ max: 4_000 }), fc.constantFrom(...WORDS, Buffer.from([0xff, 0xc0, 0x80]))), {
  maxLength: 3,
})
/** Bytes that are changed, cut, and have words put between them. */
const damaged = (...valid: Uint8Array[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: mutated(...valid) }, { weight: 1, arbitrary: fc.constantFrom(...valid) }),
      words,
    )
    .map(([bytes, inserted]) =>
      inserted.reduce((whole, [place, word]) => {
        const i = whole.length === 0 ? 0 : place % whole.length
        return Buffer.concat([whole.subarray(0, i), word, whole.subarray(i)])
      }, Buffer.from(bytes)),
    )

/** Values that are valid JSON, in places where others are expected. */
const VALUES = [
  '1e400',
  '-0',
  '1e-400',
  '9007199254740993',
  '-1',
  '1e15',
  '0',
  'null',
  'true',
  'false',
  '""',
  '" "',
  '"\\ud800"',
  '"\\u0000"',
  '"\\u202e"',
  '{}',
  '[]',
  '[[1]]',
  '{"a":{"b":1}}',
  '[0,0]',
  '[181,0]',
  '[13.4,52.5,1]',
  '"1"',
  '"sen_1"',
  '"2026-02-30T00:00:00Z"',
  '"1970-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59.999Z"',
  `"${at}"`,
  `${seconds}`,
  '"temperature"',
  '"lon"',
  '"values"',
  '"__proto__"',
  `"${'x'.repeat(300)}"`,
  `[${'1,'.repeat(500)}1]`,
]
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/g

/** JSON whose values and names are exchanged, so that it can still be parsed if no name becomes something else. */
const exchanged = (...valid: Uint8Array[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.constantFrom(...valid),
      fc.array(fc.tuple(fc.nat({ max: 200 }), fc.constantFrom(...VALUES)), { minLength: 1, maxLength: 4 }),
    )
    .map(([bytes, changes]) => {
      const text = new TextDecoder().decode(bytes)
      const tokens = text.match(TOKEN)?.length ?? 1
      const byToken = new Map(changes.map(([place, value]) => [place % tokens, value]))
      let token = 0
      return utf8(text.replaceAll(TOKEN, (found) => byToken.get(token++) ?? found))
    })

const damagedJson = (...valid: Uint8Array[]): fc.Arbitrary<Buffer> =>
  fc.oneof({ weight: 1, arbitrary: damaged(...valid) }, { weight: 2, arbitrary: exchanged(...valid) })

const NDJSON = utf8(`${readings.map((reading) => JSON.stringify(reading)).join('\n')}\n`)
const CSV = utf8(`at,temperature,"open",lon,lat\r\n${at},21.5,true,13.4,52.5\r\n"${at}",,,13,52\r\n`)
const MANY = utf8(
  JSON.stringify({
    readings: [DEVICE, 'nobody', DEV_EUI, 'a new one'].map((sensor, i) => ({ sensor, ...readings[i % 2] })),
  }),
)
const SINGLE = utf8(JSON.stringify({ readings }))
const json = (message: object): Buffer => utf8(JSON.stringify(message))

/** By kind of body. A case of `lines` is one line, which the caller joins with others. */
export const BODIES = {
  lines: damaged(...LINES),
  senml: damagedJson(...SENML),
  ndjson: damagedJson(NDJSON),
  csv: damaged(CSV),
  json: damagedJson(SINGLE),
  many: damagedJson(MANY),
  thingsStack: damagedJson(json(UPLINK)),
  chirpstack: damagedJson(json(UP)),
} as const
export type BodyKind = keyof typeof BODIES

const TOGETHER = 200

/** Cases without an end. */
export function* casesOf<T>(cases: fc.Arbitrary<T>, seed: number): Generator<T, never> {
  for (let turn = 0; ; turn++) yield* fc.sample(fc.noBias(cases), { numRuns: TOGETHER, seed: seed + turn })
}
