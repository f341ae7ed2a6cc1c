/** Who sends by MQTT: a sensor with its key, or a gateway with a fleet key, and for which sensors they may send. */
import type { FleetGate } from '../../access/fleet-gate.ts'
import { KEY_PREFIXES } from '../../access/keys/keys.ts'
import type { Sender as Caller, SensorGate } from '../../access/sensor-gate.ts'
import type { SensorProfile } from '../../ingest/batch.ts'
import { READINGS_TOPIC, sensorInTopic } from '../../ingest/mqtt/topic.ts'
import { READING_LIMITS } from '../../ingest/validate.ts'
import { JsonTextError, parseJson } from '../../json-text.ts'

export type Target = {
  profile: SensorProfile
  readingsPerDay: number
  /** Whether channels that the sensor lacks are left out of its readings. */
  ignoresUnknown?: boolean
}

export type MqttSender = {
  /** Of the sensor or of the fleet key. */
  id: string
  enterpriseId: string
  /** Looks at the key and the state again. @throws AppError when the sender may not send any more */
  recheck(nowMs: number): Promise<void>
  /**
   * The sensor of a message; undefined when its readings are refused, which is noted.
   * @throws AppError as `recheck`; TopicRefused
   */
  targetOf(topic: string, message: Uint8Array, nowMs: number): Target | Promise<Target | undefined>
}

/** A topic that takes no readings of the sender. */
export class TopicRefused extends Error {}

export type SignIn = (user: string, password: string, address: string, nowMs: number) => Promise<MqttSender>

const SENSOR_TOPIC = 'readings'
const nameIn = sensorInTopic(READINGS_TOPIC)

/** @returns a function that throws AppError as the gates do */
export function createSignIn(gate: SensorGate<SensorProfile>, fleetGate: FleetGate<SensorProfile>): SignIn {
  return (user, password, address, nowMs) => {
    const headers = { get: (name: string) => (name === 'authorization' ? `Bearer ${password}` : null) }
    const caller: Caller = { headers, address: () => address }
    return password.startsWith(KEY_PREFIXES.fleet)
      ? signInFleet(fleetGate, caller, nowMs)
      : signInSensor(gate, user, caller, nowMs)
  }
}

async function signInSensor(
  gate: SensorGate<SensorProfile>,
  id: string,
  caller: Caller,
  nowMs: number,
): Promise<MqttSender> {
  await gate.admit(id, caller, nowMs)
  let { facts, keyExpiresMs } = await gate.readmit(id, caller, nowMs)

  async function recheck(atMs: number): Promise<void> {
    ;({ facts, keyExpiresMs } = await gate.readmit(id, caller, atMs))
  }

  return {
    id,
    enterpriseId: facts.enterpriseId,
    recheck,
    targetOf(topic, _message, atMs) {
      if (topic !== SENSOR_TOPIC) throw new TopicRefused(`a sensor publishes to "${SENSOR_TOPIC}" only`)
      return atMs < keyExpiresMs && gate.peek(id) === facts ? facts : recheck(atMs).then(() => facts)
    },
  }
}

async function signInFleet(gate: FleetGate<SensorProfile>, caller: Caller, nowMs: number): Promise<MqttSender> {
  await gate.admit(caller, nowMs)
  let { call, keyExpiresMs } = await gate.readmit(caller, nowMs)
  let isCurrent = true

  async function recheck(atMs: number): Promise<void> {
    isCurrent = false
    ;({ call, keyExpiresMs } = await gate.readmit(caller, atMs))
    isCurrent = true
  }

  async function targetOf(name: string, message: Uint8Array, atMs: number): Promise<Target | undefined> {
    if (!isCurrent || atMs >= keyExpiresMs) await recheck(atMs)
    const target = (await call.targets([name], () => firstReading(message))).get(name)
    if (target === undefined) throw new Error('the fleet gate left a name out')
    if ('profile' in target) return { ...target, ignoresUnknown: call.settings.unknownChannels === 'ignore' }
    call.noteRefused([{ name, reason: target.reason }], atMs)
    return undefined
  }

  return {
    id: call.fleetKeyId,
    enterpriseId: call.enterpriseId,
    recheck,
    targetOf(topic, message, atMs) {
      const name = nameIn(topic)
      if (name === undefined)
        throw new TopicRefused('a gateway publishes to "sensors/{id or externalId}/readings" only')
      return targetOf(name, message, atMs)
    },
  }
}

/** For those who approve the sensor. */
function firstReading(message: Uint8Array): unknown {
  try {
    const sent = parseJson(message, READING_LIMITS) as { readings?: unknown[] } | null
    return Array.isArray(sent?.readings) ? sent.readings[0] : sent
  } catch (error) {
    if (error instanceof JsonTextError) return undefined
    throw error
  }
}
