/** Creates and updates many sensors with one call. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, STAFF } from '../../../access/authorization.ts'
import { newKey } from '../../../access/keys/keys.ts'
import { invalidField } from '../../../errors.ts'
import { inTurns } from '../../../event-loop-yield.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { mediaTypeOf, requireMediaType, saveBody } from '../../../http/body/body.ts'
import { succeed } from '../../../http/envelope.ts'
import {
  answer,
  dateTime,
  failure,
  integer,
  list,
  nullable,
  object,
  oneOf,
  string,
} from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { getEnterprise } from '../../../stores/postgres/accounts/enterprises.ts'
import { newId } from '../../../stores/postgres/ids.ts'
import { type ImportResult, type ImportRow, importRows } from '../../../stores/postgres/sensors/import-rows.ts'
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
const shownKey = object({ line: integer, id: string, externalId: nullable(string), keyId: string, key: string })
const done = object({ ...counts, keys: list(shownKey) }, Object.keys(counts))
const record = object({
  id: string,
  status: oneOf('waiting', 'running', 'done'),
  ...counts,
  createdAt: dateTime,
  finishedAt: nullable(dateTime),
})

const ROWS =
  '`id, externalId, name, asset, tags, channels, enabled`; `assetName` is the same as `asset`. A row is matched with a sensor by `id`, or else by `externalId`, and changes only the fields that it has. Another row creates a sensor, for which it needs `channels`.'

function formatOf(request: Request): ImportFormat {
  const type = mediaTypeOf(request.headers.get('content-type'))
  requireMediaType(type, NDJSON, CSV)
  return type === CSV ? 'csv' : 'ndjson'
}

const shown = ({ changedIds: _, keys, ...counts }: ImportResult, hasKeys: boolean) => ({
  ...counts,
  ...(hasKeys && { keys }),
})

/** A part is parsed at once, and stored in one transaction. */
const PART = { rows: 100, characters: 64 * 1024 }

/** Lists of rows, as JSON. */
async function partsOf(rows: readonly ImportRow[]): Promise<string[]> {
  const parts: string[] = []
  let texts: string[] = []
  let characters = 0
  await inTurns(rows.length, (i) => {
    const text = JSON.stringify(rows[i])
    texts.push(text)
    characters += text.length
    if (texts.length < PART.rows && characters < PART.characters && i < rows.length - 1) return
    parts.push(`[${texts.join(',')}]`)
    texts = []
    characters = 0
  })
  return parts
}

export function sensorImportRoutes(deps: ManageDeps) {
  const { db, changes, idempotency, disk, scratchDir, limits, placeOf } = deps
  /** Files are in memory one after another. */
  let last: Promise<unknown> = Promise.resolve()
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work)
    // its caller gets the error
    last = mine.catch(() => undefined)
    return mine
  }

  async function store(request: Request, rows: ImportRow[], hasKeys: boolean): Promise<Response> {
    const [caller, enterpriseId] = [callerOf(request), subjectOf(request)]
    if (rows.length <= ROWS_AT_ONCE)
      return idempotency.kept(
        request,
        (tx) => importRows(tx, caller, enterpriseId, rows, hasKeys ? () => newKey('sensor') : undefined),
        (result) => succeed(request, shown(result, hasKeys)),
        async ({ changedIds }) => {
          await Promise.all(
            changedIds.map((id) => changes.publish({ kind: 'sensor', id, ownerId: enterpriseId, deleted: false })),
          )
        },
      )
    if (hasKeys) throw invalidField('query.keys', 'maxItems', fieldText('keysOfRows', { most: ROWS_AT_ONCE }))
    const parts = await partsOf(rows)
    return idempotency.kept(
      request,
      (tx) => requestImport(tx, caller, enterpriseId, parts),
      (made) => {
        const accepted = succeed(request, made, 'JOB_ACCEPTED')
        accepted.headers.set('location', `/manage/v1/enterprises/${enterpriseId}/sensors/imports/${made.id}`)
        return accepted
      },
      () => changes.publish({ kind: 'sensor-import' }),
    )
  }

  return new Elysia({ name: 'manage-sensor-imports' })
    .post(
      `${ENTERPRISE}/sensors/import`,
      async ({ request, query: { keys = false } }) => {
        await getEnterprise(db, subjectOf(request))
        const format = formatOf(request)
        await disk.require()
        const path = join(scratchDir, newId('imp'))
        try {
          const { sha256 } = await saveBody(request, path, limits.layerBody, { digest: true })
          const content = `${format} ${keys} ${sha256}`
          const first = await idempotency.begin(request, async () => ({ ...(await placeOf(request)), content }))
          if (first !== undefined) return first
          return await alone(async () => store(request, await parseImport(await Bun.file(path).bytes(), format), keys))
        } finally {
          await rm(path, { force: true })
        }
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
                example:
                  'externalId,name,asset,tags,channels\r\npump-1,Pump 1,Pier,roof; north,temperature:number:°C\r\n',
              },
            },
          },
          result: done,
          responses: {
            200: answer('What was done', done),
            202: answer('The rows are stored in the background. `Location` has the progress.', record, 'JOB_ACCEPTED'),
            default: failure('A failure, identified by `code`'),
          },
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
