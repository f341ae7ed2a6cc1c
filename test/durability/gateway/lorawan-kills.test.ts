/**
 * Durability of uplinks: every frame whose copies were answered is stored exactly once, although the copies differ in
 * their times and the server is killed with SIGKILL between and during them. A webhook with retries sends a copy again
 * until it has an answer.
 */
import { afterAll, expect, test } from 'bun:test'
import { device, fleetKey, newDevEui, post, thingsStackUplink } from '../../support/lorawan/webhooks.ts'
import { killRandom, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { createInstance, type MadeSensor, readingTimes, untilStored } from '../../support/server/instance.ts'

const KILLS = rounds(2, 20)
const DEVICES = 8
const COPIES = 3
const randomFor = killRandom('lorawan-kills.test.ts')

const instance = await createInstance({
  FLEET_CALLS_PER_MINUTE: '1000000',
  LOG_SEGMENT_MB: '1',
  LOAD_INTERVAL_MS: '50',
})
const organization = await instance.organization('scale')
afterAll(instance.remove)

test(`${KILLS} kills under load lose no frame and store none twice`, async () => {
  const { key } = await fleetKey(instance, organization.id)
  const startMs = Date.now() - 86_400_000
  let isRunning = true

  async function untilAnswered(message: object): Promise<void> {
    for (; ; await Bun.sleep(10)) {
      // the server was killed
      const answer = await post(instance, '/ingest/ttn', key, message).catch(() => undefined)
      if (answer === undefined || answer.status === 503) continue
      const { accepted, duplicates } = answer.body?.data ?? { accepted: [], duplicates: [] }
      expect({ status: answer.status, times: accepted.length + duplicates.length }).toEqual({ status: 200, times: 1 })
      return
    }
  }

  /** Sends frames 2 s apart, whose copies are at most half a second apart. */
  async function sendFrames(number: number): Promise<{ sensor: MadeSensor; frames: number }> {
    const devEui = newDevEui()
    const channels = [{ name: 'temperature', measurement: 'number' as const }]
    const sensor = await device(instance, organization.id, devEui, channels)
    const random = randomFor(number)
    let frames = 0
    for (; isRunning || frames < KILLS * 5; frames++) {
      const copy = async (): Promise<void> => {
        const at = new Date(startMs + frames * 2_000 + whole(random, 500)).toISOString()
        const message = thingsStackUplink(devEui, at, { f_cnt: frames, decoded_payload: { temperature: frames } })
        await Bun.sleep(whole(random, 20))
        await untilAnswered(message)
      }
      await Promise.all(Array.from({ length: COPIES }, copy))
      // a late copy, in a second process if the server was killed meanwhile
      if (whole(random, 4) === 0) await copy()
    }
    return { sensor, frames }
  }

  const sending = Promise.all(Array.from({ length: DEVICES }, (_, number) => sendFrames(number)))
  const random = randomFor('kills')
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(300 + random() * 900)
    await instance.kill('SIGKILL')
    await instance.restart()
  }
  await Bun.sleep(300)
  isRunning = false
  for (const { sensor, frames } of await sending) {
    await untilStored(() => instance, organization, sensor, frames)
    const times = await readingTimes(() => instance, organization, sensor)
    const stored = times.map((at) => Math.floor((Date.parse(at) - startMs) / 2_000))
    expect(stored).toEqual(Array.from({ length: frames }, (_, frame) => frame))
  }
}, 300_000)
