/** Decodes the image formats of PDFs that sharp cannot, with the WebAssembly that PDF.js bundles: OpenJPEG and PDFium. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

type Handler = { sendWithPromise(name: string, asked: { filename: string }): Promise<Uint8Array> }
type Loadable = {
  setOptions(options: { useWasm: true; useWorkerFetch: false; wasmUrl: string; getHandler(): Handler }): void
}
/** The module has no type declarations. */
const DECODERS: string = 'pdfjs-dist/image_decoders/pdf.image_decoders.mjs'
type Jpx = Loadable & {
  instance: { decode(bytes: Uint8Array, options: { numComponents: number }): Promise<Uint8Array | Uint8ClampedArray> }
  parseImageProperties(bytes: Uint8Array): { width: number; height: number; componentsCount: number }
}
/** ISO 32000-1, table 11. */
export type FaxOptions = {
  K: number
  EndOfLine: boolean
  EncodedByteAlign: boolean
  BlackIs1: boolean
  Columns: number
  Rows: number
}
type Bilevel = Loadable & {
  instance: {
    decode(
      bytes: Uint8Array,
      width: number,
      height: number,
      globals: Uint8Array | null,
      fax?: FaxOptions,
    ): Promise<Uint8Array | Uint8ClampedArray>
  }
}

async function decoder<T extends Loadable>(name: string): Promise<T> {
  const { [name]: found } = (await import(DECODERS)) as Record<string, T>
  const home = join(dirname(require.resolve('pdfjs-dist/package.json')), 'wasm')
  const sendWithPromise: Handler['sendWithPromise'] = async (_, { filename }) =>
    new Uint8Array(await readFile(join(home, filename)))
  const loaded = found as T
  loaded.setOptions({ useWasm: true, useWorkerFetch: false, wasmUrl: '', getHandler: () => ({ sendWithPromise }) })
  return loaded
}

const isDamage = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'JpxError' || error.name === 'Jbig2Error')

export type Samples = { width: number; height: number; channels: 1 | 3; data: Uint8Array }

/** @returns 8-bit samples; undefined when the image is damaged, or neither greyscale nor RGB */
export async function decodeJpeg2000(bytes: Uint8Array, maxPixels: number): Promise<Samples | undefined> {
  const jpx = await decoder<Jpx>('JpxImage')
  try {
    const { width, height, componentsCount: channels } = jpx.parseImageProperties(bytes)
    if ((channels !== 1 && channels !== 3) || width * height > maxPixels) return undefined
    const data = await jpx.instance.decode(bytes, { numComponents: channels })
    if (data.length !== width * height * channels) return undefined
    return { width, height, channels, data: new Uint8Array(data.buffer, data.byteOffset, data.length) }
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

/**
 * @param how `fax` for CCITT, `globals` for the segments that JBIG2 images share
 * @returns rows of bits, each padded to a byte; undefined when the image is damaged
 */
export async function decodeBilevel(
  bytes: Uint8Array,
  width: number,
  height: number,
  how: { fax?: FaxOptions; globals?: Uint8Array | undefined },
): Promise<Uint8Array | undefined> {
  const { instance } = await decoder<Bilevel>('Jbig2Image')
  const rowBytes = Math.ceil(width / 8)
  try {
    const rows = await instance.decode(bytes, width, height, how.globals ?? null, how.fax)
    return rows.length === rowBytes * height ? new Uint8Array(rows.buffer, rows.byteOffset, rows.length) : undefined
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}
