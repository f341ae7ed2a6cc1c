/** Creates and updates many sensors with one call. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, STAFF } from '../../../access/authorization.ts'
import { lastFour, makeKey, sha256Hex } from '../../../access/keys/keys.ts'
import { invalidField } from '../../../errors.ts'
import { inTurns } from '../../../event-loop-yield.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { mediaTypeOf, readBody, requireMediaType } from '../../../http/body/body.ts'
import { succeed } from '../../../http/envelope.ts'
import { dateTime, integer, list, nullable, object, oneOf, string } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { getEnterprise } from '../../../stores/postgres/accounts/enterprises.ts'
import { type ImportResult, importRows } from '../../../stores/postgres/sensors/import-rows.ts'
import { getImport, MAX_ERRORS, requestImport } from '../../../stores/postgres/sensors/sensor-imports.ts'
import type { ManageDeps } from '../deps.ts'
import { operation } from '../operation.ts'
import { closed } from '../request-schemas.ts'
import { ENTERPRISE } from '../subject-paths.ts'
import { type ImportFormat, MAX_ROWS, parseImport } from './import-parse.ts'

const NDJSON = 'application/x-ndjson'
const CSV = 'text/csv'
/** More rows are stored after the answer: a row takes a few milliseconds. */
const ROWS_AT_ONCE = 500

const query = Type.Object(
  {
    keys: Type.Optional(
      Type.Boolean({
        default: false,
        description: `Makes a key for each new sensor, shown only in this answer; for at most ${ROWS_AT_ONCE} rows`,
      }),
    ),
  },
  closed,
)

const rowError = object({ line: integer, field: string, rule: string, message: string, messageAr: string })
const counts = { created: integer, updated: integer, refused: integer, errors: list(rowError) }
const newKey = object({ line: integer, id: string, externalId: nullable(string), keyId: string, key: string })
const record = object({
  id: string,
  status: oneOf('waiting', 'running', 'done'),
  ...counts,
  createdAt: dateTime,
  finishedAt: nullable(dateTime),
})

const ROWS =
  '`id, externalId, name, asset, tags, channels`; `assetName` is the same as `asset`. A row is matched with a sensor by `id`, or else by `externalId`, and changes only the fields that it has. Another row creates a sensor, for which it needs `channels`.'

function newSensorKey() {
  const key = makeKey('sensor')
  return { key, digest: { keySha256: sha256Hex(key), lastFour: lastFour(key) } }
}

function formatOf(request: Request): ImportFormat {
  const type = mediaTypeOf(request.headers.get('content-type'))
  if (type === CSV) return 'csv'
  requireMediaType(type, NDJSON)
  return 'ndjson'
}

/** Not on the server's thread: a body may have megabytes. */
const digestOf = async (body: Uint8Array): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(body))).toString('hex')

const shown = ({ changedIds: _, keys, ...counts }: ImportResult, hasKeys: boolean) => ({
  ...counts,
  ...(hasKeys && { keys }),
})

export function sensorImportRoutes({ db, changes, idempotency, limits, placeOf }: ManageDeps) {
  return new Elysia({ name: 'manage-sensor-imports' })
    .post(
      `${ENTERPRISE}/sensors/import`,
      async ({ request, query: { keys = false } }) => {
        const enterpriseId = subjectOf(request)
        await getEnterprise(db, enterpriseId)
        const format = formatOf(request)
        const body = await readBody(request, limits.layerBody)
        const first = await idempotency.begin(request, async () => ({
          ...(await placeOf(request)),
          content: `${format} ${keys} ${await digestOf(body)}`,
        }))
        if (first !== undefined) return first
        const rows = await parseImport(body, format)
        const caller = callerOf(request)
        if (rows.length <= ROWS_AT_ONCE)
          return idempotency.kept(
            request,
            (tx) => importRows(tx, caller, enterpriseId, rows, keys ? newSensorKey : undefined),
            (result) => succeed(request, shown(result, keys)),
            async ({ changedIds }) => {
              for (const id of changedIds)
                await changes.publish({ kind: 'sensor', id, ownerId: enterpriseId, deleted: false })
            },
          )
        if (keys) throw invalidField('query.keys', 'maxItems', fieldText('keysOfRows', { most: ROWS_AT_ONCE }))
        const lines: string[] = []
        await inTurns(rows.length, (i) => lines.push(JSON.stringify(rows[i])))
        return idempotency.kept(
          request,
          (tx) => requestImport(tx, caller, enterpriseId, lines.join('\n')),
          (made) => {
            const answer = succeed(request, made, 'JOB_ACCEPTED')
            answer.headers.set('location', `/manage/v1/enterprises/${enterpriseId}/sensors/imports/${made.id}`)
            return answer
          },
          () => changes.publish({ kind: 'sensor-import' }),
        )
      },
      {
        parse: 'none',
        ...operation({
          summary: 'Import sensors',
          description: `Creates and updates up to ${MAX_ROWS} sensors: NDJSON with an object in each line, or CSV with a header row, with the fields ${ROWS} A row is stored whole or not at all, and one that is refused stops no other. New sensors have no key unless \`keys\` is true. More than ${ROWS_AT_ONCE} rows are answered 202, and stored in the background: \`Location\` has the progress. Sent again, the same file changes nothing where its rows have an \`id\` or an \`externalId\`.`,
          rights: { of: 'owner', for: MANAGERS },
          query,
          requestBody: {
            required: true,
            content: {
              [NDJSON]: {
                schema: { type: 'string' },
                example:
                  '{"externalId":"pump-1","name":"Pump 1","channels":[{"name":"temperature","measurement":"number","unit":"°C"}]}\n',
              },
              [CSV]: {
                schema: { type: 'string' },
                example: 'externalId,name,asset,tags,channels\r\npump-1,Pump 1,Pier,roof; north,temperature:number:°C\r\n',
              },
            },
          },
          result: object({ ...counts, keys: list(newKey) }, Object.keys(counts)),
        }),
      },
    )
    .get(
      `${ENTERPRISE}/sensors/imports/:importId`,
      async ({ request, params }) => succeed(request, await getImport(db, subjectOf(request), params.importId)),
      operation({
        summary: 'Get the progress of an import of sensors',
        description: `\`errors\` has the first ${MAX_ERRORS} rows that were refused. A finished import is kept for 30 days.`,
        rights: { of: 'owner', for: STAFF },
        result: record,
      }),
    )
}
