/**
 * What traces cost a call that is not traced, and one that is: the places of a call of readings that may begin a span
 * (request, validate, claim, commit), without the rest of the call. Memory is what the heap gained, garbage included.
 * `bun bench/tracing.ts [rounds]`.
 */
import { heapStats } from 'bun:jsc'
import pino from 'pino'
import { openTracing } from '../src/composition/tracing.ts'
import { readConfig } from '../src/config.ts'
import { type Span, tracing } from '../src/tracing.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const CALLS = 1_000_000

let sink = 0

/** The places of ingest.ts and listener.ts, with their arguments. */
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
  if (place !== undefined) sink++
  step?.end()
}

function call(rows: number, traceparent: string | undefined): void {
  const { on } = tracing
  if (on === undefined) return steps(rows)
  const span = on.begin('POST', traceparent === undefined ? undefined : { traceparent }, { kind: 1 })
  on.within(span, () => steps(rows))
  span.end()
}

function bare(rows: number): void {
  if (rows < 0) sink++
}

function measure(title: string, calls: number, work: (rows: number) => void): void {
  const ns: number[] = []
  const bytes: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    Bun.gc(true)
    const heapBefore = heapStats().heapSize + heapStats().extraMemorySize
    const startedNs = Bun.nanoseconds()
    for (let i = 0; i < calls; i++) work(i)
    const tookNs = Bun.nanoseconds() - startedNs
    const heapAfter = heapStats().heapSize + heapStats().extraMemorySize
    // the first round compiles
    if (round === 0) continue
    ns.push(tookNs / calls)
    bytes.push((heapAfter - heapBefore) / calls)
  }
  const median = (of: number[]): number => of.toSorted((a, b) => a - b)[of.length >> 1] as number
  console.log(
    `${title.padEnd(44)} ${median(ns).toFixed(2).padStart(9)} ns ${median(bytes).toFixed(3).padStart(9)} bytes`,
  )
}

measure('an empty call', CALLS, bare)
measure('off', CALLS, (rows) => call(rows, undefined))
const { tracing: config } = readConfig({
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  OTEL_BSP_SCHEDULE_DELAY: '3600000',
})
const open = await openTracing(
  config,
  { version: '0', instanceId: 'bench' },
  () => undefined,
  pino({ level: 'silent' }),
)
const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}`
measure('on, the caller asks for no recording', CALLS / 20, (rows) => call(rows, `${parent}-00`))
measure('on, recorded', CALLS / 20, (rows) => call(rows, `${parent}-01`))
tracing.on = undefined
void open
if (sink < 0) console.log(sink)
process.exit(0)
