/**
 * Generated pictures of every kind, through the image tools, with source and result compared pixel by pixel by
 * ImageMagick (and Poppler for PDFs). Samples have 16 bits here: 257 is one step of 8 bits.
 */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { magick } from '../../support/formats/images.ts'
import { outputOf } from '../../support/program.ts'
import { seeded, testSeed } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { BATCH, type Source, some, sources } from '../../support/twins/picture-kinds.ts'
import { runTool } from '../../support/workers/engine.ts'

const seed = testSeed
process.stderr.write(`replay with TEST_SEED=${seed}\n`)
const folder = sharedFolder('picture-twins')
const STEP = 257

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
 * Colours of two fully transparent pixels are ignored, as is an alpha of less than one step.
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

/** Tolerances of a conversion in steps of 8 bits: the maximum, and the mean. */
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
    const list = sources(random, join(folder, `a${batch}`))
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
    const list = sources(random, join(folder, `b${batch}`)).filter(({ cmyk }) => !cmyk)
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
    const below = ['+repage', '-gravity', 'South', '-crop', '100%x30%+0+0']
    const plain = shown(rest.map(({ path }) => ({ path: `${path}[0]`, options: below })))
    const kept = shown(marked.map(({ path }) => ({ path: `${path}[0]`, options: below })))
    for (const [i, source] of rest.entries())
      check('image-watermark', [source], plain[i], kept[i], source.lossy ? { max: 256, mean: 12 } : { max: 2, mean: 1 })
    expect({ seed, faults }).toEqual({ seed, faults: [] })
  }
})

type Played = { frame: Pixels; until: number }

/** A WebP omits a frame that equals the previous one, which is shown longer instead. */
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

test('a WebP made from a GIF has all frames as ImageMagick shows them', async () => {
  const random = seeded(seed + 2)
  let compared = 0
  for (let batch = 0; compared < rounds(6, 960); batch++) {
    const faults: unknown[] = []
    const list = sources(random, join(folder, `c${batch}`), 2).slice(0, 6)
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
          // a still picture has no durations
          return difference(frame, other.frame).max === 0 && (a.length === 1 || until === other.until)
        })
      if (warnings.length > 0 || !isSame) faults.push({ batch, made: source.made, before, after, warnings })
      compared++
    }
    expect({ seed, faults }).toEqual({ seed, faults: [] })
  }
})
