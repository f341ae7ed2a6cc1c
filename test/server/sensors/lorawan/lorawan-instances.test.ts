/** Copies of a frame that come to two instances with shared stores at the same time. */
import { expect, test } from 'bun:test'
import { device, fleetKey, newDevEui, post, thingsStackUplink } from '../../../support/lorawan/webhooks.ts'
import { type Channel, readingTimes, untilStored } from '../../../support/server/instance.ts'
import { sharedPair } from '../../../support/server/two-instances.ts'

const CHANNELS: Channel[] = [{ name: 'temperature', measurement: 'number' }]
/** More than a sensor may call in a minute: calls of a fleet key do not count for it. */
const FRAMES = 12
const COPIES = 4

test('copies are stored once, whichever instance they reach', async () => {
  const { one, other } = await sharedPair()
  const organization = await one.organization()
  const { key } = await fleetKey(one, organization.id)
  const devEui = newDevEui()
  const sensor = await device(one, organization.id, devEui, CHANNELS)
  const startMs = Date.now() - 60_000
  const accepted: string[] = []
  for (let frame = 0; frame < FRAMES; frame++) {
    const answers = await Promise.all(
      Array.from({ length: COPIES }, (_, copy) => {
        const at = new Date(startMs + frame * 1_000 + copy * 3).toISOString()
        const message = thingsStackUplink(devEui, at, { f_cnt: frame, decoded_payload: { temperature: frame } })
        return post(copy % 2 === 0 ? one : other, '/ingest/ttn', key, message)
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(COPIES).fill(200))
    const times = answers.flatMap(({ body }) => body?.data.accepted ?? [])
    expect(times).toHaveLength(1)
    expect(answers.flatMap(({ body }) => body?.data.duplicates ?? [])).toEqual(Array(COPIES - 1).fill(times[0]))
    accepted.push(...times)
  }
  await untilStored(() => one, organization, sensor, FRAMES)
  expect(await readingTimes(() => other, organization, sensor)).toEqual(accepted)
}, 120_000)
