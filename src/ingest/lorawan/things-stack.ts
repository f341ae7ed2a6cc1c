/**
 * Messages of webhooks of The Things Stack v3 in JSON. Protobuf leaves out members that are 0, false or empty.
 * https://www.thethingsindustries.com/docs/integrations/data-formats/
 */

import { invalidField } from '../../errors.ts'
import { fieldText, mustBe } from '../../field-texts/field-text.ts'
import { counterOf, gatewayPlaces, type Message, membersOf, nameOf, placesOf, readPayload } from './payload.ts'

/** The member that a message has for its kind of event. Kinds are named as ChirpStack names them, if it has them. */
const EVENTS: Readonly<Record<string, string>> = {
  join_accept: 'join',
  downlink_ack: 'ack',
  downlink_nack: 'nack',
  downlink_queued: 'queued',
  downlink_sent: 'sent',
  downlink_failed: 'failed',
  downlink_queue_invalidated: 'invalidated',
  location_solved: 'location',
  service_data: 'service',
  // the readings of an uplink again, which were sent as `uplink_message`
  uplink_normalized: 'normalized',
}

/** @param body parsed JSON. @throws AppError VALIDATION_FAILED for a message that is none */
export function readThingsStack(body: unknown): Message {
  const message = membersOf(body)
  const ids = membersOf(message.end_device_ids)
  const devEui = nameOf(ids.dev_eui)
  if (message.uplink_message === undefined) {
    const member = Object.keys(EVENTS).find((name) => message[name] !== undefined)
    if (member === undefined) throw invalidField('body', 'type', fieldText('thingsStack'))
    return { event: { devEui, kind: EVENTS[member] as string, at: message.received_at } }
  }
  const uplink = membersOf(message.uplink_message)
  if (devEui === undefined) throw invalidField('body.end_device_ids.dev_eui', 'required', fieldText('devEui'))
  const counter = counterOf(uplink.f_cnt)
  if (counter === undefined) throw invalidField('body.uplink_message.f_cnt', 'type', mustBe(fieldText('wholeNumber')))
  const { values, places } = readPayload(uplink.decoded_payload)
  const { 'frm-payload': fromPayload, ...others } = membersOf(uplink.locations)
  return {
    uplink: {
      devEui,
      // devices that are activated by personalization may have no session key
      session: nameOf(uplink.session_key_id) ?? nameOf(ids.dev_addr) ?? '',
      counter,
      at: membersOf(uplink.settings).time ?? uplink.received_at,
      values,
      places: [
        ...places,
        // what the server took from the payload, then what somebody entered
        ...placesOf([fromPayload, ...Object.values(others)]),
        ...gatewayPlaces(uplink.rx_metadata),
      ],
    },
  }
}
