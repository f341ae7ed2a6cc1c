/**
 * Readings by every way at once, under kills: bodies of the sensor's route, /ingest/readings, line protocol, webhooks of
 * LoRaWAN, MQTT. `bun run bench gateway-kills [kills = 20] [seed] [embedded | shared]` kills a server with embedded stores
 * that often with SIGKILL, and then each of two servers and the Redis that they share in turn. Counts readings that were
 * lost, doubled or changed, and compares the count of the day. Exits with 1 if anything is wrong.
 */
import { type KillResult, startGatewayKills } from '../test/support/gateway/kill-run.ts'
import { type Random, seeded, whole } from '../test/support/random.ts'
import { load, say } from './support/tool-harness.ts'

const kills = Number(process.argv[2] ?? 20)
const seed = Number(process.argv[3] ?? whole(Math.random, 2 ** 31))
const kinds = process.argv[4] === undefined ? ['embedded', 'shared'] : [process.argv[4]]
const PAUSE_MS = 200
const number = (value: number): string => value.toLocaleString('en')

function report({ ways, stored, rows, counted, details }: KillResult): boolean {
  for (const { way, calls, stored: ofWay, lost, doubled, changed, neverSent } of ways)
    say(
      `  ${way}: ${number(calls)} calls, ${number(ofWay)} readings; lost ${lost}, doubled ${doubled}, changed ${changed}, never sent ${neverSent}`,
    )
  for (const detail of details) say(`  ${detail}`)
  say(`  ${number(stored)} readings, ${number(rows)} rows, ${number(counted)} counted for the day`)
  return details.length === 0 && rows === stored && counted === stored
}

async function run(kind: string): Promise<boolean> {
  const isShared = kind === 'shared'
  const randomOf = (loop: string): Random => seeded(Bun.hash.crc32(`${seed} ${kind} ${loop}`))
  const work = await startGatewayKills(isShared, randomOf, PAUSE_MS)
  try {
    const beganMs = performance.now()
    for (let kill = 1; kill <= kills; kill++) {
      await work.killServer()
      if (isShared) await work.killRedis()
      say(`${kind}: ${kill} of ${kills}, ${((performance.now() - beganMs) / 1000).toFixed(0)} s; load ${load()}`)
    }
    const result = await work.stop()
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(0)
    say(`${kills} kills of ${isShared ? `servers and ${kills} of Redis` : 'a server'} in ${seconds} s`)
    return report(result)
  } finally {
    await work.remove()
  }
}

say(`seed ${seed}`)
let isRight = true
for (const kind of kinds) isRight = (await run(kind)) && isRight
process.exit(isRight ? 0 : 1)
