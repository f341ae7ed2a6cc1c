/** Fields of sensors that several routes take. */

import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { MAX_CHANNELS } from '../../../ingest/batch.ts'
import { MAX_TAGS } from '../../../stores/postgres/sensors/fleet-keys.ts'
import type { ChannelInput } from '../../../stores/postgres/sensors/sensors.ts'
import { closed, name } from '../request-schemas.ts'

const channel = Type.Object(
  {
    name,
    measurement: Type.Union([Type.Literal('number'), Type.Literal('whole'), Type.Literal('boolean')]),
    unit: Type.Optional(Type.String({ maxLength: 50 })),
  },
  closed,
)
export const channels = Type.Array(channel, { maxItems: MAX_CHANNELS })
export const tags = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
  maxItems: MAX_TAGS,
  uniqueItems: true,
  description: 'Words by which lists are filtered',
})
export const externalId = Type.String({
  minLength: 1,
  maxLength: 200,
  // calls name a sensor by either id
  pattern: '^(?!sen_[0-9a-zA-Z]{1,60}$)[\\s\\S]*\\S',
  description:
    'An id that the enterprise has given to the device, such as a DevEUI, an IMEI or a host name; unique in the enterprise. Must not consist of spaces only, nor look like an id of a sensor.',
})

/** @param field where they were sent @throws AppError VALIDATION_FAILED */
export function checkChannels(sent: readonly ChannelInput[] | undefined, field = 'body.channels'): void {
  const names = new Set<string>()
  for (const [i, { name }] of (sent ?? []).entries()) {
    if (names.has(name)) throw invalidField(`${field}.${i}.name`, 'unique', fieldText('nameTwice', { name }))
    names.add(name)
  }
}
