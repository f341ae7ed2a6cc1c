/**
 * Long work on the server's thread, which also receives readings. It runs in short turns. All calls together get one
 * turn per pass of the event loop, so that the loop can handle new input in between.
 */

/** The time of a turn. A single step may take a few milliseconds more. */
const TURN_MS = 4
/** Numbers of `inTurns` between two reads of the clock. */
const STEPS = 16
const PIECE_CHARS = 64 * 1024

const waiting: (() => void)[] = []
/** Time that long work has used in this pass. */
let usedMs = 0
let isScheduled = false

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    usedMs = 0
    waiting.shift()?.()
    if (waiting.length > 0) schedule()
  })
}

const documents: (() => void)[] = []

function beginDocument(): void {
  documents.shift()?.()
  if (documents.length > 0) setImmediate(beginDocument)
}

/**
 * Resolves when a document or a file may be sent, one in each pass of the event loop: the kernel takes half a megabyte
 * of each at once, and 3,000 answers in one pass, for connections that began together, blocked the server's thread for
 * 2 s.
 */
export const turnOfDocument = (): Promise<void> =>
  new Promise((resolve) => {
    documents.push(resolve)
    if (documents.length === 1) setImmediate(beginDocument)
  })

/** Resolves in the next pass of the event loop. */
export const nextPass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Resolves in a later pass of the event loop that has no other turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    schedule()
  })
}

/** Calls `step` until it returns false, in turns. The clock is read after each step. */
export async function stepsInTurns(step: () => boolean): Promise<void> {
  for (let isMore = true; isMore; ) {
    if (usedMs > TURN_MS) await nextTurn()
    const startedMs = performance.now()
    do isMore = step()
    while (isMore && usedMs + performance.now() - startedMs < TURN_MS)
    usedMs += performance.now() - startedMs
    schedule()
  }
}

/** Calls `step` with each number below `count`, in turns. */
export async function inTurns(count: number, step: (index: number) => void): Promise<void> {
  let index = 0
  await stepsInTurns(() => {
    for (const end = Math.min(count, index + STEPS); index < end; index++) step(index)
    return index < count
  })
}

/** Long text that is written in turns, as UTF-8. */
export class TextInTurns {
  private readonly pieces: Buffer[] = []
  private text = ''

  add(text: string): void {
    this.text += text
    if (this.text.length >= PIECE_CHARS) this.endPiece()
  }

  /** Adds the texts of `count` items with commas between. */
  addList(count: number, textOf: (index: number) => string): Promise<void> {
    return inTurns(count, (index) => {
      if (index > 0) this.text += ','
      this.add(textOf(index))
    })
  }

  /** The whole text, in pieces. */
  end(): Buffer[] {
    this.endPiece()
    return this.pieces
  }

  private endPiece(): void {
    this.pieces.push(Buffer.from(this.text))
    this.text = ''
  }
}
