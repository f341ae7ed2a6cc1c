/** Routes that delete readings of a sensor: a preview, the deletion, and its progress. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, STAFF } from '../../access/authorization.ts'
import { channelParameters } from '../../analytics/channel-names.ts'
import { countedOrNull } from '../../analytics/retention-change.ts'
import { parseTime } from '../../analytics/time-range.ts'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { succeed } from '../../http/envelope.ts'
import { dateTime, integer, nullable, object, page, ref } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { previewDeletion } from '../../stores/clickhouse/maintenance/deletion-statements.ts'
import {
  channelNumbers,
  type DeletionInput,
  getDeletion,
  listDeletions,
  requestDeletion,
} from '../../stores/postgres/sensors/reading-deletions.ts'
import { getSensor } from '../../stores/postgres/sensors/sensors.ts'
import type { ManageDeps } from './deps.ts'
import { operation } from './operation.ts'
import { pageOf, pageQuery } from './request-schemas.ts'
import { SENSOR } from './subject-paths.ts'

// parseTime checks the format of a time
const moment = (description: string) => Type.String({ description, maxLength: 40 })
const deletionQuery = Type.Object(
  {
    from: moment('Start of the period, inclusive (RFC 3339)'),
    to: moment('End of the period, exclusive (RFC 3339)'),
    channel: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Only the values of this channel; may be repeated; by default everything',
      }),
    ),
    refill: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether readings of these times may be sent again; not together with `channel`',
      }),
    ),
  },
  { additionalProperties: false },
)

/** @throws AppError VALIDATION_FAILED */
function inputOf(url: string, query: { from: string; to: string; refill?: boolean }): DeletionInput {
  const fromMs = parseTime('query.from', query.from, Number.NaN)
  const toMs = parseTime('query.to', query.to, Number.NaN)
  if (toMs <= fromMs) throw invalidField('query.to', 'range', fieldText('later', { field: 'query.from' }))
  const channels = [...new Set(channelParameters(url))]
  const { refill = false } = query
  if (refill && channels.length > 0) throw invalidField('query.refill', 'combination', fieldText('refillWithChannel'))
  return { from: new Date(fromMs), to: new Date(toMs), channels, refill }
}

export function readingDeletionRoutes({ db, clickhouse, changes }: Pick<ManageDeps, 'db' | 'clickhouse' | 'changes'>) {
  return new Elysia({ name: 'manage-reading-deletions' })
    .delete(
      `${SENSOR}/readings`,
      async ({ request, query }) => {
        const input = inputOf(request.url, query)
        const sensor = await getSensor(db, subjectOf(request))
        const deletion = await requestDeletion(db, callerOf(request), sensor, input)
        await changes.publish({ kind: 'reading-deletion' })
        return succeed(request, deletion)
      },
      operation({
        summary: 'Delete readings of a sensor',
        description:
          'Deletes the readings of a period in the background: their values and positions, also in rollups and newest values. The response is the deletion, whose `status` becomes `done`. The times remain duplicates for the sensor, unless `refill` is true. Events of zone rules stay.',
        rights: { of: 'sensor', for: MANAGERS },
        query: deletionQuery,
        result: ref('ReadingDeletion'),
      }),
    )
    .get(
      `${SENSOR}/deletions`,
      async ({ request, query }) => {
        await getSensor(db, subjectOf(request))
        return succeed(request, await listDeletions(db, subjectOf(request), pageOf(query)))
      },
      operation({
        summary: 'List deletions of readings of a sensor',
        description: 'Newest first.',
        rights: { of: 'sensor', for: STAFF },
        query: pageQuery,
        result: page(ref('ReadingDeletion')),
      }),
    )
    .get(
      `${SENSOR}/deletions/preview`,
      async ({ request, query }) => {
        const { from, to, channels, refill } = inputOf(request.url, query)
        const sensor = await getSensor(db, subjectOf(request))
        const range = {
          sensor: sensor.number,
          fromMs: from.getTime(),
          toMs: to.getTime(),
          channels: channelNumbers(sensor, channels),
          isRefill: refill,
        }
        const preview = await countedOrNull(previewDeletion(clickhouse, range, request.signal))
        return succeed(request, preview ?? { readings: null, oldest: null, newest: null })
      },
      operation({
        summary: 'Preview a deletion of readings of a sensor',
        description:
          'Counts the readings that a deletion with the same parameters would find now. Readings that arrived within the last seconds may be missing. `readings` is null if they could not be counted in time.',
        rights: { of: 'sensor', for: MANAGERS },
        query: deletionQuery,
        result: object({
          readings: nullable(integer),
          oldest: nullable(dateTime),
          newest: nullable(dateTime),
        }),
      }),
    )
    .get(
      `${SENSOR}/deletions/:deletionId`,
      async ({ request, params }) => {
        await getSensor(db, subjectOf(request))
        return succeed(request, await getDeletion(db, subjectOf(request), params.deletionId))
      },
      operation({
        summary: 'Get a deletion of readings of a sensor',
        rights: { of: 'sensor', for: STAFF },
        result: ref('ReadingDeletion'),
      }),
    )
}
