/** Sends requests that an ordinary client would not, and judges their answers. */
import { connect } from 'node:net'
import { CODES } from '../../src/errors.ts'

export type Outcome = { status: number; code: string }
export type Outcomes = {
  /** Counts of answers by status and code. */
  counts: Map<string, number>
  /** Answers that a server must not give. */
  faults: string[]
  /** How many answers have a status of 500 or more and came from the server's code. */
  failures: number
  add(what: string, outcome: Outcome): void
}

/** 0 stands for a closed connection, which is an answer to bytes that are not HTTP. */
const CLOSED: Outcome = { status: 0, code: 'closed' }

export function createOutcomes(): Outcomes {
  const counts = new Map<string, number>()
  const faults: string[] = []
  const outcomes: Outcomes = {
    counts,
    faults,
    failures: 0,
    add(what, { status, code }) {
      const key = `${status} ${code}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      const isKnown = code in CODES && code !== 'INTERNAL_ERROR'
      // Bun itself answers 505 to an unknown version of HTTP
      if (status < 500 || status === 505) return
      if (isKnown) outcomes.failures++
      else faults.push(`${what}: ${key}`)
    },
  }
  return outcomes
}

/** Responses without an envelope: metrics, files, process documents, streams. */
async function codeOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { code, title } = JSON.parse(text) as { code?: string; title?: string }
    return code ?? title ?? 'document'
  } catch {
    return 'content'
  }
}

const TIMEOUT_MS = 180_000

export async function call(url: string, init: RequestInit): Promise<Outcome> {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel()
      return { status: response.status, code: 'stream' }
    }
    return { status: response.status, code: await codeOf(response) }
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return { status: 599, code: 'no answer in 3 minutes' }
    return CLOSED
  }
}

/** Sends bytes, waits for the head of an answer for at most `waitMs`, and hangs up. */
export function sendRaw(port: number, bytes: Uint8Array | string, waitMs = 2_000): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    const end = (): void => {
      clearTimeout(timer)
      socket.destroy()
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)
      resolve(status === 0 ? CLOSED : { status, code: /"code":"(\w+)"/.exec(text)?.[1] ?? 'raw' })
    }
    const timer = setTimeout(end, waitMs)
    socket.on('data', (part) => {
      text += part
      if (text.includes('\r\n\r\n')) end()
    })
    socket.on('error', end)
    socket.on('close', end)
  })
}

/** Sends bytes and reads answers, the first of which counts, until the server closes the connection or `waitMs` is over. */
export function sendUntilClosed(port: number, bytes: string, waitMs = 20_000): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let status = 0
    const timer = setTimeout(() => socket.destroy(), waitMs)
    socket.on('data', (part) => {
      if (status === 0) status = Number(/^HTTP\/1\.1 (\d+)/.exec(part.toString('latin1'))?.[1] ?? 0)
    })
    // followed by "close"
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(status === 0 ? CLOSED : { status, code: 'raw' })
    })
  })
}

/** Runs `count` pieces of work, `at` at a time. */
export async function inParallel(count: number, at: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: at }, lane))
}
