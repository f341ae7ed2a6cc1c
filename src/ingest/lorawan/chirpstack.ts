/**
 * Events of the HTTP integration of ChirpStack v4 in JSON. Protobuf leaves out members that are 0, false or empty; the
 * members of `object` are left as the codec made them.
 * https://www.chirpstack.io/docs/chirpstack/integrations/events.html
 */

import { invalidField } from '../../errors.ts'
import { fieldText, mustBe } from '../../field-texts/field-text.ts'
import { counterOf, gatewayPlaces, type Message, membersOf, nameOf, readPayload } from './payload.ts'

export const CHIRPSTACK_EVENTS = ['up', 'join', 'ack', 'status', 'txack', 'log', 'location', 'integration'] as const
export type ChirpstackEvent = (typeof CHIRPSTACK_EVENTS)[number]

/** @param body parsed JSON. @throws AppError VALIDATION_FAILED for an uplink without a DevEUI or with a wrong counter */
export function readChirpstack(kind: ChirpstackEvent, body: unknown): Message {
  const event = membersOf(body)
  const devEui = nameOf(membersOf(event.deviceInfo).devEui)
  if (kind !== 'up') return { event: { devEui, kind, at: event.time } }
  if (devEui === undefined) throw invalidField('body.deviceInfo.devEui', 'required', fieldText('devEui'))
  const counter = counterOf(event.fCnt)
  if (counter === undefined) throw invalidField('body.fCnt', 'type', mustBe(fieldText('wholeNumber')))
  const { values, places } = readPayload(event.object)
  return {
    uplink: {
      devEui,
      session: nameOf(event.devAddr) ?? '',
      counter,
      at: event.time,
      values,
      places: [...places, ...gatewayPlaces(event.rxInfo)],
    },
  }
}
