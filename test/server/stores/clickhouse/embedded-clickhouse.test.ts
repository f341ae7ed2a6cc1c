/** The embedded ClickHouse as its callers see it: statements, limits, cancelling, and a process that is killed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouse, StreamFormat } from '../../../../src/stores/clickhouse/client.ts'
import { createGate } from '../../../../src/stores/clickhouse/embedded/gate.ts'
import type { LogLevel } from '../../../../src/stores/clickhouse/embedded/process.ts'
import { openEmbeddedClickHouse } from '../../../../src/stores/clickhouse/embedded.ts'
import { ROOT, residentMb } from '../../../support/processes.ts'
import { runProgram } from '../../../support/program.ts'
import { until } from '../../../support/until.ts'

const MEMORY_BYTES = 600 * 2 ** 20
const home = mkdtempSync(join(tmpdir(), 'groundwave-chdb-'))
const dir = join(home, 'clickhouse')
const socketDir = join(home, 'run')
const log: { level: LogLevel; text: string }[] = []
let clickhouse: ClickHouse
beforeAll(async () => {
  clickhouse = await openEmbeddedClickHouse(dir, {
    socketDir,
    memoryBytes: MEMORY_BYTES,
    onLog: (level, text) => log.push({ level, text }),
  })
}, 120_000)
afterAll(async () => {
  await clickhouse.close()
  rmSync(home, { recursive: true })
})

const { signal } = new AbortController()
const pid = (): number => Number(log.map(({ text }) => /^ready .*pid (\d+)$/.exec(text)?.[1]).findLast(Boolean))

/** Running statements, without the one that lists them. */
async function running(): Promise<string[]> {
  const rows = await clickhouse.rows<{ query: string }>(
    "SELECT query FROM system.processes WHERE query NOT LIKE '%system.processes%'",
  )
  return rows.map(({ query }) => query)
}

async function failureOf(work: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  try {
    await work
  } catch (error) {
    const { code, message } = error as { code: unknown; message: string }
    return { code, message }
  }
  throw new Error('it succeeded')
}

async function drain(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const piece of pieces) bytes += piece.length
  return bytes
}

const ENDLESS = 'SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(cityHash64(number))'
const TOO_MUCH = 'SELECT groupArray(number) FROM numbers(1000000000)'

test('values of parameters arrive as they were sent', async () => {
  const texts = [
    "it's",
    'a\\b',
    'a\tb\nc\rd',
    'حرارة',
    "\\'",
    '\\N',
    'NULL',
    '{x:String}',
    'a\0b',
    '😀',
    'a; SELECT 2',
    '',
  ]
  const hex = (text: string): string => Buffer.from(text).toString('hex').toUpperCase()
  for (const text of texts)
    expect(await clickhouse.ask('SELECT hex({text:String})', { text }, signal)).toEqual([[hex(text)]])
  const nested = [[1, 2], [], [3]]
  expect(
    await clickhouse.ask(
      'SELECT arrayMap(text -> hex(text), {texts:Array(String)}), {nested:Array(Array(UInt32))}, {yes:Bool}, {half:Float64}',
      { texts, nested, yes: true, half: -0.5 },
      signal,
    ),
  ).toEqual([[texts.map(hex), nested, true, -0.5]])
  const many = Array.from({ length: 300_000 }, (_, i) => i)
  expect(await clickhouse.rows('SELECT length({many:Array(UInt32)}) AS n', { many })).toEqual([{ n: 300_000 }])
  expect((await failureOf(clickhouse.rows('SELECT {n:Float64} AS n', { n: { not: 'a value' } }))).code).toBe(
    'STORE_UNAVAILABLE',
  )
})

test('settings of one statement do not reach the next', async () => {
  const read = "SELECT getSetting('insert_deduplication_token') AS token"
  await clickhouse.write('CREATE TABLE seen (token String) ENGINE = MergeTree ORDER BY token')
  await clickhouse.write(`INSERT INTO seen ${read}`, {}, { insert_deduplication_token: 'a' })
  await clickhouse.write(`INSERT INTO seen ${read}`)
  expect(await clickhouse.rows('SELECT token FROM seen ORDER BY token')).toEqual([{ token: '' }, { token: 'a' }])
})

test('a query that exceeds its share of memory is stopped, and does not affect the next one on its connection', async () => {
  for (let i = 0; i < 6; i++) {
    expect((await failureOf(clickhouse.ask(TOO_MUCH, {}, signal))).code).toBe('QUERY_TOO_LARGE')
    expect(await clickhouse.ask('SELECT 1, 2', {}, signal)).toEqual([[1, 2]])
  }
  expect((await failureOf(drain(clickhouse.stream(TOO_MUCH, {}, 'TSVRaw')))).code).toBe('QUERY_TOO_LARGE')
  expect((await failureOf(drain(clickhouse.stream(TOO_MUCH, {}, 'Parquet')))).code).toBe('QUERY_TOO_LARGE')
})

test('its memory is limited and its caches are small', async () => {
  const settings = await clickhouse.rows<{ name: string; value: string }>(
    "SELECT name, value FROM system.server_settings WHERE name IN ('max_server_memory_usage', 'mark_cache_size')",
  )
  expect(Object.fromEntries(settings.map(({ name, value }) => [name, Number(value)]))).toEqual({
    max_server_memory_usage: MEMORY_BYTES,
    mark_cache_size: 32 * 2 ** 20,
  })
  // storing is limited by the total memory only
  const failure = await failureOf(clickhouse.write(`INSERT INTO FUNCTION null('n Array(UInt64)') ${TOO_MUCH}`))
  expect(failure.code).toBe('STORE_UNAVAILABLE')
  let highest = 0
  const busy = Promise.allSettled(Array.from({ length: 12 }, () => clickhouse.ask(TOO_MUCH, {}, signal)))
  const watching = setInterval(() => (highest = Math.max(highest, residentMb(pid()))), 20)
  await busy
  clearInterval(watching)
  // in addition to ClickHouse's allocations, 250 MB are the library's code and the runtime; and the allocator returns freed
  // memory to the system a second later, or later still on a busy machine
  expect(highest).toBeLessThan(MEMORY_BYTES / 2 ** 20 + 500)
})

test('an aborted query stops running', async () => {
  const leaving = new AbortController()
  const asked = clickhouse.ask(ENDLESS, {}, leaving.signal).catch(() => 'aborted')
  await until(async () => (await running()).length > 0, 'the start')
  leaving.abort()
  expect(await asked).toBe('aborted')
  await until(async () => (await running()).length === 0, 'the end')
  const gone = AbortSignal.abort()
  expect((await failureOf(clickhouse.ask('SELECT 1', {}, gone))).code).toBe('STORE_UNAVAILABLE')
})

test('queries of callers delay neither look-ups nor writes nor each other', async () => {
  const leaving = new AbortController()
  const asked = [1, 2, 3].map(() => clickhouse.ask(ENDLESS, {}, leaving.signal).catch(() => 'aborted'))
  const long = clickhouse.work('SELECT sleep(1) FORMAT Null', {}, {})
  await until(async () => (await running()).length >= 3, 'the start')
  const startedMs = performance.now()
  expect(await clickhouse.rows('SELECT {n:UInt8} AS n', { n: 1 })).toEqual([{ n: 1 }])
  await clickhouse.write('INSERT INTO seen SELECT {text:String}', { text: 'meanwhile' })
  expect(performance.now() - startedMs).toBeLessThan(5_000)
  leaving.abort()
  expect(await Promise.all(asked)).toEqual(['aborted', 'aborted', 'aborted'])
  await long
})

const ROWS = 3_000_000
test('exports stream, wait for their reader, and report an interruption', async () => {
  const numbers = `SELECT number FROM numbers(${ROWS})`
  const lines = await Array.fromAsync(clickhouse.stream(numbers, {}, 'TSVRaw'))
  expect(Buffer.concat(lines).toString()).toBe(Array.from({ length: ROWS }, (_, i) => `${i}\n`).join(''))
  for (const format of ['Parquet', 'ArrowStream'] satisfies StreamFormat[])
    expect(await drain(clickhouse.stream(numbers, {}, format))).toBeGreaterThan(ROWS)
  expect(existsSync(`${dir}-exports`) ? readdirSync(`${dir}-exports`) : []).toEqual([])
  const broken = `SELECT number, throwIf(number = ${ROWS - 1}) FROM numbers(${ROWS})`
  expect((await failureOf(drain(clickhouse.stream(broken, {}, 'TSVRaw')))).code).toBe('395')
  expect((await failureOf(drain(clickhouse.stream('SELECT nothing', {}, 'TSVRaw')))).code).toBe('47')

  const pieces = clickhouse.stream('SELECT number FROM numbers(1000000000)', {}, 'TSVRaw')[Symbol.asyncIterator]()
  await pieces.next()
  await Bun.sleep(1_000)
  const before = residentMb(pid())
  await Bun.sleep(1_000)
  expect(residentMb(pid()) - before).toBeLessThan(50)
  await pieces.return?.(undefined)
  await until(async () => (await running()).length === 0, 'the end of an export that nobody reads')
}, 120_000)

test('when the process is killed, calls fail until it has restarted, and acknowledged writes are kept', async () => {
  await clickhouse.write('CREATE TABLE kept (n UInt32) ENGINE = MergeTree ORDER BY n')
  await clickhouse.write('INSERT INTO kept SELECT number FROM numbers(1000)')
  const first = pid()
  const asked = failureOf(clickhouse.ask(ENDLESS, {}, signal))
  const streamed = failureOf(drain(clickhouse.stream('SELECT number FROM numbers(1000000000)', {}, 'TSVRaw')))
  await until(async () => (await running()).length === 2, 'the start')
  process.kill(first, 'SIGKILL')
  expect((await asked).code).toBe('STORE_UNAVAILABLE')
  expect((await streamed).code).toBe('STORE_UNAVAILABLE')
  expect((await failureOf(clickhouse.rows('SELECT 1 AS n'))).code).toBe('STORE_UNAVAILABLE')
  await until(() => pid() !== first, 'the restart')
  expect(await clickhouse.rows('SELECT count() AS n FROM kept')).toEqual([{ n: 1000 }])
  expect(log.filter(({ level }) => level === 'error').map(({ text }) => text)).toContain('ended unexpectedly: SIGKILL')
})

test('only its server can connect to it, and signals to the process group do not reach it', async () => {
  expect(statSync(socketDir).mode & 0o777).toBe(0o700)
  const listening = runProgram('ss', ['-ltnp']).stdout.toString()
  expect(listening).not.toContain(`pid=${pid()},`)
  const [, , group, session] = readFileSync(`/proc/${pid()}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  expect([group, session]).toEqual([String(pid()), String(pid())])
  const before = pid()
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(before, name)
  await Bun.sleep(300)
  expect(await clickhouse.rows('SELECT 1 AS n')).toEqual([{ n: 1 }])
  expect(pid()).toBe(before)
  expect(
    readFileSync(`/proc/${before}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((line) => line.split('=')[0]),
  ).toEqual(['TZ', 'UV_THREADPOOL_SIZE', 'JE_MALLOC_CONF'])
})

test('the start waits for a folder in use, and fails if it stays in use', async () => {
  const path = join(home, 'shared')
  const first = await openEmbeddedClickHouse(path)
  const second = openEmbeddedClickHouse(path)
  await Bun.sleep(300)
  expect(await first.rows('SELECT 1 AS n')).toEqual([{ n: 1 }])
  await first.close()
  const opened = await second
  expect(await opened.rows('SELECT 1 AS n')).toEqual([{ n: 1 }])
  expect((await failureOf(openEmbeddedClickHouse(path))).message).toMatch(/is in use by another process \(pid \d+\)/)
  expect(await opened.rows('SELECT 1 AS n')).toEqual([{ n: 1 }])
  await opened.close()
}, 120_000)

test('a path that is too long for a socket is named with its limit', async () => {
  const { message } = await failureOf(openEmbeddedClickHouse(join(home, 'x'.repeat(100))))
  expect(message).toMatch(/has \d+ bytes, and a Unix socket's path may have 107; set DATA_DIR/)
})

test('it ends when its parent has ended, even where the kernel sends no signal', async () => {
  const options = {
    dir: join(home, 'orphan'),
    socketPath: join(home, 'o.sock'),
    memoryBytes: MEMORY_BYTES,
    parentPid: 1,
  }
  const program = join(ROOT, 'src/stores/clickhouse/embedded/program.ts')
  const child = Bun.spawn([process.execPath, program, JSON.stringify(options)], { cwd: home })
  await child.exited
  expect(child.signalCode).toBe('SIGKILL')
})

test('callers pass a gate in order, and a failed call releases its place', async () => {
  const gate = createGate(2)
  const order: string[] = []
  const call = (name: string, ms: number): Promise<void> =>
    gate(async () => {
      order.push(name)
      await Bun.sleep(ms)
      if (name === 'b') throw new Error('b')
    })
  const results = await Promise.allSettled([call('a', 60), call('b', 20), call('c', 60), call('d', 1), call('e', 1)])
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
})
