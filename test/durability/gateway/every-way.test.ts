/**
 * Durability by every way at once: what was answered as accepted is stored exactly once, at whatever moment a server or
 * Redis is killed with SIGKILL. Nothing is left out of the day's count. When servers and their Redis are killed shortly
 * after each other, a repeated call may be counted twice. `bun run bench gateway-kills` does the same with more kills.
 */
import { expect, test } from 'bun:test'
import { type KillResult, startGatewayKills } from '../../support/gateway/kill-run.ts'
import { killRandom } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'

const KILLS = rounds(2, 20)
const PAUSE_MS = rounds(200, 20)
const randomOf = killRandom('every-way.test.ts')

function expectNoFault({ ways, stored, rows, details }: KillResult): void {
  expect(details).toEqual([])
  expect(rows).toBe(stored)
  for (const { way, stored: ofWay } of ways) expect([way, ofWay > KILLS * 10]).toEqual([way, true])
}

test(`${KILLS} kills of a server with embedded stores`, async () => {
  const kills = await startGatewayKills(false, randomOf, PAUSE_MS)
  try {
    for (let kill = 0; kill < KILLS; kill++) await kills.killServer()
    const result = await kills.stop()
    expectNoFault(result)
    expect(result.counted).toBe(result.stored)
  } finally {
    await kills.remove()
  }
}, 400_000)

test(`${KILLS} kills of servers and ${KILLS} of the Redis that they share`, async () => {
  const kills = await startGatewayKills(true, (loop) => randomOf(`shared ${loop}`), PAUSE_MS)
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      await kills.killServer()
      await kills.killRedis()
    }
    const result = await kills.stop()
    expectNoFault(result)
    expect(result.counted).toBeGreaterThanOrEqual(result.stored)
  } finally {
    await kills.remove()
  }
}, 600_000)
