/** Generated tables, read by the product and by independent programs: Python's csv module, and ClickHouse's Parquet. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTable } from '../../../src/lib/geo/formats/csv/csv-read.ts'
import { readParquetTable } from '../../../src/lib/geo/formats/parquet/parquet.ts'
import { InputError } from '../../../src/lib/input-error.ts'
import { ROOT } from '../../support/processes.ts'
import { outputOf } from '../../support/program.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { sharedFolder } from '../../support/run-end.ts'

const seed = testSeed
process.stderr.write(`replay with TEST_SEED=${seed}\n`)
const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T

const CELLS = ['', ' ', 'a', '1', '-2.5', '1e-7', '007', 'ä', 'عقدة', 'x y', "'", '=1+1', '12E4', '\u00a0', 'NaN']
const QUOTED = ['"a,b"', '"a;b"', '"say ""hi"""', '"two\nlines"', '""', '" "', '"\r\n"']

function anyCsv(random: Random): { text: string; delimiter: string } {
  const delimiter = some(random, [',', ';', '\t', '|'])
  const end = some(random, ['\n', '\r\n'])
  const width = 2 + whole(random, 5)
  const names = Array.from({ length: width }, (_, i) => some(random, ['lon', 'lat', 'name', ' n ', 'a b', `c${i}`]))
  const lines = [names.join(delimiter)]
  for (let i = 1 + whole(random, 12); i > 0; i--) {
    const cells = random() < 0.85 ? width : whole(random, width + 3)
    lines.push(Array.from({ length: cells }, () => some(random, random() < 0.2 ? QUOTED : CELLS)).join(delimiter))
  }
  return { text: lines.join(end) + (random() < 0.7 ? end : ''), delimiter }
}

test('rows of CSV match Python, or are refused because a row is too long', () => {
  const random = seeded(seed)
  const files = Array.from({ length: rounds(400, 40_000) }, () => anyCsv(random))
  const program =
    'import csv,io,json,sys; print(json.dumps([list(csv.reader(io.StringIO(f["text"], newline=""), delimiter=f["delimiter"])) for f in json.load(sys.stdin)]))'
  const tables = JSON.parse(outputOf('python3', ['-c', program], { input: JSON.stringify(files) }).toString())
  let [refused, compared] = [0, 0]
  for (const [i, { text, delimiter }] of files.entries()) {
    const [header, ...rows] = tables[i] as [string[], ...string[][]]
    // a line with only empty cells does not count as a row here; Python returns a row for a line of two quotes
    const present = rows.filter((row) => row.length > 1 || (row[0] ?? '') !== '')
    const extra = present.findIndex((row) => row.slice(header.length).some((cell) => cell.trim() !== ''))
    const expected = present.map((row) => Array.from({ length: header.length }, (_, column) => row[column] ?? ''))
    const context = { seed, i, text }
    try {
      const table = readTable(text, 1_000)
      // the delimiter is guessed: rows are compared only if the guess is right
      if (table.delimiter !== delimiter) continue
      compared++
      expect({ ...context, header: table.header, rows: table.rows, extra }).toEqual({
        ...context,
        header,
        rows: expected,
        extra: -1,
      })
      expect(new Set(table.columns).size).toBe(header.length)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      refused++
      if (error.rule === 'cells' && extra >= 0) expect(error.message).toStartWith(`row ${extra + 1}:`)
    }
  }
  expect(compared).toBeGreaterThan(files.length / 2)
  expect(refused).toBeGreaterThan(0)
})

/** Columns of ClickHouse, with the conversion of its values to the product's. */
const COLUMNS: [name: string, type: string, value: (random: Random) => string][] = [
  ['i8', 'Int8', (random) => String(whole(random, 256) - 128)],
  ['u8', 'UInt8', (random) => String(whole(random, 256))],
  ['i32', 'Int32', (random) => String(whole(random, 2 ** 32) - 2 ** 31)],
  ['u32', 'UInt32', (random) => String(whole(random, 2 ** 32))],
  ['i64', 'Int64', (random) => String(whole(random, 2 ** 52) - 2 ** 51)],
  ['u64', 'UInt64', (random) => String(whole(random, 2 ** 53))],
  ['f64', 'Float64', (random) => String((random() - 0.5) * 10 ** whole(random, 30))],
  ['text', 'String', (random) => `'${some(random, ['', 'a', 'ä', 'عقدة', '日本', '007'])}'`],
  ['flag', 'Bool', (random) => some(random, ['true', 'false'])],
  ['day', 'Date32', (random) => `'${1900 + whole(random, 300)}-02-${10 + whole(random, 18)}'`],
  ['exact', 'Decimal(38,4)', (random) => `'${whole(random, 1e9)}${whole(random, 1e9)}.${1000 + whole(random, 9000)}'`],
  ['small', 'Decimal(9,2)', (random) => `'${whole(random, 1e6)}.${10 + whole(random, 90)}'`],
  [
    'moment',
    "DateTime64(6,'UTC')",
    (random) => `'2024-0${1 + whole(random, 9)}-03 04:05:06.${100000 + whole(random, 900000)}'`,
  ],
  ['list', 'Array(Nullable(Int64))', (random) => `[${[1, 2, 3].slice(whole(random, 4)).join()}]`],
  ['pair', 'Tuple(a Int32, b String)', (random) => `(${whole(random, 9)},'x')`],
]

test('values of Parquet match ClickHouse', async () => {
  const random = seeded(seed + 1)
  for (let round = 0; round < rounds(2, 60); round++) {
    const path = join(sharedFolder('vector-twins'), `${round}.parquet`)
    const rows = Array.from({ length: 40 }, () =>
      COLUMNS.map(([, type, value]) =>
        /^(Array|Tuple)/.test(type) || random() > 0.2 ? `CAST(${value(random)} AS ${type})` : 'NULL',
      ),
    )
    const names = COLUMNS.map(([name, type]) => `${name} ${/^(Array|Tuple)/.test(type) ? type : `Nullable(${type})`}`)
    const codec = some(random, ['lz4', 'snappy', 'zstd', 'gzip', 'none', 'brotli'])
    const structure = names.join(', ').replaceAll("'", "\\'")
    const values = rows.map((row) => `(${row.join()})`).join()
    const settings = `SETTINGS output_format_parquet_compression_method='${codec}', engine_file_truncate_on_insert=1, output_format_json_quote_64bit_integers=0, output_format_json_quote_decimals=1`
    const sql = [
      `INSERT INTO FUNCTION file('${path}', Parquet, '${structure}') ${settings} VALUES ${values}`,
      `SELECT * FROM file('${path}', Parquet, '${structure}') ${settings} FORMAT JSONCompactEachRow`,
    ]
    const script = join(sharedFolder('vector-twins'), 'query.json')
    writeFileSync(script, JSON.stringify(sql))
    const program = `const { query } = require('chdb'); for (const sql of JSON.parse(require('fs').readFileSync('${script}','utf8'))) process.stdout.write(query(sql, 'TabSeparated') ?? '')`
    const lines = outputOf('node', ['-e', program], { cwd: ROOT }).toString().trim().split('\n')
    const expected = lines.map((line) => (JSON.parse(line) as unknown[]).map(asProduct))
    const { fields, rows: found } = await readParquetTable(path)
    expect(fields.map(({ name }) => name)).toEqual(COLUMNS.map(([name]) => name))
    expect({ seed, round, codec, found }).toEqual({ seed, round, codec, found: expected })
  }
})

/** A value of ClickHouse's JSON in the product's form. */
function asProduct(value: unknown, column: number): unknown {
  const [name] = COLUMNS[column] as (typeof COLUMNS)[number]
  if (value === null) return null
  if (name === 'moment') return `${String(value).replace(' ', 'T').replace(/0+$/, '')}Z`
  if (name === 'small') return Number(value)
  // ClickHouse omits trailing zeros
  if (name === 'exact') return String(value).replace(/\.(.*)$/, (_, digits: string) => `.${digits.padEnd(4, '0')}`)
  return name === 'pair' && Array.isArray(value) ? { a: value[0], b: value[1] } : value
}
