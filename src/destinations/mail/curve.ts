/**
 * Draws the curve of a channel as a PNG. Without text, which the mail has beside it, so that it needs no fonts; and of few
 * colours, so that it is drawn in a millisecond on the server's thread and packed outside of it.
 */
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'

/** Pixels; a mail shows them at half this size. */
export const WIDTH = 1_120
export const HEIGHT = 280
const MARGIN = 12
const HALF_LINE = 2
/** Background, frame, limit and curve. */
const PALETTE = [0xff, 0xff, 0xff, 0xd9, 0xdf, 0xdd, 0xc2, 0x41, 0x0c, 0x1f, 0x6f, 0x5c]
const [FRAME, LIMIT, CURVE] = [1, 2, 3]

export type Curve = {
  fromMs: number
  toMs: number
  /** The lowest and the highest value since `atMs`, in the order of time. */
  points: readonly { atMs: number; low: number; high: number }[]
  /** Points that are further apart are not connected. */
  gapMs: number
  /** The value that the rule compares with. */
  limit: number | undefined
}

const compressed = promisify(deflate)

export async function curvePng(curve: Curve): Promise<Uint8Array> {
  const pixels = draw(curve)
  // each row begins with its filter, none
  const rows = Buffer.alloc(HEIGHT * (WIDTH + 1))
  for (let y = 0; y < HEIGHT; y++) rows.set(pixels.subarray(y * WIDTH, (y + 1) * WIDTH), y * (WIDTH + 1) + 1)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  head.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(PALETTE)),
    chunk('IDAT', await compressed(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

function draw({ fromMs, toMs, points, gapMs, limit }: Curve): Uint8Array {
  const pixels = new Uint8Array(WIDTH * HEIGHT)
  const values = [...points.flatMap(({ low, high }) => [low, high]), ...(limit === undefined ? [] : [limit])]
  const [bottom, top] = [Math.min(...values), Math.max(...values)]
  const scale = top === bottom ? 0 : (HEIGHT - 2 * MARGIN) / (top - bottom)
  const yOf = (value: number): number => (scale === 0 ? HEIGHT / 2 : HEIGHT - MARGIN - (value - bottom) * scale)
  const xOf = (atMs: number): number => MARGIN + ((atMs - fromMs) / (toMs - fromMs)) * (WIDTH - 2 * MARGIN)
  const fill = (x: number, y0: number, y1: number, colour: number): void => {
    if (x < 0 || x >= WIDTH) return
    const end = Math.min(HEIGHT - 1, Math.round(y1))
    for (let y = Math.max(0, Math.round(y0)); y <= end; y++) pixels[y * WIDTH + x] = colour
  }
  /** A line that is as thick in each direction; `steps` columns of it at most. */
  const line = (x0: number, y0: number, x1: number, y1: number): void => {
    const steps = Math.max(1, Math.ceil(Math.abs(x1 - x0)))
    for (let step = 0; step < steps; step++) {
      const [from, to] = [y0 + ((y1 - y0) * step) / steps, y0 + ((y1 - y0) * (step + 1)) / steps]
      const x = Math.round(x0 + ((x1 - x0) * step) / steps)
      for (let beside = -HALF_LINE; beside <= HALF_LINE; beside++)
        fill(x + beside, Math.min(from, to) - HALF_LINE, Math.max(from, to) + HALF_LINE, CURVE)
    }
  }
  for (const y of [0, 0.5, 1]) {
    const at = MARGIN + y * (HEIGHT - 2 * MARGIN)
    for (let x = MARGIN; x < WIDTH - MARGIN; x++) fill(x, at, at, FRAME)
  }
  if (limit !== undefined)
    for (let x = MARGIN; x < WIDTH - MARGIN; x++) if (x % 16 < 10) fill(x, yOf(limit) - 1, yOf(limit) + 1, LIMIT)
  for (const [i, { atMs, low, high }] of points.entries()) {
    const x = xOf(atMs)
    line(x, yOf(low), x, yOf(high))
    const previous = points[i - 1]
    if (previous === undefined || atMs - previous.atMs > gapMs) continue
    const middle = (one: { low: number; high: number }) => yOf((one.low + one.high) / 2)
    line(xOf(previous.atMs), middle(previous), x, middle({ low, high }))
  }
  return pixels
}
