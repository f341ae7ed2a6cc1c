/** All features of a version of a map layer as a GeoJSON text sequence (RFC 8142), read and sent piece by piece. */
import { streamOf } from '../../../analytics/row-stream.ts'
import { inTurns } from '../../../event-loop-yield.ts'
import { respond } from '../../../http/envelope.ts'
import { whileAllowed } from '../../../http/long-answers.ts'
import { createFeatureSequence } from '../../../intake/feature-text.ts'
import type { Database } from '../../../stores/postgres/client.ts'
import { getVersion, listFeaturesOf } from '../../../stores/postgres/layers/layer-versions.ts'

const SEQUENCE_TYPE = 'application/geo+json-seq'
/** The first piece is small, so that a reader has something to show at once. */
const FIRST_ROWS = 500
const MAX_ROWS = 4_000

export const wantsSequence = (request: Request): boolean =>
  (request.headers.get('accept') ?? '').toLowerCase().includes(SEQUENCE_TYPE)

async function* piecesOf(db: Database, layerId: string, version: number): AsyncGenerator<Uint8Array> {
  const sequence = createFeatureSequence()
  let cursor: string | undefined
  for (let limit = FIRST_ROWS; ; limit = Math.min(MAX_ROWS, limit * 2)) {
    const { items, nextCursor } = await listFeaturesOf(db, layerId, version, { limit, cursor })
    // rows of a version that is forgotten meanwhile may be missing
    await getVersion(db, layerId, version)
    await inTurns(items.length, (i) => sequence.add(items[i] as (typeof items)[number]))
    yield sequence.take()
    if (nextCursor === null) return
    cursor = nextCursor
  }
}

/**
 * @param onError receives errors that occur after the transfer has started
 * @throws AppError NOT_FOUND for a version that is not kept
 */
export async function answerSequence(
  request: Request,
  db: Database,
  { id, version }: { id: string; version: number },
  onError: (error: unknown) => void,
): Promise<Response> {
  const pieces = piecesOf(db, id, version)
  // a failure of the first query is an answer, not a broken transfer
  const { value } = await pieces.next()
  return respond(
    request,
    whileAllowed(request, streamOf(pieces, onError, value === undefined ? [] : [value])),
    SEQUENCE_TYPE,
  )
}
