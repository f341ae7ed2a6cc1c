/** With Redis, readings that a gateway sends do not count as calls of their sensor, by no way and at no instance. */
import { expect, test } from 'bun:test'
import { device, fleetKey, newDevEui, post, thingsStackUplink } from '../../support/lorawan/webhooks.ts'
import { connectMqtt, isAcknowledged } from '../../support/mqtt/client.ts'
import { fromNow } from '../../support/server/instance.ts'
import { manyOutcomeOf, sendMany } from '../../support/server/many-readings.ts'
import { SENSOR_CALLS, sharedPair } from '../../support/server/two-instances.ts'
import { inOneMinute } from '../../support/until.ts'

const { one, other, mqttPort } = await sharedPair()
const organization = await one.organization('scale')
const { key } = await fleetKey(one, organization.id)

type Sent = { id: string; devEui: string; at: string; number: number }

const WAYS: Record<string, (sent: Sent) => Promise<void>> = {
  async '/ingest/readings'({ id, at, number }) {
    const response = await sendMany(number % 2 === 0 ? one : other, { key }, [
      { sensor: id, at, values: { a: number } },
    ])
    expect((await manyOutcomeOf(response)).accepted).toEqual([{ sensor: id, at }])
  },
  async 'line protocol'({ id, at, number }) {
    const { url } = number % 2 === 0 ? one : other
    const response = await fetch(`${url()}/api/v2/write?precision=ms`, {
      method: 'POST',
      headers: { authorization: `Token ${key}` },
      body: `m,sensor=${id} a=${number} ${Date.parse(at)}`,
    })
    expect([response.status, await response.text()]).toEqual([204, ''])
  },
  async LoRaWAN({ devEui, at, number }) {
    const uplink = thingsStackUplink(devEui, at, { f_cnt: number, decoded_payload: { a: number } })
    const { status, body } = await post(number % 2 === 0 ? one : other, '/ingest/ttn', key, uplink)
    expect([status, body?.data.accepted]).toEqual([200, [at]])
  },
  async MQTT({ id, at, number }) {
    const client = await connectMqtt(mqttPort, { id: 'gateway', key })
    expect(await isAcknowledged(client, `sensors/${id}/readings`, { at, values: { a: number } })).toBe(true)
    // refused as a whole, which would count as a call too
    expect(await isAcknowledged(client, `sensors/${id}/readings`, 'no reading')).toBe(true)
    await client.endAsync()
  },
}

test.each(Object.entries(WAYS))('%s', async (_, send) => {
  const statuses = await inOneMinute(async () => {
    const devEui = newDevEui()
    const sensor = await device(one, organization.id, devEui, [{ name: 'a', measurement: 'number' }])
    for (let number = 0; number < SENSOR_CALLS + 5; number++)
      await send({ id: sensor.id, devEui, at: fromNow(-3_600_000 + number * 2_000), number })

    const answers: number[] = []
    for (let call = 0; call <= SENSOR_CALLS; call++) {
      const readings = [{ at: fromNow(call * 1_000 - 600_000), values: { a: 1 } }]
      answers.push((await (call % 2 === 0 ? one : other).send(sensor, { readings })).status)
    }
    return answers
  })
  // neither were its own calls used up, nor are they unlimited
  expect(statuses).toEqual([...Array<number>(SENSOR_CALLS).fill(200), 429])
})
