/** Reads the beginning of a file, to detect its type. */
import { open } from 'node:fs/promises'

/** @returns fewer bytes for a shorter file */
export async function headOf(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
