/**
 * Generated pictures of every kind, through the image tools, compared pixel by pixel with what ImageMagick (and Poppler
 * for PDFs) shows of source and result. Samples have 16 bits here: 257 is one step of 8 bits.
 */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { runTool } from '../support/engine.ts'
import { exifBlock, exifSegment, TYPE, withSegments } from '../support/exif-blocks.ts'
import { magick } from '../support/images.ts'
import { outputOf } from '../support/program.ts'
import { type Random, seeded, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { sharedFolder } from '../support/run-end.ts'

const seed = Number(process.env.TEST_SEED || Math.floor(Math.random() * 2 ** 31))
process.stderr.write(`replay with TEST_SEED=${seed}\n`)
const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T
const folder = sharedFolder('picture-twins')
const BATCH = 48
const STEP = 257

/** `near`: rounded in one of several ways. */
type Kind = { lossy?: boolean; near?: boolean; deep?: boolean; cmyk?: boolean; frames?: number }
type Source = Kind & { name: string; path: string; made: string }

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

/** What ImageMagick draws, and how it writes that. */
function anyOther(random: Random, which = whole(random, 9)): { args: string[]; kind: Kind; extension: string } {
  const size = () => `${2 + whole(random, 40)}x${2 + whole(random, 40)}`
  const drawing = (at = size()): string[] => [
    ...['-size', at, '-seed', String(whole(random, 1e6))],
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
        ...[
          '(',
          ...drawing(),
          ...some(random, [
            [],
            ['-alpha', 'set', '-channel', 'A', '+noise', 'Random', '-threshold', '50%', '+channel'],
          ]),
        ],
        ...[
          '-repage',
          `+${whole(random, 12)}+${whole(random, 12)}`,
          '-set',
          'dispose',
          some(random, ['None', 'Previous', 'Undefined']),
          '-set',
          'delay',
          String(2 + whole(random, 30)),
          ')',
        ],
      ]
      const frames = 2 + whole(random, 4)
      return to(
        'gif',
        { frames },
        ...[...drawing('52x52'), '-set', 'delay', '5'],
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
        // 5 and 6 bits
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
      const pages = random() < 0.2 ? ['(', ...drawing(), ')'] : []
      const frames = pages.length > 0 ? 2 : 1
      return to(
        'tif',
        { deep: depth === '16', frames },
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
        ...some(random, [[], ['-define', 'tiff:alpha=unassociated'], ['-define', 'tiff:alpha=associated']]),
      )
    }
  }
}

/** @param which of the kinds of ImageMagick; by default any, and PNGs of our own */
function sources(random: Random, batch: string, which?: number): Source[] {
  const list: Source[] = []
  const command = ['-respect-parenthesis']
  for (let i = 0; i < BATCH; i++) {
    const path = join(folder, `${batch}-${i}`)
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

type Pixels = { width: number; height: number; data: Uint16Array }

/** The pictures as ImageMagick shows them, upright, in RGBA with 16 bits. */
function shown(list: readonly { path: string; options?: readonly string[] }[]): Pixels[] {
  const sizes = join(folder, 'sizes')
  const pictures = list.flatMap(({ path, options = [] }) => ['(', path, '-auto-orient', ...options, '+repage', ')'])
  const bytes = magick(
    '-respect-parenthesis',
    ...pictures,
    '-colorspace',
    'sRGB',
    '-format',
    '%w %h\n',
    '-write',
    `info:${sizes}`,
    '-depth',
    '16',
    '-endian',
    'LSB',
    'rgba:-',
  )
  let at = 0
  return readFileSync(sizes, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [width = 0, height = 0] = line.split(' ').map(Number)
      const data = new Uint16Array(new Uint8Array(bytes.subarray(at, at + 8 * width * height)).buffer)
      at += 8 * width * height
      return { width, height, data }
    })
}

type Difference = { max: number; mean: number }

/**
 * Colours of two fully transparent pixels do not count; an alpha of less than one step becomes that.
 * @param isWeighed by alpha: a mark is blended in premultiplied colours
 */
function difference(a: Pixels, b: Pixels, isWeighed = false): Difference {
  if (a.width !== b.width || a.height !== b.height) return { max: Infinity, mean: Infinity }
  let [max, sum] = [0, 0]
  for (let at = 0; at < a.data.length; at++) {
    if (Math.max(a.data[at | 3] as number, b.data[at | 3] as number) < STEP) continue
    const weight = isWeighed && at % 4 < 3 ? (a.data[at | 3] as number) / 65_535 : 1
    const off = (weight * Math.abs((a.data[at] as number) - (b.data[at] as number))) / STEP
    if (off > max) max = off
    sum += off
  }
  return { max, mean: sum / a.data.length }
}

const WHITE = ['-background', 'white', '-alpha', 'remove', '-alpha', 'off']
const TARGETS = ['png', 'jpeg', 'webp', 'bmp', 'tiff', 'gif'] as const

/** Steps of 8 bits that a conversion may be away: the largest, and the mean. */
function allowed(source: Source, target: (typeof TARGETS)[number], warnings: readonly string[]): Difference {
  if (source.cmyk) return { max: 256, mean: 40 }
  if (target === 'jpeg') return { max: 256, mean: 12 }
  if (target === 'gif' && warnings.length > 0) return { max: 256, mean: 80 }
  if (target === 'webp' && source.lossy) return { max: 256, mean: 12 }
  // decoders smooth the colours of JPEG and WebP differently
  if (source.lossy) return { max: 6, mean: 1 }
  return {
    max: source.near || target === 'bmp' || (source.deep && target !== 'png' && target !== 'tiff') ? 1 : 0,
    mean: 1,
  }
}

test('image tools show the pixels that ImageMagick shows', async () => {
  const random = seeded(seed)
  let compared = 0
  for (let batch = 0; compared < rounds(BATCH, 4_800); batch++) {
    const list = sources(random, String(batch))
    const given = new Map(list.map((source) => [source, { name: source.name, content: readFileSync(source.path) }]))
    const targets = list.map(() => some(random, TARGETS))
    const results = await Promise.all(
      list.map((source, i) =>
        runTool('image.convert-format', { file: given.get(source), target_format: targets[i] }).catch((error) => {
          throw new Error(`${source.made} to ${targets[i]}, seed ${seed}`, { cause: error })
        }),
      ),
    )
    const before = shown(
      list.map(({ path }, i) => ({
        path: `${path}[0]`,
        options: ['jpeg', 'bmp'].includes(targets[i] as string) ? WHITE : [],
      })),
    )
    const after = shown(results.map(({ path }) => ({ path: `${path}[0]` })))
    const faults: unknown[] = []
    for (const [i, source] of list.entries()) {
      const target = targets[i] as (typeof TARGETS)[number]
      const found = difference(before[i] as Pixels, after[i] as Pixels)
      const limit = allowed(source, target, results[i]?.warnings ?? [])
      if (found.max > limit.max || found.mean > limit.mean)
        faults.push({ batch, i, made: source.made, target, found, warnings: results[i]?.warnings })
      compared++
    }
    expect({ seed, faults }).toEqual({ seed, faults: [] })
  }
})

const fileOf = ({ name, path }: Source) => ({ name, content: readFileSync(path) })

test('pictures are the same when they are merged, in a PDF and beside a watermark', async () => {
  const random = seeded(seed + 1)
  let compared = 0
  for (let batch = 0; compared < rounds(30, 2_400); batch++) {
    const list = sources(random, `b${batch}`).filter(({ cmyk }) => !cmyk)
    const faults: unknown[] = []
    const check = (
      tool: string,
      used: readonly Source[],
      a: Pixels | undefined,
      b: Pixels | undefined,
      limit: Difference,
    ) => {
      const found = difference(a as Pixels, b as Pixels, tool === 'image-watermark')
      if (found.max > limit.max || found.mean > limit.mean)
        faults.push({ batch, tool, made: used.map(({ made }) => made), found })
      compared++
    }
    const limitOf = (used: readonly Source[]): Difference => ({ max: used.some(({ lossy }) => lossy) ? 6 : 1, mean: 1 })

    const groups = Array.from({ length: 6 }, (_, i) => list.slice(3 * i, 3 * i + 3))
    const upright = shown(list.map(({ path }) => ({ path: `${path}[0]` })))
    const isTransparent = (source: Source): boolean =>
      upright[list.indexOf(source)]?.data.some((sample, at) => at % 4 === 3 && sample < 65_535) ?? false
    const layouts = groups.map(() => some(random, ['vertical', 'horizontal']))
    const merged = await Promise.all(
      groups.map((group, i) => runTool('image.merge-images', { files: group.map(fileOf), layout: layouts[i] })),
    )
    const appended = groups.map((group, i) => {
      const sizes = group.map((source) => upright[list.indexOf(source)] as Pixels)
      const [side, along] = layouts[i] === 'vertical' ? (['width', 'height'] as const) : (['height', 'width'] as const)
      const widest = Math.max(...sizes.map((size) => size[side]))
      let start = 0
      const parts = group.flatMap(({ path }, k) => {
        const size = sizes[k] as Pixels
        const at = [Math.floor((widest - size[side]) / 2), start]
        start += size[along]
        if (layouts[i] !== 'vertical') at.reverse()
        return ['(', `${path}[0]`, '-auto-orient', '-colorspace', 'sRGB', '-repage', `+${at.join('+')}`, ')']
      })
      const path = join(folder, `b${batch}-appended-${i}.png`)
      magick(
        ...parts,
        '-background',
        group.some(isTransparent) ? 'none' : 'white',
        '-layers',
        'merge',
        '-depth',
        '16',
        path,
      )
      return { path }
    })
    const [theirs, ours] = [shown(appended), shown(merged)]
    for (const [i, group] of groups.entries())
      check(
        'merge-images',
        group,
        theirs[i],
        ours[i],
        merged[i]?.data.format === 'jpeg' ? { max: 256, mean: 12 } : limitOf(group),
      )

    const pages = list.slice(18, 30)
    const pdf = await runTool('document.images-to-pdf', { files: pages.map(fileOf), page_mode: 'fit' })
    const prefix = join(folder, `b${batch}-page`)
    outputOf('pdfimages', ['-png', pdf.path, prefix])
    const kinds = outputOf('pdfimages', ['-list', pdf.path]).toString().trim().split('\n').slice(2)
    const drawn = kinds.flatMap((line, i) => {
      if (/ smask /.test(line)) return []
      const [path, mask] = [i, i + 1].map((k) => `${prefix}-${String(k).padStart(3, '0')}.png`) as [string, string]
      const options = / smask /.test(kinds[i + 1] ?? '')
        ? [mask, '-alpha', 'off', '-compose', 'CopyOpacity', '-composite']
        : []
      return [{ path, options }]
    })
    const embedded = shown(drawn)
    for (const [i, page] of pages.entries())
      check(
        'images-to-pdf',
        [page],
        upright[18 + i],
        embedded[i],
        page.lossy ? { max: 256, mean: 12 } : limitOf([page]),
      )

    // in smaller ones the mark, which is in the first rows, is as large as the picture
    const rest = list.slice(30).filter((source) => (upright[list.indexOf(source)]?.height ?? 0) >= 30)
    const marked = await Promise.all(
      rest.map((source) => runTool('image.image-watermark', { file: fileOf(source), text: 'X', position: 'top-left' })),
    )
    const below = ['-gravity', 'South', '-crop', '100%x30%+0+0']
    const plain = shown(rest.map(({ path }) => ({ path: `${path}[0]`, options: below })))
    const kept = shown(marked.map(({ path }) => ({ path: `${path}[0]`, options: below })))
    for (const [i, source] of rest.entries())
      check('image-watermark', [source], plain[i], kept[i], source.lossy ? { max: 256, mean: 12 } : limitOf([source]))
    expect({ seed, faults }).toEqual({ seed, faults: [] })
  }
})

type Played = { frame: Pixels; until: number }

/** A WebP has no frames that look as the one before, which is shown longer instead. */
function timeline(frames: readonly Pixels[], times: readonly string[]): Played[] {
  const played: Played[] = []
  let until = 0
  for (const [i, frame] of frames.entries()) {
    until += Number(times[i])
    const last = played.at(-1)
    if (last !== undefined && difference(last.frame, frame).max === 0) last.until = until
    else played.push({ frame, until })
  }
  return played
}

test('all frames of a GIF are those that ImageMagick shows, in a WebP', async () => {
  const random = seeded(seed + 2)
  let compared = 0
  for (let batch = 0; compared < rounds(12, 960); batch++) {
    const faults: unknown[] = []
    const list = sources(random, `c${batch}`, 2).slice(0, 12)
    for (const source of list) {
      const { path, warnings } = await runTool('image.convert-format', { file: fileOf(source), target_format: 'webp' })
      const [theirs, ours] = [source.path, path].map((file) => shown([{ path: file, options: ['-coalesce'] }]))
      const [before, after] = [source.path, path].map((file) =>
        magick(file, '-format', '%T ', 'info:').toString().trim().split(' '),
      )
      const [a, b] = [timeline(theirs ?? [], before ?? []), timeline(ours ?? [], after ?? [])]
      const isSame =
        a.length === b.length &&
        a.every(({ until, frame }, i) => {
          const other = b[i] as Played
          // a still picture has no times
          return difference(frame, other.frame).max === 0 && (a.length === 1 || until === other.until)
        })
      if (warnings.length > 0 || !isSame) faults.push({ batch, made: source.made, before, after, warnings })
      compared++
    }
    expect({ seed, faults }).toEqual({ seed, faults: [] })
  }
})
