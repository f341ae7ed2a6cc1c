import { expect, test } from 'bun:test'
import { Point } from '@influxdata/influxdb-client'
import fc from 'fast-check'
import {
  createLines,
  KIND,
  type Lines,
  MAX_LINES,
  type Precision,
  resetLines,
} from '../../../../src/ingest/line-protocol/lines.ts'
import { readLines } from '../../../../src/ingest/line-protocol/parse-lines.ts'
import { decodeSeries } from '../../../../src/ingest/line-protocol/series.ts'
import { runs } from '../../../support/fuzz.ts'
import { reference } from './reference.ts'

// used for all bodies, as the server does
const lines = createLines()

function read(body: string | Uint8Array, precision: Precision = 'ns'): Lines {
  resetLines(lines, typeof body === 'string' ? new TextEncoder().encode(body) : body, precision)
  let pieces = 0
  while (readLines(lines, 64)) expect(++pieces).toBeLessThan(1_000_000)
  return lines
}

type Read = { line: number; fields?: [string, number | boolean | 'text'][]; ms?: number }

/** What was read, as the reference says it. Faults in the series show when it is decoded. */
function points(body: string | Uint8Array, precision?: Precision): Read[] {
  read(body, precision)
  return Array.from({ length: lines.points }, (_, point) => {
    const line = lines.lineNumbers[point] as number
    const series = decodeSeries(lines, lines.seriesOf[point] as number, {})
    if (lines.faults.has(point) || 'fault' in series) return { line }
    const [from, to] = [lines.fieldEnds[point] as number, lines.fieldEnds[point + 1] as number]
    return {
      line,
      fields: Array.from({ length: to - from }, (_, i) => {
        const value = lines.values[from + i] as number
        const kind = lines.kinds[from + i]
        return [
          lines.names[lines.fieldNames[from + i] as number] as string,
          kind === KIND.TEXT ? 'text' : kind === KIND.BOOLEAN ? value === 1 : value,
        ]
      }),
      ms: lines.timesMs[point] as number,
    }
  })
}

function expected(body: string): Read[] {
  return reference(body).map(({ line, point }) => {
    if (point === undefined || new Map(point.tags).size !== new Set(point.tags.map(String)).size) return { line }
    return {
      line,
      fields: point.fields.map(([name, value]) => [name, typeof value === 'object' ? 'text' : value]),
      ms: point.time === undefined ? Number.NaN : Number(point.time / 1_000_000n),
    }
  })
}

// from the tests of InfluxDB's parser (models/points_test.go)
test.each([
  'cpu value=1 ',
  'cpu    value=1.0     1257894000000000000   ',
  'cpu,host=serverA,\\ =us-east value=1i',
  'cpu,host=serverA,region=us-west a\\ =123i',
  'cpu value=0009223372036854775807i,b=-9223372036854775808i,c=18446744073709551615u,d=0000u',
  'cpu a=.1,b=1.0e4,c=1E4,d=1.0e-4,e=-1.0e-4',
  'foo\\,bar value=1i',
  'cpu\\=load,region=east value=1.0',
  'cpu,reg\\\\=ion=east value=1.0',
  'cpu,regions=\\\\ east value=1.0',
  'cpu,regions=east\\\\  value=1.0',
  'cpu,regions=eas\\t value=1.0',
  'cpu,regions=\\\\,\\,\\=east value=1.0',
  'cpu=load,equals\\=foo=tag\\=value value=1i',
  'cpu value\\,ms=1.0,\\a=1i',
  'cpu,host=serverA str="foo \\" bar" 1000000000',
  'cpu,host=serverA value=1.0,str="foo\nbar" 1000000000',
  'cpu str="foo\\\\",str2="bar" 1000000000',
  '"cpu","host"="serverA",region=us-east value=1.0 1000000000',
  'baz,mytag="a x=1 1441103862125\nbaz,mytag=a z=1 1441103862126',
  'cpu value="{Hello\\"{\\,}\\" World}",str="foo=bar" 1000000000',
  'cpu true=true,t=t,T=T,TRUE=TRUE,True=True,false=false,f=f,F=F,FALSE=FALSE,False=False 1000000000',
  'cpu value=1 -1',
  'cpu value="wè"',
])('reads %j as InfluxDB does', (line) => {
  const read = points(line)
  expect(read.every(({ fields }) => fields !== undefined)).toBe(true)
  expect(read).toEqual(expected(line))
})

test.each(
  [
    'cpu',
    'cpu,host',
    'cpu,host=',
    'cpu,host value=1i',
    'cpu,host=serverA,region= value=1i',
    'cpu,host=serverA,region=,zone=us-west value=1i',
    'cpu,host=f=o, value=1i',
    'cpu,=a value=1',
    ',host=a value=1',
    'cpu,host=serverA,host=serverB value=1i',
    'cpu,host=serverA =123i',
    'cpu value=123i,=456i',
    'cpu value=',
    'cpu value= 1000000000i',
    'cpu value=,value2=1i',
    'cpu 1434055562000000000i',
    'cpu value=1i,b',
    'm f="blah"=123,r 1531703600000000000',
    ...[
      '-',
      '-i',
      '-.',
      '.',
      '1.0i',
      '1ii',
      '1a',
      '-e-e-e',
      '42+3',
      '-123u',
      '--1u',
      '.1a',
      '0.-1',
      '1.1.1',
      'a',
      '9ie10',
    ],
    ...['9e10i', 'tRUE', 'NaN', 'Inf', '0x1', '"open', '1_000', "'a'"],
    'a v=1 0\\',
    'a v=1 1e9',
    'a v=1 12345678901234567890',
    'a v=1 1 2',
  ].map((line) => (line.includes(' ') || line.includes(',') || line === 'cpu' ? line : `cpu v=${line}`)),
)('refuses %j', (line) => {
  expect(points(`a v=1 1\n${line}`).map(({ fields }) => fields !== undefined)).toEqual([true, false])
  expect(expected(line).map(({ fields }) => fields)).toEqual([undefined])
})

test('out of range: 1e400 is infinite, so that it is refused, and 1e-400 is 0', () => {
  expect(points('a b=1e400,c=1e-400,d=9223372036854775808i,e=18446744073709551616u')[0]?.fields).toEqual([
    ['b', Number.POSITIVE_INFINITY],
    ['c', 0],
    ['d', Number.POSITIVE_INFINITY],
    ['e', Number.POSITIVE_INFINITY],
  ])
})

test('an integer becomes the nearest double', () => {
  expect(points('a b=9007199254740993i,c=9007199254740995i')[0]?.fields).toEqual([
    ['b', 9007199254740992],
    ['c', 9007199254740996],
  ])
})

test.each<[Precision, string]>([
  ['n', '1764243296789123456'],
  ['ns', '1764243296789999999'],
  ['u', '1764243296789123'],
  ['us', '1764243296789999'],
  ['ms', '1764243296789'],
])('a time in %s is truncated to milliseconds', (precision, time) => {
  expect(points(`a b=1 ${time}`, precision)[0]?.ms).toBe(1764243296789)
})

test.each<[Precision, number]>([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
])('a time in %s', (precision, factor) => {
  expect(points('a b=1 489000', precision)[0]?.ms).toBe(489_000 * factor)
})

test('counts comments, blank lines and newlines in texts as lines', () => {
  const body = '# a\n\n  \n  # b=1\r\na b=1\r\n\r\na b="x\ny\\\nz" 1\na\na b=1'
  expect(points(body).map(({ line }) => line)).toEqual([5, 7, 10, 11])
  expect(points(body)).toEqual(expected(body))
})

test('a text in a broken line is never read as a point', () => {
  const body = 'm a=wrong,log="\nm,host=victim v=1 1\n" 5\nm b=2 6'
  expect(points(body)).toEqual([{ line: 1 }, { line: 4, fields: [['b', 2]], ms: 0 }])
})

test('a text without an end reaches to the end of the body', () => {
  expect(points('m a="x\nm b=1 1\nm c=2 2')).toEqual([{ line: 1 }])
})

test('refuses a point with too many fields, and names beyond the limit, but not its neighbours', () => {
  const wide = Array.from({ length: 2_001 }, (_, i) => `f${i}=1`).join()
  expect(points(`a ${wide} 1\na f0=2`).map(({ fields }) => fields?.length)).toEqual([undefined, 1])
  const many = Array.from(
    { length: 101 },
    (_, k) => `a ${Array.from({ length: 100 }, (_, i) => `f${k}_${i}=1`).join()}`,
  )
  const read = points([...many, 'a f0_0=1'].join('\n'))
  expect(read.filter(({ fields }) => fields === undefined).length).toBe(1)
  expect(read.at(-1)?.fields).toEqual([['f0_0', 1]])
})

test('stops behind the limit of lines', () => {
  read('a b=1\n'.repeat(MAX_LINES))
  expect([lines.points, lines.lineCount]).toEqual([MAX_LINES, MAX_LINES])
  read('\n'.repeat(MAX_LINES + 100))
  expect(lines.lineCount).toBeGreaterThan(MAX_LINES)
})

const text = fc.string({ unit: fc.constantFrom(...'ab=, \\"#é\ti1.-'), minLength: 1, maxLength: 8 })
const part = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('a', 'host', 'b=1', 'c=2i', 'd="x"', 'e=t', ',', ' ', '\n', '\r\n', '=', '"'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('\\', '\\ ', '\\,', '\\=', '#', '1', '-', '.', 'e5', 'i', 'u', '\t', 'é', ' 1'),
  },
  { weight: 1, arbitrary: text },
)
const line = fc
  .tuple(fc.array(part, { maxLength: 3 }), fc.array(part, { maxLength: 3 }))
  .map(([head, tail]) => `m,host=a${head.join('')} v=1,w="a b",x=2i${tail.join('')} 1600000000000000000\n`)
const body = fc.array(fc.oneof(part, line), { maxLength: 12 }).map((parts) => parts.join(''))

test('reads random and damaged lines as the reference does', () => {
  let [whole, broken] = [0, 0]
  fc.assert(
    fc.property(body, (body) => {
      const read = points(body)
      for (const { fields } of read) fields === undefined ? broken++ : whole++
      expect(read).toEqual(expected(body))
    }),
    runs(20_000),
  )
  expect(Math.min(whole, broken)).toBeGreaterThan(100)
})

test('random bytes neither throw nor hang', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      read(bytes)
      expect(lines.at).toBe(bytes.length)
    }),
    runs(20_000),
  )
})

/** The client of InfluxData writes no newline or trailing backslash in names, which line protocol cannot express. */
const name = fc.string({ unit: fc.constantFrom(...'ab=, é"#'), minLength: 1, maxLength: 6 }).map((name) => `x${name}`)

// the client writes -0 as 0
test("reads what InfluxData's client writes", () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
    fc.boolean(),
    fc.string({ maxLength: 9 }),
  )
  fc.assert(
    fc.property(
      name,
      name,
      name,
      fc.dictionary(name, value, { minKeys: 1, maxKeys: 5 }),
      (measurement, tag, host, fields) => {
        const point = new Point(measurement).tag(tag, host).timestamp('1600000000123456789')
        for (const [field, value] of Object.entries(fields))
          if (typeof value === 'number') point.floatField(field, value)
          else if (typeof value === 'boolean') point.booleanField(field, value)
          else point.stringField(field, value)
        const [found] = points(point.toLineProtocol() as string)
        const sent = Object.entries(fields).map(([field, value]) => [field, typeof value === 'string' ? 'text' : value])
        expect(found?.ms).toBe(1600000000123)
        expect(new Map(found?.fields)).toEqual(new Map(sent as [string, number][]))
        const settings = { sensor: `{${tag}}|{measurement}` }
        if (!/[{}]/.test(tag))
          expect(decodeSeries(lines, 0, settings)).toEqual({ sensor: `${host}|${measurement}`, prefix: '' })
      },
    ),
    runs(5_000),
  )
})
