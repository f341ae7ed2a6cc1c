/** Bytes of a stream, without its filters. */
import type { PDFRawStream } from '@cantoo/pdf-lib'

/** @returns undefined where they are not what the filters say; whoever needs them goes without */
export async function streamDecoder(): Promise<(stream: PDFRawStream) => Uint8Array | undefined> {
  const { decodePDFRawStream } = await import('@cantoo/pdf-lib')
  return (stream) => {
    try {
      return decodePDFRawStream(stream).decode()
    } catch {
      // a stranger's bytes; its readers show nothing of them either
      return undefined
    }
  }
}
