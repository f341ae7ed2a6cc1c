/** Damaged MQTT packets, and how they are sent. */
import { connect } from 'node:net'
import { type Random, whole } from '../random.ts'

const SUBSCRIBE = Buffer.from('8209000100046162636401', 'hex')
const UNSUBSCRIBE = Buffer.from('a20600010002ab63', 'hex')
const CONTROLS = ['4002000a', '5002000a', '6202000a', '7002000a', 'c000', 'd000', '20020000', '9003000100', 'b0020001']
const OTHERS = [SUBSCRIBE, UNSUBSCRIBE, ...CONTROLS.map((hex) => Buffer.from(hex, 'hex'))]
const PATIENCE_MS = 2_000

/** Up to five packets, with some bytes changed or the end cut off. Half of the senders have signed in before. */
export function damagedPackets(random: Random, signIn: Buffer, publishes: readonly Buffer[]): Buffer {
  const known = [signIn, ...publishes, ...OTHERS]
  const chosen = Array.from({ length: 1 + whole(random, 5) }, () => known[whole(random, known.length)] as Buffer)
  const bytes = Buffer.concat(random() < 0.5 ? [signIn, ...chosen] : chosen)
  const from = random() < 0.5 ? 0 : Math.min(bytes.length - 1, signIn.length)
  for (let edits = whole(random, 6); edits > 0; edits--)
    bytes[from + whole(random, bytes.length - from)] = whole(random, 256)
  return random() < 0.2 ? bytes.subarray(0, whole(random, bytes.length)) : bytes
}

/** Sends bytes in two parts, and waits for the end of the connection, briefly. */
export function sendInParts(port: number, bytes: Buffer, cut: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes.subarray(0, cut))
      setImmediate(() => socket.end(bytes.subarray(cut)))
    })
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS)
    socket.on('data', () => undefined)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
