/** A key pair that was just made. It is shown once and kept nowhere but in this page's memory. */
import { signal } from '@preact/signals'

/** `replaces` is the name of the pair that it takes over from. */
export type MadePair = { name: string; publicKey: string; secretKey: string; replaces?: string }

const pairs = signal<ReadonlyMap<string, MadePair>>(new Map())

export const pairOf = (applicationId: string): MadePair | undefined => pairs.value.get(applicationId)

export function showPair(applicationId: string, pair: MadePair | undefined): void {
  const next = new Map(pairs.peek())
  if (pair === undefined) next.delete(applicationId)
  else next.set(applicationId, pair)
  pairs.value = next
}
