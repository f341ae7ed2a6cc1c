/** The log of a process: lines of JSON on its standard output. */
import pino, { type Logger } from 'pino'
import { errorForLog } from '../store-errors.ts'

/** Flush interval; without it, the last lines of a quiet server would wait for the next ones. */
const FLUSH_MS = 250
const FLUSH_CHARACTERS = 64 * 1024

/**
 * Lines are handed to pino's destination many at once: 20,000 lines a second, each on its own or in blocks of 4 kB, took
 * a fifth of the server's thread.
 */
export function createLogger(level: string): Logger {
  let lines: string[] = []
  let characters = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function handOver(): void {
    clearTimeout(timer)
    timer = undefined
    if (lines.length === 0) return
    destination.write(lines.join(''))
    lines = []
    characters = 0
  }
  // registered before the destination's own exit listener, which writes its buffer
  process.on('exit', handOver)
  // 1: with 0, its flush does not wait for what is being written
  const destination = pino.destination({ dest: 1, sync: false, minLength: 1 })
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: errorForLog } }, {
    write(line: string) {
      lines.push(line)
      characters += line.length
      if (characters >= FLUSH_CHARACTERS) handOver()
      else timer ??= setTimeout(handOver, FLUSH_MS)
    },
    flush(done: (error?: Error) => void) {
      handOver()
      destination.flush(done)
    },
    // called after a fatal line
    flushSync() {
      handOver()
      destination.flushSync()
    },
  } as pino.DestinationStream)
}
