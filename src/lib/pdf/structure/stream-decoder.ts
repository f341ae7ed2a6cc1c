/** Decodes the filters of a stream. */
import type { PDFRawStream } from '@cantoo/pdf-lib'

/** @returns a decoder that returns undefined for a stream whose data does not match its filters */
export async function streamDecoder(): Promise<(stream: PDFRawStream) => Uint8Array | undefined> {
  const { decodePDFRawStream } = await import('@cantoo/pdf-lib')
  return (stream) => {
    try {
      return decodePDFRawStream(stream).decode()
    } catch {
      // damaged data in an untrusted file; viewers show nothing for it either
      return undefined
    }
  }
}
