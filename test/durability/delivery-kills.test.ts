/** Deliveries across kills of the server and of PostgreSQL, to receivers that fail in every way. */
import { afterAll, expect, test } from 'bun:test'
import { startDeliveryRun } from '../support/destinations/delivery-run.ts'
import { startGroupedRun } from '../support/destinations/grouped-run.ts'
import { openMailServer } from '../support/destinations/mail-server.ts'
import { killRandom } from '../support/random.ts'
import { isLong, rounds } from '../support/rounds.ts'
import { createInstance } from '../support/server/instance.ts'
import { memberAccount } from '../support/sessions.ts'
import { postmasterOf } from '../support/stores/embedded-postgres.ts'

const KILLS = rounds(2, 20)
const EVENTS = rounds(400, 10_000)
const TIME_SCALE = rounds(200, 100)
const randomOf = killRandom('delivery-kills.test.ts')
const smtp = await openMailServer()
const instance = await createInstance({
  WEBHOOK_ALLOW: '127.0.0.0/8',
  DELIVERY_TIME_SCALE: String(TIME_SCALE),
  SMTP_URL: smtp.url,
  PUBLIC_URL: 'http://gis.example.org',
})
afterAll(async () => {
  await instance.remove()
  await smtp.close()
})

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
      const killedMs = Date.now()
      await instance.restart()
      // the long run waits for them
      if (!isLong) await run.endLeases(killedMs)
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

const GROUPED_KILLS = rounds(5, 20)

test(
  `${GROUPED_KILLS} kills of the server or of PostgreSQL: groups, mails and repeated alerts arrive in order, and end`,
  async () => {
    const organization = await instance.organization('scale')
    const { email } = await memberAccount(instance, organization.id, 'admin')
    const run = await startGroupedRun({
      instance,
      organization,
      smtp,
      email,
      events: rounds(300, 1_500),
      perSecond: 20,
      randomOf,
    })
    const random = randomOf('grouped kills')
    for (let kill = 0; kill < GROUPED_KILLS; kill++) {
      await Bun.sleep(500 + random() * 2_500)
      if (kill % 2 === 1) {
        process.kill(postmasterOf(instance.dir), 'SIGKILL')
        continue
      }
      await instance.kill('SIGKILL')
      const killedMs = Date.now()
      await instance.restart()
      await run.endLeases(killedMs)
    }
    const { faults, counts } = await run.finish(GROUPED_KILLS, 300_000)
    process.stderr.write(`${JSON.stringify(counts)}\n`)
    expect(faults).toEqual({
      lost: [],
      notEnded: [],
      deliveredWithoutArrival: [],
      wrongStatus: [],
      moreThanAttempts: [],
      tooOften: [],
      unknown: [],
      otherBytes: [],
      wrongGroup: [],
      outOfOrder: [],
      newestNotLast: [],
      wrongRepeats: [],
    })
    expect(counts).toMatchObject({ sentAfterwards: 0 })
    for (const some of [counts.groups, counts.mails, counts.repeats]) expect(some).toBeGreaterThan(GROUPED_KILLS / 3)
  },
  rounds(240_000, 1_200_000),
)
