/**
 * The cost of the places that may begin a span (request, validate, claim, commit) for a call of readings, without the
 * rest of the call: time, and garbage collections of a process that does nothing else. A process that allocates nothing
 * has none, and one that allocates a single object in each call is measured beside it. `bun run bench tracing [calls]`.
 */
import pino from 'pino'
import { openTracing } from '../src/composition/tracing.ts'
import { readConfig } from '../src/config.ts'
import { type Span, tracing } from '../src/tracing.ts'

export type TracingCost = { nsPerCall: number; collections: number }
export type TracingMode = 'empty' | 'object' | 'off' | 'unrecorded' | 'recorded'

const PARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}`
let kept: unknown

/** The places of ingest.ts, with their arguments. */
function steps(rows: number): void {
  const { on } = tracing
  let step: Span | undefined
  step = on?.start('validate')
  step?.setAttributes({ 'groundwave.readings': rows, 'groundwave.refused': 0 })
  step?.end()
  step = on?.start('claim')
  step?.end()
  step = on?.start('commit', { attributes: { 'groundwave.rows': rows } })
  const place = rows > 0 ? on?.current() : undefined
  if (place !== undefined) kept = place
  step?.end()
}

/** The place of listener.ts, with its arguments. */
function call(rows: number, traceparent: string): void {
  const { on } = tracing
  const span = on?.begin('POST', { traceparent }, { kind: 1, attributes: { 'http.request.method': 'POST' } })
  if (on === undefined || span === undefined) steps(rows)
  else on.within(span, () => steps(rows))
  span?.end()
}

const WORK: Record<TracingMode, (i: number) => void> = {
  empty(i) {
    if (i < 0) kept = i
  },
  object(i) {
    kept = { i }
  },
  off: (i) => call(i, PARENT),
  unrecorded: (i) => call(i, `${PARENT}-00`),
  recorded: (i) => call(i, `${PARENT}-01`),
}

/** Runs in a process of its own. */
async function work(mode: TracingMode, calls: number): Promise<void> {
  if (mode === 'recorded' || mode === 'unrecorded') {
    // nothing is sent within the time of the bench, and most spans find no room
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_BSP_SCHEDULE_DELAY: '3600000' }
    const process = { version: '0', instanceId: 'bench' }
    await openTracing(readConfig(environment).tracing, process, () => undefined, pino({ level: 'silent' }))
  }
  const run = WORK[mode]
  for (let i = 0; i < 100_000; i++) run(i)
  Bun.gc(true)
  process.stderr.write('BEGIN\n')
  const startedNs = Bun.nanoseconds()
  for (let i = 0; i < calls; i++) run(i)
  const tookNs = Bun.nanoseconds() - startedNs
  process.stderr.write('END\n')
  process.stdout.write(`${tookNs / calls}\n`, () => process.exit(kept === work ? 1 : 0))
}

export async function costOf(mode: TracingMode, calls: number): Promise<TracingCost> {
  const child = Bun.spawn([process.execPath, import.meta.path, 'work', mode, String(calls)], {
    // the engine writes a line for each garbage collection
    env: { ...process.env, BUN_JSC_logGC: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, log] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(log)
  const during = log.slice(log.indexOf('BEGIN'), log.indexOf('END\n'))
  const collections = during.match(/=> (Eden|Full)Collection/g)?.length ?? 0
  return { nsPerCall: Number(said), collections }
}

async function main(calls: number): Promise<void> {
  for (const mode of ['empty', 'object', 'off', 'unrecorded', 'recorded'] as const) {
    const costs: TracingCost[] = []
    for (let round = 0; round < 3; round++) costs.push(await costOf(mode, calls))
    const times = costs.map(({ nsPerCall }) => nsPerCall).sort((a, b) => a - b)
    const most = Math.max(...costs.map(({ collections }) => collections))
    console.log(`${mode.padEnd(12)} ${times[1]?.toFixed(1).padStart(10)} ns a call, ${most} garbage collections`)
  }
}

if (import.meta.main)
  if (process.argv[2] === 'work') await work(process.argv[3] as TracingMode, Number(process.argv[4]))
  else await main(Number(process.argv[2] ?? 2_000_000))
