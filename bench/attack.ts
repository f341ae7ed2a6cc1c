/**
 * Attacks the server as one tenant and as nobody, beside a victim that keeps posting readings and running buffers: known
 * attacks first, then mutated requests over every route with every kind of credential. Fails when the server ends, when
 * an answer is an unexpected error, or when a limit below is missed.
 * `bun run bench attack [mutated requests] [seed]`; the same seed sends the same mutated requests.
 */

import { stopServer } from '../test/support/processes.ts'
import { ATTACKS } from './attack/attacks.ts'
import { failuresIn } from './attack/failures.ts'
import { type Mutation, mutations } from './attack/mutations.ts'
import { call, createOutcomes, inParallel, type Outcomes } from './attack/send.ts'
import { startVictim, type Victim } from './attack/victim.ts'
import { startWorld, type World } from './attack/world.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'

const REQUESTS = Number(process.argv[2] ?? 10_000)
const SEED = Number(process.argv[3] ?? 1)
const AT_A_TIME = 12
/** The engine compiles code and keeps it: memory reaches a plateau after about 4,000 requests of every kind. */
const WARM_UP_REQUESTS = 4_000
const QUIET_MS = 5_000
const SETTLE_MS = 20_000
const LIMITS = { readingsP99Ms: 250, toolsP99Ms: 2_000, loopP999Ms: 50, memoryGrowth: 1.2 }

const world = await startWorld()
const outcomes = createOutcomes()
const victim = startVictim(world)
const all = {
  readings: [] as number[],
  tools: [] as number[],
  loop: [] as number[],
  refused: new Map<string, number>(),
}

/** The figures since the last call, as a line of the table. */
async function report(name: string, startedMs: number, counts: boolean): Promise<void> {
  const { readings, tools, refused } = await victim.take()
  const [loop999, loopMax] = await loopDelays(world)
  if (counts) {
    // not with spread arguments: there may be more times than arguments are allowed
    for (const time of readings) all.readings.push(time)
    for (const time of tools) all.tools.push(time)
    for (const [code, count] of Object.entries(refused)) all.refused.set(code, (all.refused.get(code) ?? 0) + count)
    all.loop.push(loop999)
  }
  const refusals =
    Object.entries(refused)
      .map(([code, count]) => `${count} ${code}`)
      .join(', ') || '–'
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  const [r, t] = [readings, tools].map((times) => `${ms(quantile(times, 0.5))} / ${ms(quantile(times, 0.99))}`)
  say(
    `| ${name} | ${seconds} | ${r} | ${t} | ${refusals} | ${ms(loop999)} / ${ms(loopMax)} | ${await memoryMb(world)} |`,
  )
}

async function loopDelays({ server }: World): Promise<[p999: number, max: number]> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  const at = (share: string): number =>
    1000 * Number(new RegExp(`event_loop_delay_seconds\\{quantile="${share}"\\} (\\S+)`).exec(text)?.[1] ?? 0)
  return [at('0.999'), at('1')]
}
const memoryMb = async ({ metric }: World): Promise<number> =>
  Math.round((await metric('process_resident_memory_bytes')) / 2 ** 20)

async function send({ what, path, init }: Mutation, into: Outcomes): Promise<void> {
  into.add(what, await call(world.server.url + path, init))
}

async function phase(name: string, work: () => Promise<void>, counts = true): Promise<void> {
  const startedMs = performance.now()
  await work()
  await report(name, startedMs, counts)
}

say(`Seed ${SEED}, ${REQUESTS} mutated requests, load before ${load()}\n`)
say('| phase | s | readings p50 / p99 ms | buffers p50 / p99 ms | refused | loop p99.9 / max ms | server MB |')
say('| ----- | -: | -: | -: | -- | -: | -: |')
const freshMb = await memoryMb(world)
const first = await mutations(world, SEED + 1)
await phase('warm-up', () => inParallel(WARM_UP_REQUESTS, AT_A_TIME, () => send(first(), createOutcomes())), false)
await phase('nothing', () => Bun.sleep(QUIET_MS), false)
const startMb = await memoryMb(world)
for (const { name, run } of ATTACKS) await phase(name, () => run(world, outcomes))
const next = await mutations(world, SEED)
await phase(`${REQUESTS} mutated requests`, () => inParallel(REQUESTS, AT_A_TIME, () => send(next(), outcomes)))
await phase('afterwards', () => Bun.sleep(SETTLE_MS), false)
const endMb = await memoryMb(world)
await finish(victim)

async function finish(running: Victim): Promise<void> {
  const isAlive = world.server.process.exitCode === null && (await fetch(`${world.server.url}/health/live`)).ok
  const uncaught =
    (await (await fetch(`${world.server.url}/metrics`)).text()).match(/^uncaught_errors_total\{.*(?<! 0)$/gm) ?? []
  running.stop()
  // the log is complete when the server has stopped
  const stopped = await stopServer(world.server)
  const { count, unexplained } = failuresIn(world.log())
  await world.stop()
  const failures = [
    [!isAlive, 'the server ended'],
    [uncaught.length > 0, `errors that nothing handled: ${uncaught.join(', ')}`],
    [outcomes.faults.length > 0, `unexpected answers:\n  ${[...new Set(outcomes.faults)].slice(0, 20).join('\n  ')}`],
    [stopped !== 0, `the server stopped with exit code ${stopped}`],
    [unexplained.length > 0, `failures without a cause in the log:\n  ${unexplained.slice(0, 5).join('\n  ')}`],
    [count < outcomes.failures, `${outcomes.failures} answers were failures, but ${count} are in the log`],
    [quantile(all.readings, 0.99) > LIMITS.readingsP99Ms, `readings p99 over ${LIMITS.readingsP99Ms} ms`],
    [quantile(all.tools, 0.99) > LIMITS.toolsP99Ms, `buffers p99 over ${LIMITS.toolsP99Ms} ms`],
    [Math.max(...all.loop) > LIMITS.loopP999Ms, `event loop p99.9 over ${LIMITS.loopP999Ms} ms`],
    [endMb > startMb * LIMITS.memoryGrowth, `after the warm-up, memory grew from ${startMb} to ${endMb} MB`],
    [all.readings.length === 0 || all.tools.length === 0, 'the victim made no calls'],
    [all.refused.size > 0, `the victim was refused: ${JSON.stringify([...all.refused])}`],
  ].flatMap(([failed, text]) => (failed ? [text as string] : []))
  say(
    `\nAnswers: ${[...outcomes.counts]
      .toSorted((a, b) => b[1] - a[1])
      .map(([key, count]) => `${count} × ${key}`)
      .join(', ')}`,
  )
  say(`Failures (5xx): ${outcomes.failures} answers, ${count} lines in the log, ${unexplained.length} without a cause`)
  say(`Victim: readings p99 ${ms(quantile(all.readings, 0.99))} ms, buffers p99 ${ms(quantile(all.tools, 0.99))} ms`)
  say(
    `Memory of the server: ${freshMb} MB when it had started, ${startMb} MB after the warm-up, ${endMb} MB ${SETTLE_MS / 1000} s afterwards; load after ${load()}`,
  )
  say(failures.length === 0 ? 'All limits were met.' : `MISSED:\n- ${failures.join('\n- ')}`)
  process.exit(failures.length === 0 ? 0 : 1)
}
