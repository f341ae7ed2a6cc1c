/**
 * Texts of many megabytes in a column: they are compressed on another thread, because they would block the server's.
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

const MAX_PLAIN_BYTES = 256 * 1024
/** No JSON text begins like this. */
const PACKED = 'gzip:'
const compress = promisify<Uint8Array, Buffer>(gzip)
const decompress = promisify<Uint8Array, Buffer<ArrayBuffer>>(gunzip)

/** @param text in UTF-8 */
export const pack = async (text: Uint8Array): Promise<string> =>
  text.length <= MAX_PLAIN_BYTES ? new TextDecoder().decode(text) : PACKED + (await compress(text)).toString('base64')

export const unpack = async (text: string): Promise<Buffer<ArrayBuffer>> =>
  text.startsWith(PACKED) ? decompress(Buffer.from(text.slice(PACKED.length), 'base64')) : Buffer.from(text)
