/** Decodes the JPEG 2000 images of PDFs with OpenJPEG (WebAssembly), which PDF.js bundles. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

type Handler = { sendWithPromise(name: string, asked: { filename: string }): Promise<Uint8Array> }
/** The module has no type declarations. */
const DECODERS: string = 'pdfjs-dist/image_decoders/pdf.image_decoders.mjs'
type Jpx = {
  setOptions(options: { useWasm: true; useWorkerFetch: false; wasmUrl: string; getHandler(): Handler }): void
  instance: { decode(bytes: Uint8Array, options: { numComponents: number }): Promise<Uint8Array | Uint8ClampedArray> }
  parseImageProperties(bytes: Uint8Array): { width: number; height: number; componentsCount: number }
}

export type Samples = { width: number; height: number; channels: 1 | 3; data: Uint8Array }

/** @returns 8-bit samples; undefined when the image is damaged, or neither greyscale nor RGB */
export async function decodeJpeg2000(bytes: Uint8Array, maxPixels: number): Promise<Samples | undefined> {
  const { JpxImage: jpx } = (await import(DECODERS)) as { JpxImage: Jpx }
  const home = join(dirname(require.resolve('pdfjs-dist/package.json')), 'wasm')
  const sendWithPromise: Handler['sendWithPromise'] = async (_, { filename }) =>
    new Uint8Array(await readFile(join(home, filename)))
  jpx.setOptions({ useWasm: true, useWorkerFetch: false, wasmUrl: '', getHandler: () => ({ sendWithPromise }) })
  try {
    const { width, height, componentsCount: channels } = jpx.parseImageProperties(bytes)
    if ((channels !== 1 && channels !== 3) || width * height > maxPixels) return undefined
    const data = await jpx.instance.decode(bytes, { numComponents: channels })
    if (data.length !== width * height * channels) return undefined
    return { width, height, channels, data: new Uint8Array(data.buffer, data.byteOffset, data.length) }
  } catch (error) {
    if (error instanceof Error && error.name === 'JpxError') return undefined
    throw error
  }
}
