/** Deliveries across kills of the server and of PostgreSQL, to receivers that fail in every way. */
import { afterAll, expect, test } from 'bun:test'
import { startDeliveryRun } from '../support/destinations/delivery-run.ts'
import { killRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createInstance } from '../support/server/instance.ts'
import { postmasterOf } from '../support/stores/embedded-postgres.ts'

const KILLS = rounds(2, 20)
const EVENTS = rounds(400, 10_000)
const TIME_SCALE = 100
const randomOf = killRandom('delivery-kills.test.ts')
const instance = await createInstance({
  WEBHOOK_ALLOW: '127.0.0.0/8',
  DELIVERY_TIME_SCALE: String(TIME_SCALE),
})
afterAll(instance.remove)

test(
  `${KILLS} kills of each process: each event arrives or is replaced by a newer one, in the order of its subject`,
  async () => {
    const run = await startDeliveryRun({
      instance,
      organization: await instance.organization('scale'),
      receivers: 10,
      subjects: EVENTS / 20,
      events: EVENTS,
      perSecond: 50,
      awayMs: rounds(3_000, 3_600_000 / TIME_SCALE),
      randomOf,
    })
    const random = randomOf('kills')
    for (let kill = 0; kill < KILLS; kill++) {
      await Bun.sleep(500 + random() * 1_500)
      process.kill(postmasterOf(instance.dir), 'SIGKILL')
      await Bun.sleep(500 + random() * 1_500)
      await instance.kill('SIGKILL')
      await instance.restart()
    }
    const { faults, counts } = await run.finish(rounds(100_000, 900_000))
    expect(faults).toEqual({
      lost: [],
      deliveredWithoutArrival: [],
      unknown: [],
      otherBytes: [],
      outOfOrder: [],
      newestNotLast: [],
    })
    expect(counts.arrivals).toBeGreaterThan(EVENTS / 10)
  },
  rounds(240_000, 2_400_000),
)
