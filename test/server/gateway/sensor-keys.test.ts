/** How a sensor's own key is sent. */
import { expect, test } from 'bun:test'
import { batch, outcomeOf } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const instance = await sharedInstance()

test('the key of a sensor is taken as Bearer, as Token and as the password of Basic, and nowhere else', async () => {
  const { id } = await instance.organization()
  const sensor = await instance.sensor(id, [{ name: 'a', measurement: 'number' }])
  const body = batch(1)
  for (const authorization of [
    `Bearer ${sensor.key}`,
    `token ${sensor.key}`,
    `Basic ${btoa(`any:${sensor.key}`)}`,
    `basic ${btoa(`:${sensor.key}`)}`,
  ]) {
    const { accepted, duplicates } = await outcomeOf(await instance.send(sensor, body, { authorization }))
    expect([authorization, accepted.length + duplicates.length]).toEqual([authorization, 1])
  }
  for (const authorization of [
    '',
    sensor.key,
    `Basic ${btoa(sensor.key)}`,
    `Digest ${sensor.key}`,
    `Token x${sensor.key}`,
  ]) {
    const response = await instance.send(sensor, body, { authorization })
    expect([authorization, response.status]).toEqual([authorization, 401])
    expect(await response.json()).toMatchObject({ code: 'SENSOR_KEY_INVALID' })
  }
  const { port } = new URL(instance.url())
  const address = `http://127.0.0.1:${port}/sensors/${sensor.id}/readings?u=any&p=${sensor.key}`
  expect((await fetch(address, { method: 'POST', body: JSON.stringify(body) })).status).toBe(401)
})
