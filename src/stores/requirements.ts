/** Checks that a server meets Groundwave's requirements. */

/** The server is too old, or its schema does not match its migrations; the message is for the operator. */
export class UnsupportedStoreError extends Error {}

/** @param minimum for example `24.3`; versions are compared part by part */
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
