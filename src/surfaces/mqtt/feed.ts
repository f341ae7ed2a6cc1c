/**
 * Hands the bytes of connections to their parsers in turns: a single read of the kernel may contain tens of thousands of
 * small packets, and the server's thread also serves everybody else. The same place bounds the memory of a packet, which
 * the parser collects until it is whole.
 */
import type { Client } from 'aedes'

/** The parts of a client of aedes that its types leave out; `test/server/mqtt` fails if they change. */
type Internals = {
  _parser: { parse(bytes: Buffer): number }
  /** Packets under way, and reads: below 1, the next bytes are read. */
  _parsingBatch: number
  /** One packet or read is done. */
  _nextBatch(error?: Error): void
}

/** The time that all connections together use before other work has its turn. */
const TURN_MS = 4
/** Some dozen small packets. */
const PIECE_BYTES = 2_048

const waiting: (() => void)[] = []
let usedMs = 0
let isScheduled = false

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    usedMs = 0
    for (const next of waiting.splice(0)) next()
  })
}

/** @param maxBytes of a packet, by whether the client has signed in */
export function feedInTurns(client: Client, maxBytes: (isSignedIn: boolean) => number): void {
  const internals = client as unknown as Internals
  const parser = internals._parser
  const parse = parser.parse.bind(parser)
  let left: Buffer[] = []
  /** Bytes that come meanwhile are parsed after the ones at hand. */
  let isParsing = false
  let isWaiting = false

  function parsePiece(piece: Buffer): void {
    const startedMs = performance.now()
    try {
      // the parser keeps the bytes of a packet that is not whole
      if (parse(piece) > maxBytes(client.connected)) throw new Error('the packet is too long')
    } catch (error) {
      client.emit('error', error)
    }
    usedMs += performance.now() - startedMs
  }

  function goOn(): void {
    isParsing = true
    for (let bytes = left.shift(); bytes !== undefined; bytes = left.shift()) {
      for (let at = 0; at < bytes.length && !client.closed; at += PIECE_BYTES) {
        if (usedMs > TURN_MS) {
          left.unshift(bytes.subarray(at))
          if (!isWaiting) internals._parsingBatch++
          isWaiting = true
          waiting.push(goOn)
          schedule()
          return
        }
        parsePiece(bytes.subarray(at, at + PIECE_BYTES))
      }
      schedule()
    }
    isParsing = false
    if (!isWaiting) return
    isWaiting = false
    internals._nextBatch()
  }

  parser.parse = (bytes) => {
    left.push(bytes)
    if (!isParsing) goOn()
    return 0
  }
  client.conn.once('close', () => {
    left = []
  })
}
