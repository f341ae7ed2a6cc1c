/** Generated documents: Poppler and qpdf find the same content in the results of tools as in the input files. */
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { freshPath } from '../../support/formats/pdfs.ts'
import { wordsOfDocx } from '../../support/formats/word-texts.ts'
import { outputOf } from '../../support/program.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { type AnyPdf, anyPdf, HIDDEN } from '../../support/twins/any-pdf.ts'
import { runTool } from '../../support/workers/engine.ts'

const seed = testSeed
process.stderr.write(`replay with TEST_SEED=${seed}\n`)

const DPI = 36
const SIGNATURE = {
  name: 'signature.png',
  content: readFileSync(join(import.meta.dir, '../../fixtures/field-cases/20-signature.png')),
}

type Picture = { width: number; height: number; data: Buffer }
type Page = { text: string; box: string; links: unknown[]; label: unknown; picture: Picture }
type Seen = {
  pages: Page[]
  outline: [string, number | null][]
  values: unknown[]
  /** Names of form fields. */
  fields: string[]
  attachments: number
}

type Values = Record<string, unknown>
type Described = {
  qpdf: [object, Record<string, { value?: Values; stream?: { dict: Values } }>]
  pages: { object: string; label: unknown }[]
  outlines: { title: string; destpageposfrom1: number | null }[]
  acroform: {
    fields: { fullname: string; value: unknown; pageposfrom1: number; annotation: { appearancestate: string } }[]
  }
  attachments: object
}

/**
 * The findings of the programs in files, in one run of a shell.
 * @param units of the pages of each
 */
function seenIn(files: { path: string; units: readonly number[] }[]): Seen[] {
  const folder = freshPath('seen')
  mkdirSync(folder)
  const at = (i: number, suffix: string): string => join(folder, `${i}.${suffix}`)
  const keys = ['qpdf', 'pages', 'outlines', 'acroform', 'attachments'].map((key) => `--json-key=${key}`).join(' ')
  const commands = files.flatMap(({ path, units }, i) => [
    `pdftotext ${path} ${at(i, 'txt')}`,
    `pdfinfo -box -f 1 -l 999 ${path} > ${at(i, 'info')}`,
    `qpdf --json ${keys} ${path} > ${at(i, 'json')}`,
    // Poppler takes every unit for a point
    ...(units.every((unit) => unit === 1)
      ? [`pdftoppm -cropbox -r ${DPI} ${path} > ${at(i, 'ppm')}`]
      : units.map(
          (unit, page) => `pdftoppm -cropbox -r ${DPI * unit} -f ${page + 1} -l ${page + 1} ${path} >> ${at(i, 'ppm')}`,
        )),
  ])
  outputOf('sh', ['-c', ['set -e', ...commands].join('\n')])
  return files.map((_, i) => {
    const texts = readFileSync(at(i, 'txt'), 'utf8').split('\f')
    const boxes = readFileSync(at(i, 'info'), 'utf8')
      .split('\n')
      .filter((line) => /^Page +\d+ (size|rot|\w+Box)/.test(line))
    const found = JSON.parse(readFileSync(at(i, 'json'), 'utf8')) as Described
    const pictures = picturesIn(readFileSync(at(i, 'ppm')))
    const links = linksIn(found)
    return {
      pages: found.pages.map(({ label }, page) => ({
        text: texts[page] as string,
        label,
        links: links[page] as unknown[],
        picture: pictures[page] as Picture,
        box: boxes
          .filter((line) => Number(line.split(/ +/)[1]) === page + 1)
          .map((line) => line.replace(/^Page +\d+ +/, '').replace(/ +/g, ' '))
          .join(),
      })),
      outline: found.outlines.map(({ title, destpageposfrom1 }) => [title, destpageposfrom1]),
      values: found.acroform.fields
        .map(({ value, pageposfrom1, annotation }) => [pageposfrom1, value, annotation.appearancestate])
        .sort(),
      fields: [...new Set(found.acroform.fields.map(({ fullname }) => fullname))],
      attachments: Object.keys(found.attachments).length,
    }
  })
}

function picturesIn(bytes: Buffer): Picture[] {
  const pictures: Picture[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const [head = '', width, height] =
      /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString('latin1', offset, offset + 50)) ?? []
    const start = offset + head.length
    offset = start + 3 * Number(width) * Number(height)
    pictures.push({ width: Number(width), height: Number(height), data: bytes.subarray(start, offset) })
  }
  return pictures
}

/** For each page, the pages or addresses that its links lead to. */
function linksIn({ qpdf: [, objects], pages }: Described): unknown[][] {
  const at = <T = Values>(value: unknown): T => {
    const found = typeof value === 'string' && /^\d+ 0 R$/.test(value) ? objects[`obj:${value}`] : undefined
    return (found === undefined ? value : (found.value ?? found.stream?.dict)) as T
  }
  const names = new Map<unknown, unknown>()
  for (const { value } of Object.values(objects))
    for (const tree of [value, at(at(value?.['/Names'] ?? null)?.['/Dests'] ?? null)]) {
      const list = at<unknown>(tree?.['/Names'])
      if (Array.isArray(list)) for (let i = 0; i + 1 < list.length; i += 2) names.set(at(list[i]), list[i + 1])
    }
  return pages.map(({ object }) =>
    (at<unknown[]>(at(object)['/Annots'] ?? []) as unknown[])
      .map((one) => at(one))
      .filter((link) => link['/Subtype'] === '/Link')
      .map((link) => {
        const action = at(link['/A'] ?? {})
        const given = at<unknown>(link['/Dest'] ?? action['/D'])
        const target = at<unknown>(names.get(given) ?? given)
        return Array.isArray(target) ? pages.findIndex((page) => page.object === target[0]) : at(action['/URI'])
      }),
  )
}

/**
 * The difference of two pictures, compared by squares of several pixels, so that edges and shapes of letters count
 * little.
 */
function difference(one: Picture, other: Picture, side: number): number {
  if (Math.abs(one.width - other.width) > 1 || Math.abs(one.height - other.height) > 1) return 255
  let most = 0
  const [width, height] = [Math.min(one.width, other.width), Math.min(one.height, other.height)]
  for (let top = 0; top + side <= height; top += side)
    for (let left = 0; left + side <= width; left += side)
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0
        for (let y = top; y < top + side; y++)
          for (let x = left; x < left + side; x++)
            sum +=
              (one.data[3 * (y * one.width + x) + channel] as number) -
              (other.data[3 * (y * other.width + x) + channel] as number)
        most = Math.max(most, Math.abs(sum) / side ** 2)
      }
  return most
}

function expectSame(after: readonly Page[], before: readonly Page[], most = 0): void {
  const differences = after.map(({ picture }, i) => difference(picture, before[i]?.picture as Picture, 6))
  expect(Math.max(...differences)).toBeLessThanOrEqual(most)
}

async function turned({ data, width, height }: Picture, degrees: number): Promise<Picture> {
  const { data: bytes, info } = await sharp(data, { raw: { width, height, channels: 3 } })
    .rotate(degrees)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data: bytes, width: info.width, height: info.height }
}

const unpacked = (zip: string): string[] => {
  const folder = freshPath('unpacked')
  outputOf('unzip', ['-q', zip, '-d', folder])
  return readdirSync(folder)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => join(folder, name))
}

const places = (pages: readonly Page[]) => pages.map(({ text, box }) => ({ text, box }))
const shifted = (links: readonly unknown[], by: number) =>
  links.map((link) => (typeof link === 'number' ? link + by : link))
/** Words that the generator writes outside of forms. */
const own = (words: readonly string[]): string[] =>
  words.filter((word) => /^([ab]\d[a-z]+|shown|secret)$/.test(word)).sort()

/** A random call of a tool for a file, and how its result differs from the expected one. */
const TOOLS: Record<string, (file: AnyPdf, before: Seen, random: Random) => Promise<void>> = {
  async 'split-pdf'(file, before, random) {
    const from = whole(random, file.units.length)
    const { path } = await runTool('document.split-pdf', { file, ranges: `${from + 1}-` })
    const [after] = seenIn([{ path, units: file.units.slice(from) }]) as [Seen]
    const kept = before.pages.slice(from)
    expect(places(after.pages)).toEqual(places(kept))
    expectSame(after.pages, kept)
    expect(after.attachments).toBe(0)
    const links = kept.map((page) => shifted(page.links, -from).filter((link) => typeof link !== 'number' || link >= 0))
    expect(after.pages.map((page) => page.links.filter((link) => link !== -1))).toEqual(links)
  },
  async 'rotate-pages'(file, before, random) {
    const [page, degrees] = [whole(random, file.units.length), 90 * (1 + whole(random, 3))]
    const { path } = await runTool('document.rotate-pages', { file, operations: { rotations: { [page]: degrees } } })
    const [after] = seenIn([{ path, units: file.units }]) as [Seen]
    for (const [i, { picture, links }] of before.pages.entries()) {
      const expected = i === page ? await turned(picture, degrees) : picture
      expect(difference(after.pages[i]?.picture as Picture, expected, 8)).toBeLessThan(i === page ? 70 : 0.01)
      expect(after.pages[i]?.links).toEqual(links)
    }
    const { outline, values } = before
    expect(after).toMatchObject({ outline, values, attachments: 0 })
  },
  async 'pdf-watermark'(file, before) {
    const { path } = await runTool('document.pdf-watermark', {
      file,
      wm_mode: 'text',
      text: 'MARK',
      position: 'top-right',
      opacity: 1,
    })
    const [after] = seenIn([{ path, units: file.units }]) as [Seen]
    const { outline, values } = before
    expect(after).toMatchObject({ outline, values, attachments: 0 })
    for (const [i, { picture, box, links }] of before.pages.entries()) {
      const page = after.pages[i] as Page
      expect({ box: page.box, links: page.links }).toEqual({ box, links })
      const changed = changedPart(picture, page.picture)
      expect(changed.count).toBeGreaterThan(0)
      expect(changed).toSatisfy(({ left, right, top, bottom }) => left > 0.6 && right <= 1 && top >= 0 && bottom < 0.2)
    }
  },
  async 'compress-pdf'(file, before) {
    const { path } = await runTool('document.compress-pdf', { file, quality: 'print' })
    const [after] = seenIn([{ path, units: file.units }]) as [Seen]
    expect(places(after.pages)).toEqual(places(before.pages))
    const { outline, values } = before
    expect(after).toMatchObject({ outline, values, attachments: 0 })
    for (const [i, { picture, links }] of before.pages.entries()) {
      expect(difference(after.pages[i]?.picture as Picture, picture, 6)).toBeLessThan(8)
      expect(after.pages[i]?.links).toEqual(links)
    }
  },
  async 'document-sign'(file, before, random) {
    const page = whole(random, file.units.length)
    const placements = [{ page, x: 0.7, y: 0.1, w: 0.2, h: 0.2 }]
    const { path } = await runTool('document.document-sign', { file, signature: SIGNATURE, placements })
    const [after] = seenIn([{ path, units: file.units }]) as [Seen]
    const { outline, values } = before
    expect(after).toMatchObject({ outline, values, attachments: 0 })
    for (const [i, { picture, box, links }] of before.pages.entries()) {
      const signed = after.pages[i] as Page
      expect({ box: signed.box, links: signed.links }).toEqual({ box, links })
      const { left, right, top, bottom, count } = changedPart(picture, signed.picture)
      if (i === page) expect([left > 0.68, right < 0.92, top > 0.08, bottom < 0.32, count > 0]).not.toContain(false)
      else expect(count).toBe(0)
    }
  },
  async 'fill-pdf'(file, before) {
    if (before.fields.length === 0) return
    const filled = { text: 'filled', check: false, radio: 'b' } as const
    const values = Object.fromEntries(
      before.fields.map((name) => [name, filled[name.replace(/\d+$/, '') as keyof typeof filled]]),
    )
    const [open, flat] = await Promise.all(
      ['false', 'true'].map((flatten) => runTool('document.fill-pdf', { file, values, flatten })),
    )
    const [after, flattened] = seenIn(
      [open, flat].map((ran) => ({ path: ran?.path as string, units: file.units })),
    ) as [Seen, Seen]
    const state = { filled: 'u:filled', false: '/Off', b: '/b' } as const
    const stated = new Set(after.values.map((value) => (value as unknown[])[1]))
    expect(stated).toEqual(new Set(Object.values(values).map((value) => state[String(value) as keyof typeof state])))
    expect([flattened.values, flattened.outline, after.outline]).toEqual([[], before.outline, before.outline])
    for (const [i, { picture, links }] of flattened.pages.entries()) {
      expect(links).toEqual(before.pages[i]?.links as unknown[])
      expect(difference(picture, after.pages[i]?.picture as Picture, 6)).toBeLessThan(8)
    }
    const texts = flattened.pages.flatMap(({ text }) => text.match(/filled/g) ?? [])
    expect(texts).toHaveLength(before.fields.filter((name) => name.startsWith('text')).length)
  },
  async 'pdf-to-images'(file, before) {
    const { path } = await runTool('document.pdf-to-images', { file, dpi: '72' })
    const images = unpacked(path)
    expect(images).toHaveLength(before.pages.length)
    for (const [i, { picture }] of before.pages.entries()) {
      const { data, info } = await sharp(images[i])
        .resize(picture.width, picture.height, { fit: 'fill' })
        .raw()
        .toBuffer({ resolveWithObject: true })
      const { width = 0, height = 0 } = await sharp(images[i]).metadata()
      expect([width / 2 - picture.width, height / 2 - picture.height].map(Math.abs)).toSatisfy((off) =>
        off.every((one) => one <= 1),
      )
      expect(difference({ data, width: info.width, height: info.height }, picture, 6)).toBeLessThan(70)
    }
  },
  async 'pdf-to-word'(file, before) {
    const { path } = await runTool('document.pdf-to-word', { file })
    const words = own(before.pages.flatMap(({ text }) => text.split(/\s+/)))
    const found = own(wordsOfDocx(path))
    // words beside drawings become parts of their pictures
    if (outputOf('unzip', ['-l', path]).includes('word/media/')) expect(words).toEqual(expect.arrayContaining(found))
    else expect(found).toEqual(words)
  },
}

/** Where pictures differ, as shares of their sides. */
function changedPart(before: Picture, after: Picture) {
  const part = { left: 1, right: 0, top: 1, bottom: 0, count: 0 }
  for (let at = 0; at < before.data.length; at++) {
    if (Math.abs((before.data[at] as number) - (after.data[at] as number)) <= 2) continue
    const pixel = Math.floor(at / 3)
    const [x, y] = [(pixel % before.width) / before.width, Math.floor(pixel / before.width) / before.height]
    part.count++
    part.left = Math.min(part.left, x)
    part.right = Math.max(part.right, x)
    part.top = Math.min(part.top, y)
    part.bottom = Math.max(part.bottom, y)
  }
  return part
}

async function mergedRight(files: AnyPdf[], before: Seen[]): Promise<void> {
  const { path } = await runTool('document.merge-pdf', { files })
  const [after] = seenIn([{ path, units: files.flatMap(({ units }) => units) }]) as [Seen]
  const pages = before.flatMap((one, i) => {
    const first = before.slice(0, i).reduce((sum, { pages }) => sum + pages.length, 0)
    return one.pages.map((page) => ({ ...page, links: shifted(page.links, first) }))
  })
  expect(places(after.pages)).toEqual(places(pages))
  expect(after.pages.map(({ links }) => links)).toEqual(pages.map(({ links }) => links))
  // a form that leaves the drawing of its fields to viewers is drawn with other fonts
  expectSame(after.pages, pages, files.some(({ features }) => features.includes('NeedAppearances')) ? 40 : 0)
  expect(after.pages.map(({ label }, i) => (pages[i]?.label ? label : null))).toEqual(pages.map(({ label }) => label))
  const [one, other] = before as [Seen, Seen]
  const behind = one.pages.length
  expect(after.outline).toEqual([
    ...one.outline,
    ...other.outline.map(([title, page]): [string, number | null] => [title, page === null ? null : page + behind]),
  ])
  expect(after.values).toEqual(
    [
      ...one.values,
      ...(other.values as [number, ...unknown[]][]).map(([page, ...rest]) => [page + behind, ...rest]),
    ].sort(),
  )
  expect(after.attachments).toBe(0)
}

/** @returns the differences */
async function compared(round: number): Promise<string[]> {
  const random = seeded(seed + round)
  const files = ['a', 'b'].map((name) => anyPdf(random, name))
  const before = seenIn(files)
  for (const { pages } of before) expect(pages.map(({ text }) => text).join()).not.toContain(HIDDEN)
  const [file, seen] = [files[0] as AnyPdf, before[0] as Seen]
  const calls = Object.entries(TOOLS).map(([id, call]) => [id, () => call(file, seen, random)] as const)
  const failures: string[] = []
  for (const [id, call] of [['merge-pdf', () => mergedRight(files, before)] as const, ...calls])
    try {
      await call()
    } catch (error) {
      const features = files.map(({ name, features }) => `${name}: ${features.join(', ')}`)
      failures.push([`${id} with TEST_SEED=${seed + round}`, ...features, String(error)].join('\n'))
    }
  return failures
}

test('tools keep the content of documents with many features', async () => {
  for (let round = 0; round < rounds(2, 200); round++) expect((await compared(round)).join('\n\n')).toBe('')
})
