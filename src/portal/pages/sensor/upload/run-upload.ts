/**
 * Uploads the readings of a CSV in batches. The file is read in pieces, so that one of any size does not hold up the page.
 * What was sent is known to the server by its time, so a batch can be sent again after a lost connection.
 */
import { type Signal, signal } from '@preact/signals'
import Papa from 'papaparse'
import { ApiError, send } from '../../../api/client.ts'
import type { ChartChannel } from '../../../parts/chart-data.ts'
import { csvCell } from '../../../parts/save-file.ts'
import { isExpired } from '../../../session.ts'
import { isFault, type Mapping, type Reading, type RowFault, rowReader } from './csv-readings.ts'

export type RefusedRow = { row: number; reason: string; fault: RowFault | undefined; channel: string | undefined }

export type UploadState = {
  sensorId: string
  fileName: string
  bytes: number
  bytesDone: number
  rows: number
  accepted: number
  duplicates: number
  /** By reason: a code of the API, or a rule of `RowFault`. */
  refused: ReadonlyMap<string, number>
  /** The first refused rows. */
  first: readonly RefusedRow[]
  /** The refused rows as CSV, with their number and reason. */
  refusedFile: Blob | undefined
  status: 'running' | 'waiting' | 'busy' | 'done' | 'stopped' | 'failed'
  error: ApiError | undefined
  startedMs: number
}

/** The upload of this tab. It goes on while other pages are open. */
export const upload: Signal<UploadState | undefined> = signal(undefined)

const BATCH = 500
/** Below the server's limit of a body, 1 MB. */
const BATCH_CHARACTERS = 450_000
/** Parsed at once: some milliseconds. */
const PIECE_BYTES = 256 * 1024
const SHOWN_ROWS = 50
const FIRST_PAUSE_MS = 1_000
const LAST_PAUSE_MS = 15_000
/** A server that asks for more, because the day's readings are used up, is not worth waiting for. */
const LONGEST_WAIT_S = 120

type Row = { row: number; cells: readonly string[]; reading: Reading; length: number }
type Answer = {
  data: { accepted: string[]; duplicates: string[]; refused: { at: unknown; reason: string; channel?: string }[] }
}

let running: AbortController | undefined

export function stopUpload(): void {
  running?.abort()
}

export const isRunning = (state: UploadState | undefined): boolean =>
  state !== undefined && ['running', 'waiting', 'busy'].includes(state.status)

export function startUpload(job: {
  sensorId: string
  file: File
  mapping: Mapping
  channels: readonly ChartChannel[]
}): void {
  const { sensorId, file, mapping, channels } = job
  const abort = new AbortController()
  running?.abort()
  running = abort
  upload.value = {
    ...{ sensorId, fileName: file.name, bytes: file.size, bytesDone: 0, rows: 0, accepted: 0, duplicates: 0 },
    ...{ refused: new Map(), first: [], refusedFile: undefined, status: 'running', error: undefined },
    startedMs: Date.now(),
  }
  const change = (next: Partial<UploadState>): void => {
    if (running === abort && upload.peek() !== undefined) upload.value = { ...(upload.peek() as UploadState), ...next }
  }
  const read = rowReader(mapping, channels)
  const refused = refusedRows(change)
  let batch: Row[] = []
  let length = 0
  let row = 0

  async function flush(): Promise<void> {
    if (batch.length === 0) return
    const sent = batch
    batch = []
    length = 0
    const { data } = await sendBatch(sensorId, sent, abort.signal, change)
    const state = upload.peek() as UploadState
    change({
      accepted: state.accepted + data.accepted.length,
      duplicates: state.duplicates + data.duplicates.length,
      rows: Math.max(0, row - 1),
    })
    refused.addAnswers(sent, data.refused)
  }
  async function take(cells: readonly string[]): Promise<void> {
    row++
    if (row === 1) {
      refused.setHeader(cells)
      return
    }
    const reading = read(cells)
    if (isFault(reading)) {
      refused.add({ row, reason: reading.rule, fault: reading, channel: reading.channel }, cells)
      return
    }
    const own = JSON.stringify(reading).length
    if (batch.length >= BATCH || length + own > BATCH_CHARACTERS) await flush()
    batch.push({ row, cells, reading, length: own })
    length += own
  }
  async function work(rows: readonly (readonly string[])[], bytesDone: number): Promise<void> {
    for (const cells of rows) await take(cells)
    change({ bytesDone, rows: Math.max(0, row - 1) })
  }
  function end(status: UploadState['status'], error?: ApiError): void {
    change({ status, error, refusedFile: refused.file(), ...(status === 'done' && { bytesDone: file.size }) })
    if (running === abort) running = undefined
  }

  Papa.parse<string[]>(file, {
    skipEmptyLines: 'greedy',
    chunkSize: PIECE_BYTES,
    chunk(results, parser) {
      parser.pause()
      work(results.data, results.meta.cursor).then(
        () => (abort.signal.aborted ? parser.abort() : parser.resume()),
        (failure: unknown) => {
          parser.abort()
          if (abort.signal.aborted) end('stopped')
          else end('failed', failure instanceof ApiError ? failure : new ApiError(0, 'UNEXPECTED', String(failure)))
        },
      )
    },
    complete() {
      if (!isRunning(upload.peek()) || running !== abort) return
      if (abort.signal.aborted) {
        end('stopped')
        return
      }
      flush().then(
        () => end('done'),
        (failure: unknown) =>
          end(abort.signal.aborted ? 'stopped' : 'failed', failure instanceof ApiError ? failure : undefined),
      )
    },
    error: (failure) => end('failed', new ApiError(0, 'UNREADABLE', failure.message)),
  })
}

/** Sends until it is answered: through lost connections, a busy server and an ended session. @throws ApiError */
async function sendBatch(
  sensorId: string,
  batch: readonly Row[],
  stop: AbortSignal,
  change: (next: Partial<UploadState>) => void,
): Promise<Answer> {
  const body = JSON.stringify({ readings: batch.map(({ reading }) => reading) })
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LAST_PAUSE_MS, pauseMs * 2)) {
    stop.throwIfAborted()
    try {
      const response = await send(`/enterprise/v1/assets/sensors/${encodeURIComponent(sensorId)}/readings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: stop,
      })
      change({ status: 'running' })
      return (await response.json()) as Answer
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      const { status, retryAfterS = 0 } = failure
      const isBusy = status === 429 || status >= 502
      const mayCome = status === 0 || status === 401 || (isBusy && retryAfterS <= LONGEST_WAIT_S)
      if (!mayCome) throw failure
      change({ status: isBusy ? 'busy' : 'waiting' })
      await pause(status === 401 ? FIRST_PAUSE_MS : Math.max(pauseMs, retryAfterS * 1000), stop)
      // the frame asks to sign in again; then the upload goes on
      while (status === 401 && isExpired.peek()) await pause(FIRST_PAUSE_MS, stop)
    }
  }
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    stop.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(stop.reason as Error)
      },
      { once: true },
    )
  })
}

/** Refused rows: counted by reason, the first ones to show, and all of them as a file. */
function refusedRows(change: (next: Partial<UploadState>) => void) {
  const counts = new Map<string, number>()
  const first: RefusedRow[] = []
  const parts: Blob[] = []
  let lines: string[] = []
  function pack(): void {
    // a blob may lie on a disk, unlike texts
    parts.push(new Blob(lines))
    lines = []
  }
  function add(refused: RefusedRow, cells: readonly string[]): void {
    counts.set(refused.reason, (counts.get(refused.reason) ?? 0) + 1)
    if (first.length < SHOWN_ROWS) first.push(refused)
    const reason = refused.channel ? `${refused.reason} ${refused.channel}` : refused.reason
    lines.push(`${[refused.row, reason, ...cells].map(csvCell).join(',')}\r\n`)
    if (lines.length >= 5_000) pack()
    change({ refused: new Map(counts), first: [...first] })
  }
  return {
    add,
    setHeader(cells: readonly string[]): void {
      lines.push(`${['row', 'reason', ...cells].map(csvCell).join(',')}\r\n`)
    },
    /** Finds the row of each refused reading by its time. Of two with one time the later one is refused. */
    addAnswers(batch: readonly Row[], answers: Answer['data']['refused']): void {
      if (answers.length === 0) return
      const byTime = Map.groupBy(batch, ({ reading }) => reading.at)
      for (const { at, reason, channel } of answers) {
        const rows = byTime.get(String(at)) ?? []
        const found = reason === 'SENSOR_READING_DUPLICATE_IN_BATCH' ? rows.pop() : rows.shift()
        if (found !== undefined) add({ row: found.row, reason, fault: undefined, channel }, found.cells)
      }
    },
    file(): Blob | undefined {
      if (counts.size === 0) return undefined
      pack()
      return new Blob(parts, { type: 'text/csv' })
    },
  }
}

/** The header and the first rows of a file. */
export function firstRows(file: File, count: number): Promise<{ header: string[]; rows: string[][] }> {
  return new Promise((resolve, reject) => {
    Papa.parse<string[]>(new File([file.slice(0, PIECE_BYTES)], file.name), {
      skipEmptyLines: 'greedy',
      preview: count + 1,
      complete: ({ data: [header = [], ...rows] }) =>
        resolve({ header: header.map((name) => name.replace(/^\ufeff/, '')), rows }),
      error: reject,
    })
  })
}

addEventListener('beforeunload', (event) => {
  if (isRunning(upload.peek())) event.preventDefault()
})
