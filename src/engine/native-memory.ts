/** Memory of native libraries, which the C library keeps after they have freed it. */

type Trim = (keptBytes: number) => number

let loading: Promise<Trim | undefined> | undefined

/** Gives what is free back to the system, where the C library is glibc. Takes a few milliseconds. */
export async function releaseFreeMemory(): Promise<void> {
  loading ??= loadTrim()
  ;(await loading)?.(0)
}

async function loadTrim(): Promise<Trim | undefined> {
  try {
    const { default: koffi } = await import('koffi')
    return koffi.load('libc.so.6').func('int malloc_trim(size_t pad)') as unknown as Trim
  } catch {
    // another C library, or a system without a build of koffi
    return undefined
  }
}
