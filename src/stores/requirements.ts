/** Whether a server is one that Groundwave can work on. */

/** A server that is too old, or lacks what its migrations say it has; the message is for whoever starts this one. */
export class UnsupportedStoreError extends Error {}

/** @param minimum as `24.3`; both are compared number by number */
export function requireVersion(product: string, found: string, minimum: string): void {
  const [a, b] = [found, minimum].map((version) =>
    version.split('.').map((part) => Number.parseInt(part, 10) || 0),
  ) as [number[], number[]]
  for (const [i, minimumPart] of b.entries()) {
    const has = a[i] ?? 0
    if (has > minimumPart) return
    if (has < minimumPart) throw new UnsupportedStoreError(`${product} ${minimum} or newer is needed, this is ${found}`)
  }
}
