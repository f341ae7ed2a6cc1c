/**
 * Sends readings to Groundwave from a device or a gateway, with Node 24, Bun or Deno, without other packages.
 *
 * A reading is on disk before `add` resolves. Batches are sent in that order, and a batch is sent again, unchanged, until
 * the server has answered it: the server stores a reading once, however often it comes. One process uses a folder at a
 * time.
 */
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Reading = {
  at: string | Date
  values?: Record<string, number | boolean>
  /** Longitude and latitude in degrees. */
  location?: [number, number]
  /** Id or external id; for a fleet key only. */
  sensor?: string
}

/** A reading that the server does not store, and why. */
export type Refused = { at: unknown; reason: string; sensor?: string; channel?: string }

export type SenderOptions = {
  /** Address of the server, such as https://readings.example.org. */
  url: string
  /** Key of the sensor, or a fleet key. */
  key: string
  /** Id of the sensor. Without it, `key` is a fleet key, and each reading names its sensor. */
  sensor?: string
  /** Folder for readings that are not sent yet. */
  spool: string
  /** Longest time that a reading waits for others before it is sent. */
  intervalMs?: number
  timeoutMs?: number
  onRefused?(refused: readonly Refused[]): void
  /** Called after an attempt that failed and will be repeated, or with a batch that the server can never read. */
  onError?(error: Error): void
}

export type Sender = {
  /** Resolves once the readings are on disk. @throws Error if they cannot be written */
  add(...readings: Reading[]): Promise<void>
  /** Resolves once the server has answered all readings that were added before. */
  flush(): Promise<void>
  /** Stops. What is not sent stays in the folder for the next start. */
  close(): Promise<void>
}

const MAX_BATCH_BYTES = 500_000
const LONGEST_PAUSE_MS = 60_000
const SEALED = '.ndjson'
const UNREADABLE = '.unreadable'
/** The server itself cannot read such a batch, now or later. Others can change: a key is renewed, a proxy is repaired. */
const FINAL = new Set([400, 413, 415, 422])
/** The one refusal of a reading that passes. */
const DAY_SPENT = 'SENSOR_READINGS_DAILY_LIMIT'

export async function openSender(options: SenderOptions): Promise<Sender> {
  const { key, sensor, spool, intervalMs = 1_000, timeoutMs = 30_000 } = options
  const path = sensor === undefined ? '/ingest/readings' : `/sensors/${encodeURIComponent(sensor)}/readings`
  const address = new URL(path, options.url)
  const maxReadings = sensor === undefined ? 5_000 : 500
  const stopped = new AbortController()

  await mkdir(spool, { recursive: true })
  const names = (await readdir(spool)).filter((name) => /^\d{15}\.ndjson/.test(name)).sort()
  const sealed = names.filter((name) => name.endsWith(SEALED))
  let sequence = Number.parseInt(names.at(-1) ?? '0', 10)
  let current: { file: FileHandle; name: string; readings: number; bytes: number; sinceMs: number } | undefined
  // one operation on the folder after the other
  let last: Promise<unknown> = Promise.resolve()
  let wake = Promise.withResolvers<void>()
  const flushes: { through: number; resolve: () => void; reject: (error: Error) => void }[] = []

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work)
    last = done
    return done
  }

  async function seal(): Promise<void> {
    if (current === undefined) return
    const { file, name } = current
    current = undefined
    // what it holds is on disk already
    await file.close().catch((error: Error) => options.onError?.(error))
    sealed.push(name)
    wake.resolve()
  }

  /** The name of a new file is on disk too. */
  async function syncFolder(): Promise<void> {
    const folder = await open(spool)
    await folder.sync().finally(() => folder.close())
  }

  async function append(lines: readonly string[]): Promise<void> {
    for (let from = 0; from < lines.length; ) {
      if (current === undefined) {
        const name = String(++sequence).padStart(15, '0') + SEALED
        const file = await open(join(spool, name), 'ax')
        current = { file, name, readings: 0, bytes: 0, sinceMs: Date.now() }
        await syncFolder()
        wake.resolve()
      }
      let to = from
      let { bytes } = current
      const most = from + maxReadings - current.readings
      while (to < lines.length && to < most) {
        const length = Buffer.byteLength(lines[to] as string) + 1
        if (bytes > 0 && bytes + length > MAX_BATCH_BYTES) break
        bytes += length
        to++
      }
      if (to > from) {
        try {
          await current.file.appendFile(`${lines.slice(from, to).join('\n')}\n`)
          await current.file.datasync()
        } catch (error) {
          // a part of it may be written: later readings go to another file
          await seal()
          throw error
        }
        current.readings += to - from
        current.bytes = bytes
        from = to
      }
      if (from < lines.length || current.readings === maxReadings) await seal()
    }
  }

  /** The batch is done, whatever becomes of the report. */
  function report(refused: Refused[]): void {
    try {
      options.onRefused?.(refused)
    } catch (error) {
      options.onError?.(error as Error)
    }
  }

  /** @returns after how many milliseconds to try again; undefined if the batch is done */
  async function attempt(name: string, body: string, failures: number): Promise<number | undefined> {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** failures) * (0.5 + Math.random() / 2)
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(timeoutMs)]),
      })
      const answer = await response.text()
      if (response.ok) {
        const { refused } = (JSON.parse(answer) as { data: { refused: Refused[] } }).data
        // the readings that are stored by then are duplicates
        if (refused.some(({ reason }) => reason === DAY_SPENT)) return LONGEST_PAUSE_MS
        if (refused.length > 0) report(refused)
        return undefined
      }
      options.onError?.(new Error(`${response.status} ${answer.slice(0, 1_000)}`))
      if (FINAL.has(response.status) && isOfServer(answer)) {
        await rename(join(spool, name), join(spool, name + UNREADABLE))
        return undefined
      }
      const retryAfterS = Number(response.headers.get('retry-after'))
      return retryAfterS > 0 ? retryAfterS * 1_000 : pauseMs
    } catch (error) {
      if (!stopped.signal.aborted) options.onError?.(error as Error)
      return pauseMs
    }
  }

  async function sendBatch(name: string): Promise<void> {
    // `add` has not resolved for a last line without its end
    const lines = (await readFile(join(spool, name), 'utf8')).split('\n').slice(0, -1)
    const body = `{"readings":[${lines.join(',')}]}`
    for (let failures = 0; lines.length > 0; failures++) {
      const pauseMs = await attempt(name, body, failures)
      if (pauseMs === undefined) break
      await pause(pauseMs)
      if (stopped.signal.aborted) return
    }
    await rm(join(spool, name), { force: true })
    sealed.shift()
  }

  async function work(): Promise<void> {
    while (!stopped.signal.aborted) {
      wake = Promise.withResolvers()
      const waitMs = current === undefined ? Number.POSITIVE_INFINITY : current.sinceMs + intervalMs - Date.now()
      if (waitMs <= 0) await inTurn(seal)
      const next = sealed[0]
      try {
        if (next !== undefined) await sendBatch(next)
        else await Promise.race([wake.promise, ...(waitMs < Number.POSITIVE_INFINITY ? [pause(waitMs)] : [])])
      } catch (error) {
        options.onError?.(error as Error)
        await pause(LONGEST_PAUSE_MS)
      }
      const oldest = Number.parseInt(sealed[0] ?? current?.name ?? 'Infinity', 10) || Number.POSITIVE_INFINITY
      for (const flush of flushes.splice(0))
        if (flush.through < oldest) flush.resolve()
        else flushes.push(flush)
    }
  }

  /** Ends early when the sender stops. */
  const pause = (ms: number): Promise<unknown> =>
    sleep(ms, undefined, { signal: stopped.signal }).catch(() => undefined)

  const working = work()

  return {
    async add(...readings) {
      const lines = readings.map((reading) => JSON.stringify(reading))
      await inTurn(() => append(lines))
    },
    async flush() {
      await inTurn(seal)
      const done = Promise.withResolvers<void>()
      flushes.push({ through: sequence, ...done })
      wake.resolve()
      await done.promise
    },
    async close() {
      stopped.abort()
      wake.resolve()
      await working
      await inTurn(seal)
      for (const { reject } of flushes.splice(0)) reject(new Error('the sender was closed'))
    },
  }
}

/** Whether the server has refused a call, and not a proxy before it. */
function isOfServer(answer: string): boolean {
  try {
    return (JSON.parse(answer) as { ok?: unknown }).ok === false
  } catch {
    return false
  }
}
