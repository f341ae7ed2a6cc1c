/**
 * An import of sensors: checks every row before anything is sent, then creates them several at a time. It can be paused
 * at any row. Each row has its own key, made from the file, so that nothing is created twice: not by a repeated
 * request, nor by the same file after a reload.
 */
import { type Signal, signal } from '@preact/signals'
import { ApiError, api, dataOf } from '../../../api/client.ts'
import { t } from '../../../text/text.ts'
import { failureText } from '../../../ui/form.ts'
import { csvCollector, csvFile, csvLine } from '../../../ui/table/csv.ts'
import { CsvFault, type CsvHead, readRows } from '../../../ui/table/csv-reader.ts'
import { isEmptyRow } from '../../../ui/table/csv-rows.ts'
import { patiently } from './bulk.ts'
import { createAnswered, createHash } from './import-memory.ts'
import { judgeRow, type Mapping, type NewSensor } from './import-rows.ts'

export type ImportSource = {
  file: File
  head: CsvHead
  hasTitles: boolean
  mapping: Mapping
  channels: NewSensor['channels']
  enterprise: string
}
export type RowFault = { row: number; text: string }
export type ImportPhase = 'checking' | 'checked' | 'sending' | 'paused' | 'done'

export type ImportRun = {
  phase: Signal<ImportPhase>
  bytesRead: Signal<number>
  valid: Signal<number>
  /** Number of invalid rows, and of rows that the server refused; `faults` has the first of them. */
  faulty: Signal<number>
  failed: Signal<number>
  faults: Signal<readonly RowFault[]>
  /** Rows that the server has answered, now or before a reload. */
  done: Signal<number>
  created: Signal<number>
  /** Rows of an earlier visit, whose keys were shown then. */
  skipped: Signal<number>
  /** Why the import paused without the user. */
  problem: Signal<string | undefined>
  start(): void
  pause(): void
  /** Cancels the import. */
  stop(): void
  /** A CSV with the rows that cannot be used. */
  faultFile(): Blob
  /** A CSV with the id and key of each sensor that was created here. */
  keyFile(): Blob
}

const SHOWN_FAULTS = 200
const AT_ONCE = 6
const BASE_ADDRESS = location.origin

export function createImport(source: ImportSource): ImportRun {
  const { file, head, mapping, channels, enterprise } = source
  const phase = signal<ImportPhase>('checking')
  const bytesRead = signal(0)
  const [valid, faulty, done, created, skipped] = [signal(0), signal(0), signal(0), signal(0), signal(0)]
  const failed = signal(0)
  const faults = signal<readonly RowFault[]>([])
  const problem = signal<string | undefined>(undefined)
  const faultLines = csvCollector()
  const keyLines: string[] = []
  const ended = new AbortController()
  let running = new AbortController()
  let importId = ''
  let answered = createAnswered('')

  /** Every non-empty row, validated; the same in both passes. */
  async function* judged(signal: AbortSignal, onBytes?: (bytes: Uint8Array) => void) {
    const seen = { names: new Map<string, number>(), externalIds: new Map<string, number>() }
    let hasTitles = source.hasTitles
    const width = head.rows[0]?.length ?? 0
    for await (const { first, rows, bytesRead: at } of readRows(file, head, {
      signal,
      ...(onBytes && { onBytes }),
    })) {
      const results = []
      for (const [i, row] of rows.entries()) {
        const number = first + i
        if (isEmptyRow(row)) continue
        if (hasTitles) {
          hasTitles = false
          continue
        }
        results.push({ number, row, ...judgeRow(row, width, mapping, channels, seen, number) })
      }
      yield { results, at }
    }
  }

  function addFault(row: number, text: string, values: readonly string[] = []): void {
    if (faults.peek().length < SHOWN_FAULTS) faults.value = [...faults.peek(), { row, text }]
    faultLines.add([row, text, ...values])
  }

  async function check(): Promise<void> {
    const hash = createHash(JSON.stringify([enterprise, mapping, channels, source.hasTitles]))
    try {
      for await (const { results, at } of judged(ended.signal, hash.add)) {
        let [good, bad] = [0, 0]
        for (const one of results)
          if (one.faults === undefined) good++
          else {
            bad++
            addFault(one.number, one.faults.join(' '), one.row)
          }
        valid.value += good
        faulty.value += bad
        bytesRead.value = at
      }
    } catch (error) {
      if (!(error instanceof CsvFault)) throw error
      faulty.value++
      addFault(error.row, t('importSensors.openQuote'))
    }
    importId = hash.text()
    answered = createAnswered(importId)
    skipped.value = answered.count()
    done.value = answered.count()
    phase.value = 'checked'
  }

  async function create(number: number, sensor: NewSensor, signal: AbortSignal): Promise<void> {
    try {
      const made = await patiently(
        () =>
          dataOf(
            api.POST('/manage/v1/enterprises/{id}/sensors', {
              params: { path: { id: enterprise } },
              headers: { 'Idempotency-Key': `import-${importId}-${number}` },
              body: sensor,
            }),
          ),
        signal,
      )
      keyLines.push(csvLine([made.name, made.id, made.key, `${BASE_ADDRESS}/sensors/${made.id}/readings`]))
      created.value++
    } catch (error) {
      const isOwn = error instanceof ApiError && (error.status === 422 || error.status === 409 || error.status === 413)
      if (!isOwn) throw error
      const text = error.faults.map(({ field, message }) => `${field}: ${message}`).join(' ') || error.message
      failed.value++
      addFault(number, text)
    }
    answered.add(number)
    done.value++
  }

  async function send(): Promise<void> {
    const { signal } = running
    const waiting = new Set<Promise<void>>()
    /** A failure of one request ends the pass; the others finish. */
    let failure: unknown
    try {
      for await (const { results } of judged(ended.signal)) {
        for (const { number, sensor } of results) {
          if (sensor === undefined || answered.has(number)) continue
          while (waiting.size >= AT_ONCE) await Promise.race(waiting)
          if (signal.aborted || failure !== undefined) break
          answered.begin(number)
          const request: Promise<void> = create(number, sensor, signal)
            .catch((error: unknown) => {
              failure ??= error
            })
            .finally(() => waiting.delete(request))
          waiting.add(request)
        }
        if (signal.aborted || failure !== undefined) break
      }
    } catch (error) {
      if (!(error instanceof CsvFault)) throw error
    }
    await Promise.all(waiting)
    if (failure !== undefined) problem.value = problemText(failure)
    phase.value = signal.aborted || failure !== undefined ? 'paused' : 'done'
  }

  /** The file can disappear or change while it is read. */
  const unreadable = (error: unknown): void => {
    if (ended.signal.aborted) return
    problem.value = t('importSensors.unreadable', { reason: String(error) })
    phase.value = phase.peek() === 'checking' ? 'checked' : 'paused'
  }

  check().catch(unreadable)
  return {
    phase,
    bytesRead,
    valid,
    faulty,
    faults,
    done,
    created,
    skipped,
    failed,
    problem,
    start() {
      if (phase.peek() === 'sending') return
      running = new AbortController()
      problem.value = undefined
      phase.value = 'sending'
      send().catch(unreadable)
    },
    pause: () => running.abort(),
    stop() {
      running.abort()
      ended.abort()
    },
    faultFile: () =>
      faultLines.file([
        t('importSensors.row'),
        t('importSensors.fault'),
        ...(source.hasTitles ? (head.rows[0] ?? []) : []),
      ]),
    keyFile: () => csvFile([csvLine(['name', 'id', 'key', 'address']), ...keyLines]),
  }
}

function problemText(failure: unknown): string {
  if (failure instanceof ApiError) return failureText(failure)
  return String(failure)
}
