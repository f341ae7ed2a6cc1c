/** Creates and reads images with ImageMagick, as a reference for the tools. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../program.ts'
import { sharedFolder } from '../run-end.ts'
import type { Given } from '../workers/engine.ts'

const home = sharedFolder('images')
let made = 0

/** @returns the standard output */
export function magick(...args: (string | number)[]): Buffer {
  return outputOf('/usr/bin/convert', args.map(String))
}

/** An image made by ImageMagick; the last argument may be its format, for example `PNG32:`. */
export function picture(name: string, ...args: (string | number)[]): { name: string; path: string; content: Buffer } {
  const path = join(home, `${++made}-${name}`)
  const format = /^[A-Z0-9]+:$/.test(String(args.at(-1))) ? String(args.pop()) : ''
  magick(...args, format + path)
  return { name, path, content: readFileSync(path) }
}

/** Pixels as ImageMagick decodes them, four bytes each. */
export function rgba(path: string, ...options: string[]): { data: Buffer; width: number; height: number } {
  const [width = 0, height = 0] = magick(`${path}[0]`, '-format', '%w %h', 'info:').toString().split(' ').map(Number)
  return { data: magick(`${path}[0]`, ...options, '-depth', '8', 'rgba:-'), width, height }
}

/** Output of `identify` in the given format. */
export const identify = (path: string, format: string): string => magick(path, '-format', format, 'info:').toString()

/** Largest and mean difference between the samples of two images, including alpha. */
export function difference(a: { data: Buffer }, b: { data: Buffer }): { max: number; mean: number } {
  if (a.data.length !== b.data.length) throw new Error(`${a.data.length} bytes are not ${b.data.length}`)
  let [max, sum] = [0, 0]
  for (let i = 0; i < a.data.length; i++) {
    const off = Math.abs((a.data[i] as number) - (b.data[i] as number))
    max = Math.max(max, off)
    sum += off
  }
  return { max, mean: sum / a.data.length }
}

/** A PNG whose header declares a size for which it has no data. */
export function pngOfSize(width: number, height: number): Given {
  const { content } = picture('small.png', '-size', '1x1', 'xc:red', 'PNG24:')
  const png = Buffer.from(content)
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt32BE(Bun.hash.crc32(png.subarray(12, 29)), 29)
  return { name: 'huge.png', content: png }
}
