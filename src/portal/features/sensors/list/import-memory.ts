/** Identifies an import and remembers, in this tab, which of its rows the server has answered. */

/** Two hashes of 32 bits (FNV-1a and its variant with another start); the server compares whole requests besides. */
export function createHash(start: string) {
  let [a, b] = [0x811c9dc5, 0x9747b28c]
  const add = (byte: number): void => {
    a = Math.imul(a ^ byte, 0x01000193)
    b = Math.imul(b ^ byte, 0x85ebca6b)
  }
  for (const byte of new TextEncoder().encode(start)) add(byte)
  return {
    add(bytes: Uint8Array): void {
      for (const byte of bytes) add(byte)
    },
    text: (): string => (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0'),
  }
}

export type Answered = {
  has(row: number): boolean
  /** A request for a row starts; rows start in their order. */
  begin(row: number): void
  add(row: number): void
  count(): number
}

const PLACE = 'groundwave.import.'
type Kept = { through: number; ahead: number[]; count: number }

/** All rows up to a row are answered, plus a few after it: a million rows take one line of text. */
export function createAnswered(importId: string): Answered {
  let { through, ahead: list, count } = read(importId)
  const ahead = new Set(list)
  /** Started and not answered. */
  const open = new Set<number>()
  let last = through
  function keep(): void {
    list = [...ahead]
    try {
      sessionStorage.setItem(PLACE + importId, JSON.stringify({ through, ahead: list, count } satisfies Kept))
    } catch {
      // storage is full or disabled: the idempotency keys still keep rows from being created twice
    }
  }
  return {
    has: (row) => row <= through || ahead.has(row),
    begin(row) {
      open.add(row)
      last = Math.max(last, row)
    },
    add(row) {
      open.delete(row)
      ahead.add(row)
      count++
      through = open.size > 0 ? Math.min(...open) - 1 : last
      for (const one of ahead) if (one <= through) ahead.delete(one)
      keep()
    },
    count: () => count,
  }
}

function read(importId: string): Kept {
  const none = { through: 0, ahead: [], count: 0 }
  try {
    return (JSON.parse(sessionStorage.getItem(PLACE + importId) ?? 'null') as Kept | null) ?? none
  } catch {
    return none
  }
}
