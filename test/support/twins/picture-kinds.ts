/** Small pictures of every kind that image tools read, as ImageMagick and a short PNG writer of our own make them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import { magick } from '../formats/images.ts'
import { type Random, whole } from '../random.ts'
import { exifBlock, exifSegment, TYPE, withSegments } from './exif-blocks.ts'

export const BATCH = 48
export const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T

/** `near`: rounding may differ. */
type Kind = { lossy?: boolean; near?: boolean; deep?: boolean; cmyk?: boolean; frames?: number }
export type Source = Kind & { name: string; path: string; made: string }

/** A PNG of any colour type and depth, with a transparent colour or a palette (PNG 3, 11.2). */
function anyPng(random: Random): { content: Buffer; made: string; deep: boolean } {
  const type = some(random, [0, 2, 3, 4, 6])
  const depth = some(random, { 0: [1, 2, 4, 8, 16], 3: [1, 2, 4, 8] }[type as 0] ?? [8, 16])
  const [width, height] = [1 + whole(random, 40), 1 + whole(random, 40)]
  const samples = [1, 0, 3, 1, 2, 0, 4][type] as number
  const rowBytes = Math.ceil((width * samples * depth) / 8)
  const row = (): Buffer =>
    Buffer.from([0, ...Array.from({ length: rowBytes }, () => some(random, [0, 255, whole(random, 256)]))])
  const chunk = (name: string, content: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(content.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([depth, type], 8)
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => whole(random, 256)))
  const chunks = [chunk('IHDR', header)]
  if (type === 3) chunks.push(chunk('PLTE', bytes(3 * 2 ** depth)))
  const hasKey = [0, 2, 3].includes(type) && random() < 0.4
  if (hasKey) {
    const key = Buffer.alloc(samples * 2)
    for (let i = 0; i < samples; i++) key.writeUInt16BE(some(random, [0, 2 ** depth - 1]), 2 * i)
    chunks.push(chunk('tRNS', type === 3 ? bytes(1 + whole(random, 2 ** depth)) : key))
  }
  chunks.push(
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, row)))),
    chunk('IEND', Buffer.alloc(0)),
  )
  const content = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])
  return { content, made: `PNG of type ${type}, ${depth} bits${hasKey ? ', tRNS' : ''}`, deep: depth === 16 }
}

const ORIENTATIONS = 'TopLeft TopRight BottomRight BottomLeft LeftTop RightTop RightBottom LeftBottom'.split(' ')

/** An image drawn by ImageMagick, and the arguments to write it. */
function anyOther(random: Random, which = whole(random, 9)): { args: string[]; kind: Kind; extension: string } {
  const size = () => `${2 + whole(random, 40)}x${2 + whole(random, 40)}`
  const drawing = (at = size()): string[] => [
    '-size',
    at,
    '-seed',
    String(whole(random, 1e6)),
    ...some(random, [
      ['plasma:tomato-steelblue'],
      ['gradient:red-blue'],
      ['xc:gray', '+noise', 'Random'],
      ['pattern:checkerboard'],
      ['xc:orange'],
    ]),
  ]
  const alpha = some(random, [
    [],
    [],
    ['-alpha', 'set', '-channel', 'A', '+noise', 'Random', '+channel'],
    ['-alpha', 'set', '-channel', 'A', '+noise', 'Random', '-threshold', '50%', '+channel'],
  ])
  const to = (extension: string, kind: Kind, ...args: string[]) => ({
    args,
    kind,
    extension,
  })
  const types = ['TrueColor', 'Grayscale', 'Palette']
  switch (which) {
    case 0:
      return to(
        'jpg',
        { lossy: true },
        ...drawing(),
        '-type',
        some(random, ['TrueColor', 'Grayscale']),
        '-sampling-factor',
        some(random, ['1x1', '2x1', '2x2', '1x2']),
        '-interlace',
        some(random, ['None', 'JPEG']),
        '-quality',
        some(random, ['100', '85', '40']),
      )
    case 1:
      return to('jpg', { lossy: true, cmyk: true }, ...drawing(), '-colorspace', 'CMYK', '-quality', '100')
    case 2: {
      const frame = () => [
        '(',
        ...drawing(),
        ...some(random, [[], ['-alpha', 'set', '-channel', 'A', '+noise', 'Random', '-threshold', '50%', '+channel']]),
        '-repage',
        `+${whole(random, 12)}+${whole(random, 12)}`,
        '-set',
        'dispose',
        some(random, ['None', 'Previous', 'Undefined']),
        '-set',
        'delay',
        String(2 + whole(random, 30)),
        ')',
      ]
      const frames = 2 + whole(random, 4)
      return to(
        'gif',
        { frames },
        ...drawing('52x52'),
        '-set',
        'delay',
        '5',
        ...Array.from({ length: frames - 1 }, frame).flat(),
        '-dither',
        'None',
        '-colors',
        some(random, ['4', '64', '256']),
      )
    }
    case 3:
      return to(
        'gif',
        {},
        ...drawing(),
        ...(alpha.length > 6 ? alpha : []),
        '-dither',
        'None',
        '-colors',
        some(random, ['2', '16', '256']),
        '-interlace',
        some(random, ['None', 'GIF']),
      )
    case 4:
      return to('webp', {}, ...drawing(), ...alpha, '-define', 'webp:lossless=true', '-define', 'webp:exact=true')
    case 5:
      return to(
        'webp',
        { lossy: true },
        ...drawing(),
        ...alpha,
        '-define',
        'webp:lossless=false',
        '-quality',
        some(random, ['30', '90']),
      )
    case 6:
      return to(
        'bmp',
        // 5 and 6 bits per channel
        { near: true },
        ...drawing(),
        ...some(random, [
          ['-type', 'TrueColor'],
          ['-type', 'Palette', '-compress', 'RLE'],
          ['-type', 'Palette', '-compress', 'None'],
          ['-type', 'Bilevel'],
          ['-define', 'bmp:subtype=RGB565'],
          ['-define', 'bmp:subtype=ARGB1555'],
          ['-define', 'bmp:format=bmp3'],
          alpha,
        ]),
      )
    case 7:
      return to('png', {}, ...drawing(), ...alpha, '-depth', '8', '-interlace', 'PNG')
    default: {
      const depth = some(random, ['8', '8', '16', '4', '1'])
      // libvips refuses colours of 4 bits
      const type = depth === '1' ? 'Bilevel' : some(random, depth === '4' ? ['Grayscale', 'Palette'] : types)
      const withAlpha = type === 'TrueColor' && depth !== '1' ? alpha : []
      const associated = random() < 0.3
      const pages = random() < 0.2 ? ['(', ...drawing(), ')'] : []
      const frames = pages.length > 0 ? 2 : 1
      return to(
        'tif',
        { deep: depth === '16', near: associated, frames },
        ...drawing(),
        ...withAlpha,
        ...pages,
        '-type',
        withAlpha.length > 0 ? 'TrueColorAlpha' : type,
        '-depth',
        depth,
        '-compress',
        some(random, ['None', 'LZW', 'Zip', 'RLE', ...(depth === '1' ? ['Group4'] : [])]),
        '-define',
        `tiff:endian=${some(random, ['msb', 'lsb'])}`,
        '-define',
        `tiff:fill-order=${some(random, ['msb', 'lsb'])}`,
        // libvips refuses tiles with separate planes; ImageMagick turns Group 3 fax twice
        ...some(random, [[], ['-define', 'tiff:tile-geometry=16x16'], ['-interlace', 'Plane']]),
        '-orient',
        some(random, ORIENTATIONS),
        ...some(random, [[], ['-define', 'quantum:polarity=min-is-white']]),
        '-define',
        `tiff:alpha=${associated ? 'associated' : 'unassociated'}`,
      )
    }
  }
}

/**
 * A batch of files.
 * @param batch the beginning of their paths
 * @param which of the kinds of ImageMagick; by default all, and PNGs of our own
 */
export function sources(random: Random, batch: string, which?: number): Source[] {
  const list: Source[] = []
  const command = ['-respect-parenthesis']
  for (let i = 0; i < BATCH; i++) {
    const path = `${batch}-${i}`
    if (which === undefined && random() < 0.25) {
      const { content, made, deep } = anyPng(random)
      writeFileSync(`${path}.png`, content)
      list.push({ name: `${i}.png`, path: `${path}.png`, made, deep })
      continue
    }
    const { args, kind, extension } = anyOther(random, which)
    const file = `${path}.${extension}`
    command.push('(', ...args, '-write', file, '+delete', ')')
    list.push({ ...kind, name: `${i}.${extension}`, path: file, made: args.join(' ') })
  }
  magick(...command, 'xc:red', 'null:')
  for (const { path, name } of list)
    if (name.endsWith('.jpg') && random() < 0.6) {
      const orientation = exifBlock({ ifd0: [[0x112, TYPE.SHORT, [1 + whole(random, 8)]]] }, random() < 0.5)
      writeFileSync(path, withSegments(readFileSync(path), exifSegment(orientation)))
    }
  return list
}
