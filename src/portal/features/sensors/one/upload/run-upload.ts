/**
 * Uploads the readings of a CSV in batches. The file is read in pieces, so that a large one does not block the page.
 * The server recognises sent readings by their time, so a batch can be sent again after a lost connection.
 */
import { type Signal, signal } from '@preact/signals'
import { ApiError, send } from '../../../../api/client.ts'
import { isExpired } from '../../../../shell/session.ts'
import type { ChartChannel } from '../../../../ui/chart/chart-data.ts'
import { csvCollector } from '../../../../ui/table/csv.ts'
import { CsvFault, type CsvFormat, readRows } from '../../../../ui/table/csv-reader.ts'
import { isEmptyRow } from '../../../../ui/table/csv-rows.ts'
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
  /** Counts by reason: a code of the API, or a rule of `RowFault`. */
  refused: ReadonlyMap<string, number>
  /** The first refused rows. */
  first: readonly RefusedRow[]
  /** The refused rows as CSV, with their number and reason. */
  refusedFile: Blob | undefined
  status: 'running' | 'waiting' | 'busy' | 'done' | 'unclosed' | 'stopped' | 'failed'
  /** The row of a quote that is never closed; nothing after it was read. */
  unclosedRow: number | undefined
  error: ApiError | undefined
  startedMs: number
}

/** The upload of this tab. It continues while other pages are open. */
export const upload: Signal<UploadState | undefined> = signal(undefined)

const BATCH = 500
/** Below the server's limit of a body, 1 MB. */
const BATCH_CHARACTERS = 450_000
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

type Job = {
  sensorId: string
  file: File
  format: CsvFormat
  mapping: Mapping
  channels: readonly ChartChannel[]
}
type Change = (next: Partial<UploadState>) => void

export function startUpload(job: Job): void {
  const { sensorId, file } = job
  const abort = new AbortController()
  running?.abort()
  running = abort
  upload.value = {
    sensorId,
    fileName: file.name,
    bytes: file.size,
    bytesDone: 0,
    rows: 0,
    accepted: 0,
    duplicates: 0,
    refused: new Map(),
    first: [],
    refusedFile: undefined,
    status: 'running',
    unclosedRow: undefined,
    error: undefined,
    startedMs: Date.now(),
  }
  const change: Change = (next) => {
    if (running === abort && upload.peek() !== undefined) upload.value = { ...(upload.peek() as UploadState), ...next }
  }
  work({ ...job, signal: abort.signal, change }).then(
    (status) => end(status),
    (failure: unknown) => {
      if (abort.signal.aborted) end('stopped')
      else end('failed', failure instanceof ApiError ? failure : new ApiError(0, 'UNREADABLE', String(failure)))
    },
  )
  function end(status: UploadState['status'], error?: ApiError): void {
    change({ status, error })
    if (running === abort) running = undefined
  }
}

/**
 * Reads the file, and sends the valid rows.
 * @throws ApiError
 */
async function work(job: Job & { signal: AbortSignal; change: Change }): Promise<'done' | 'unclosed'> {
  const { sensorId, file, format, mapping, channels, signal, change } = job
  const read = rowReader(mapping, channels)
  const refused = refusedRows()
  let batch: Row[] = []
  let length = 0
  let hasHeader = false
  let [count, accepted, duplicates] = [0, 0, 0]

  async function flush(): Promise<void> {
    if (batch.length === 0) return
    const sent = batch
    batch = []
    length = 0
    const { data } = await sendBatch(sensorId, sent, signal, change)
    accepted += data.accepted.length
    duplicates += data.duplicates.length
    refused.addAnswers(sent, data.refused)
    change({ rows: count, accepted, duplicates, ...refused.shown() })
  }
  async function take(row: number, cells: readonly string[]): Promise<void> {
    if (!hasHeader) {
      hasHeader = true
      refused.setHeader(cells)
      return
    }
    count++
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
  let status: 'done' | 'unclosed' = 'done'
  try {
    for await (const { first, rows, bytesRead } of readRows(file, format, { signal })) {
      for (const [i, cells] of rows.entries()) if (!isEmptyRow(cells)) await take(first + i, cells)
      change({ bytesDone: bytesRead, rows: count, ...refused.shown() })
    }
  } catch (failure) {
    if (!(failure instanceof CsvFault)) {
      change({ refusedFile: refused.file() })
      throw failure
    }
    status = 'unclosed'
    change({ unclosedRow: failure.row })
  }
  try {
    await flush()
  } finally {
    change({ ...refused.shown(), refusedFile: refused.file() })
  }
  if (status === 'done') change({ bytesDone: file.size })
  return status
}

/** Sends until it is answered: through lost connections, a busy server and an ended session. @throws ApiError */
async function sendBatch(sensorId: string, batch: readonly Row[], stop: AbortSignal, change: Change): Promise<Answer> {
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
      // the frame asks to sign in again; then the upload resumes
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
function refusedRows() {
  const counts = new Map<string, number>()
  const first: RefusedRow[] = []
  const lines = csvCollector()
  let header: readonly string[] = []
  function add(refused: RefusedRow, cells: readonly string[]): void {
    counts.set(refused.reason, (counts.get(refused.reason) ?? 0) + 1)
    if (first.length < SHOWN_ROWS) first.push(refused)
    lines.add([refused.row, refused.channel ? `${refused.reason} ${refused.channel}` : refused.reason, ...cells])
  }
  return {
    add,
    setHeader(cells: readonly string[]): void {
      header = cells
    },
    /**
     * Finds the row of each refused reading by its time. Of two readings with the same time, the later one is refused.
     */
    addAnswers(batch: readonly Row[], answers: Answer['data']['refused']): void {
      if (answers.length === 0) return
      const byTime = Map.groupBy(batch, ({ reading }) => reading.at)
      for (const { at, reason, channel } of answers) {
        const rows = byTime.get(String(at)) ?? []
        const found = reason === 'SENSOR_READING_DUPLICATE_IN_BATCH' ? rows.pop() : rows.shift()
        if (found !== undefined) add({ row: found.row, reason, fault: undefined, channel }, found.cells)
      }
    },
    shown: (): Pick<UploadState, 'refused' | 'first'> => ({ refused: new Map(counts), first: [...first] }),
    file: (): Blob | undefined => (counts.size === 0 ? undefined : lines.file(['row', 'reason', ...header])),
  }
}

addEventListener('beforeunload', (event) => {
  if (isRunning(upload.peek())) event.preventDefault()
})
