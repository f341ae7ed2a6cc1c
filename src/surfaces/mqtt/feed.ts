/**
 * Hands the bytes of connections to their parsers in turns, and bounds the memory of a packet, which the parser collects
 * until it is whole.
 */
import type { Client } from 'aedes'
import { isTurnSpent, later, spend } from './turns.ts'

/** The parts of a client of aedes that its types leave out; `test/server/mqtt` fails if they change. */
type Internals = {
  _parser: { parse(bytes: Buffer): number }
  /** Packets under way, and reads: below 1, the next bytes are read. */
  _parsingBatch: number
  /** One packet or read is done. */
  _nextBatch(error?: Error): void
}

/** Some dozen small packets. */
const PIECE_BYTES = 2_048

/** @param maxBytes of a packet, by whether the client has signed in */
export function feedInTurns(client: Client, maxBytes: (isSignedIn: boolean) => number): void {
  const internals = client as unknown as Internals
  const parser = internals._parser
  const parse = parser.parse.bind(parser)
  let left: Buffer[] = []
  /** Bytes that come meanwhile are parsed after the ones at hand. */
  let isParsing = false
  let isHeld = false

  function parsePiece(piece: Buffer): void {
    try {
      // the parser keeps the bytes of a packet that is not whole
      if (parse(piece) > maxBytes(client.connected)) throw new Error('the packet is too long')
    } catch (error) {
      client.emit('error', error)
    }
  }

  function goOn(): void {
    isParsing = true
    for (let bytes = left.shift(); bytes !== undefined; bytes = left.shift()) {
      for (let at = 0; at < bytes.length && !client.closed; at += PIECE_BYTES) {
        if (isTurnSpent()) {
          left.unshift(bytes.subarray(at))
          // the first packet of a client must find nothing under way; until its answer nothing more is read
          if (client.connected && !isHeld) {
            internals._parsingBatch++
            isHeld = true
          }
          later(goOn)
          return
        }
        spend(() => parsePiece(bytes.subarray(at, at + PIECE_BYTES)))
      }
    }
    isParsing = false
    if (!isHeld) return
    isHeld = false
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
