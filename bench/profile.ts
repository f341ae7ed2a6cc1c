/**
 * Where the time of a tool call goes: five typical calls over HTTP, divided by the spans of their traces (see
 * docs/observability.md) and by the processes that use the CPU. Medians of calls on a warm server.
 * `bun run bench:profile [calls]`
 */
import { type Span, startCollector } from '../test/support/collector.ts'
import { cpuSeconds, familyOf } from '../test/support/processes.ts'
import { until } from '../test/support/until.ts'
import { mediaContests } from './media-rivals.ts'
import { writeToolData } from './tool-data.ts'
import { type Call, type Harness, load, ms, quantile, say, startHarness } from './tool-harness.ts'

const CALLS = Number(process.argv[2] ?? 9)
const FEATURES = 20_000

type Part = 'receive' | 'queue' | 'hand over' | 'work' | 'answer' | 'store' | 'server CPU' | 'worker CPU'
const PARTS: Part[] = ['receive', 'queue', 'hand over', 'work', 'answer', 'store', 'server CPU', 'worker CPU']

async function typicalCalls(dir: string): Promise<[string, Call][]> {
  const [small, large] = [writeToolData(dir, 1), writeToolData(dir, FEATURES)]
  const contests = [...(await mediaContests(dir, 'raster.')), ...(await mediaContests(dir, 'document.'))]
  const contest = (tool: string): Call => {
    const found = contests.find((one) => one.tool === tool)
    if (found === undefined) throw new Error(`there is no comparison of ${tool}`)
    return found
  }
  const buffer = (file: string, target_format: string): Call => ({
    ...{ tool: 'vector.buffer', route: '/buffer', fields: { distance_m: '50', target_format }, files: { file } },
  })
  const join = { file: large.parcels, join: large.others }
  return [
    ['buffer, 1 polygon', buffer(small.parcels, 'geojson')],
    ['buffer, 20,000 polygons to GeoPackage', buffer(large.parcels, 'gpkg')],
    [
      'spatial join, 20,000 × 20,000',
      { tool: 'vector.spatial-join', route: '/spatial-join', fields: { target_format: 'geojson' }, files: join },
    ],
    ['raster-inspect, 100 megapixels (400 MB)', contest('raster.raster-inspect')],
    ['merge-pdf, 20 files', contest('document.merge-pdf')],
  ]
}

const msOf = (ns: bigint): number => Number(ns) / 1e6

/** Parts of a call, in milliseconds, by the spans of its trace. */
function partsOf(spans: readonly Span[]): Partial<Record<Part, number>> {
  const named = (name: string): Span[] => spans.filter((span) => span.name === name)
  const [request, queue, run, work] = ['POST', 'queue', 'run', 'work'].map((name) =>
    spans.find((span) => span.name.startsWith(name)),
  ) as [Span, Span, Span, Span]
  return {
    receive: msOf(queue.startNs - request.startNs),
    queue: msOf(queue.endNs - queue.startNs),
    'hand over': msOf(run.endNs - run.startNs - (work.endNs - work.startNs)),
    work: msOf(work.endNs - work.startNs),
    answer: msOf(request.endNs - run.endNs),
    store: named('put file').reduce((sum, span) => sum + msOf(span.endNs - span.startNs), 0),
  }
}

/** CPU time in milliseconds. */
function cpuOfFamily(server: number): { server: number; others: Map<number, number> } {
  const others = new Map<number, number>()
  for (const pid of familyOf(server).filter((one) => one !== server))
    try {
      others.set(pid, cpuSeconds(pid) * 1000)
    } catch {
      // the process has just ended
    }
  return { server: cpuSeconds(server) * 1000, others }
}

/** Of processes that run at the end: what those use that end meanwhile is not known. */
const workerCpu = (before: Map<number, number>, after: Map<number, number>): number =>
  [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? 0), 0)

async function profile(harness: Harness, call: Call, spans: Span[]) {
  const samples: Record<Part, number>[] = []
  const times: number[] = []
  for (let i = -2; i < CALLS; i++) {
    const before = cpuOfFamily(harness.server.pid)
    spans.length = 0
    const { callMs } = await harness.call(call)
    const after = cpuOfFamily(harness.server.pid)
    const cpu = { 'server CPU': after.server - before.server, 'worker CPU': workerCpu(before.others, after.others) }
    const ofCall = (): Span[] => {
      const traceId = spans.find(({ name }) => name === 'work')?.traceId
      return spans.filter((span) => span.traceId === traceId)
    }
    await until(async () => ofCall().some(({ name }) => name.startsWith('POST')), 'the spans of the call')
    // the first two warm up the worker
    if (i < 0) continue
    times.push(callMs)
    samples.push({ ...partsOf(ofCall()), ...cpu } as Record<Part, number>)
  }
  return {
    callMs: quantile(times, 0.5),
    of: (part: Part) =>
      quantile(
        samples.map((sample) => sample[part]),
        0.5,
      ),
  }
}

const collector = startCollector()
const harness = await startHarness({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '20' })
try {
  say(`${CALLS} calls each, medians in ms, load ${load()}\n`)
  say(`| call | whole | ${PARTS.join(' | ')} |`)
  say(`| --- | --- | ${PARTS.map(() => '---').join(' | ')} |`)
  for (const [name, call] of await typicalCalls(harness.dir)) {
    const { callMs, of } = await profile(harness, call, collector.spans)
    say(`| ${name} | ${ms(callMs)} | ${PARTS.map((part) => ms(of(part))).join(' | ')} |`)
  }
} finally {
  await harness.stop()
  await collector.stop()
}
