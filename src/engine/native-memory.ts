/** Memory of native libraries, which the C library keeps after they have freed it. */

let loading: Promise<(() => void) | undefined> | undefined

/** Returns free memory to the system, if the C library is glibc. Takes a few milliseconds. For Bun only. */
export async function releaseFreeMemory(): Promise<void> {
  loading ??= loadTrim()
  ;(await loading)?.()
}

async function loadTrim(): Promise<(() => void) | undefined> {
  const { dlopen } = await import('bun:ffi')
  try {
    const { symbols } = dlopen('libc.so.6', { malloc_trim: { args: ['usize'], returns: 'int' } })
    return () => void symbols.malloc_trim(0)
  } catch {
    // another C library
    return undefined
  }
}
