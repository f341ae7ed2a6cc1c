/** What calls with refused parts say about their sensor. */
import { expect, test } from 'bun:test'
import { createReceipts } from '../../../src/analytics/fleet/receipts.ts'
import { appendReading, appendRefusal, type Batch, createBatch, sensorProfile } from '../../../src/ingest/batch.ts'
import type { Ingest } from '../../../src/ingest/ingest.ts'
import { messageSource } from '../../../src/ingest/mqtt/message.ts'
import { type ReadingsSource, refusalOf, reserveDay } from '../../../src/ingest/validate.ts'

type Receipt = { reason: string; isWhole: boolean; example: string }
const profile = sensorProfile(1, 1, 365, [{ number: 1, name: 'a', measurement: 'number' }])
const nowMs = Date.now()
const body = new Uint8Array()

/** What is noted of a call with this batch. */
async function receiptsOf(batch: Batch, sent: Uint8Array, source?: ReadingsSource): Promise<Receipt[]> {
  const noted: Receipt[] = []
  const { watch } = createReceipts({
    activity: {
      accepted: () => undefined,
      refused: (_, reason, _count, _now, isWhole, example) => void noted.push({ reason, isWhole, example: example() }),
      stop: async () => undefined,
    },
    rhythms: { note: () => undefined, isSending: () => false } as never,
    tail: { readingsOf: () => undefined } as never,
  })
  const ingest = { accept: async <T>(_: unknown, render: (batch: Batch) => T) => render(batch) } as unknown as Ingest
  await watch(ingest).accept({ profile, readingsPerDay: 10, body: sent, source, nowMs }, () => undefined)
  return noted
}

const wholeOf = async (reasons: readonly string[], readings = 0): Promise<boolean[]> => {
  const batch = createBatch()
  for (let i = 0; i < readings; i++) appendReading(batch, profile, nowMs - i, 0, 1, 2)
  for (const reason of reasons) appendRefusal(batch, { at: 'x', reason })
  const noted = await receiptsOf(batch, body, { fill: () => undefined, sent: () => 'line' })
  return noted.map(({ isWhole }) => isWhole)
}

test('a sensor is refused when nothing of its call is stored, and not when only parts are left out', async () => {
  expect(await wholeOf(['SENSOR_READING_BAD_VALUE'])).toEqual([true])
  expect(await wholeOf(['SENSOR_READING_BAD_VALUE'], 1)).toEqual([false])
  // points of texts alone are accepted, and the other value of a conflict is stored
  expect(await wholeOf(['SENSOR_FIELD_TEXT'])).toEqual([false])
  expect(await wholeOf(['SENSOR_FIELD_TEXT', 'SENSOR_READING_NO_TIME'])).toEqual([false, false])
  expect(await wholeOf(['SENSOR_READING_CONFLICT'])).toEqual([false])
  expect(await wholeOf(['SENSOR_FIELD_TEXT', 'SENSOR_READING_UNKNOWN_CHANNEL'])).toEqual([true, true])
})

test('the example of a reason is the reading that was refused for it, also when the day is spent before it', async () => {
  const at = (i: number): string => new Date(nowMs - i * 1_000).toISOString()
  const sent = { readings: [at(3), at(2), at(1)].map((time, i) => ({ at: time, values: { a: i === 2 ? 'x' : i } })) }
  const call = { profile, readingsPerDay: 1, body: new TextEncoder().encode(JSON.stringify(sent)), nowMs }
  const batch = createBatch()
  const counts = {
    used: () => 0,
    reserve: () => 1,
    release: () => undefined,
    replay: () => undefined,
    writeSnapshot: async () => undefined,
  }
  expect(refusalOf(call, batch, counts)).toBeUndefined()
  expect(reserveDay(counts, call, batch)).toBe(1)
  expect(batch.refused.map((refusal) => refusal.at)).toEqual([at(2), at(1)])
  const examples = Object.fromEntries(
    (await receiptsOf(batch, call.body)).map(({ reason, example }) => [reason, JSON.parse(example)]),
  )
  expect(examples).toEqual({
    SENSOR_READINGS_DAILY_LIMIT: sent.readings[1],
    SENSOR_READING_BAD_VALUE: sent.readings[2],
  })
})

test('the example of a channel that was left out of a message by MQTT is its reading', async () => {
  const readings = [2, 1].map((i) => ({
    at: new Date(nowMs - i * 1_000).toISOString(),
    values: { a: i, [`x${i}`]: 1 },
  }))
  const sent = new TextEncoder().encode(JSON.stringify({ readings }))
  const batch = createBatch()
  const source = messageSource(sent, true)
  batch.receivedAtMs = nowMs
  source.fill(profile, batch, nowMs - 60_000, nowMs)
  expect(batch.refused).toHaveLength(2)
  expect((await receiptsOf(batch, sent, source)).map(({ reason, example }) => [reason, JSON.parse(example)])).toEqual([
    ['SENSOR_READING_UNKNOWN_CHANNEL', readings[0]],
  ])
})
