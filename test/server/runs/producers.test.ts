/**
 * Files as other programs write them (test/fixtures/producers): every tool of a group runs on all of its files, and its
 * result is compared with an independent program. docs/producers.md has the outcomes.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../src/errors.ts'
import { difference, identify, rgba } from '../../support/formats/images.ts'
import { ROOT } from '../../support/processes.ts'
import { filesOf, GROUPS, type Group, inputOf, SLOW, type Source, toolsOf } from '../../support/producers.ts'
import { outputOf } from '../../support/program.ts'
import { isLong } from '../../support/rounds.ts'
import { type Ran, runTool } from '../../support/workers/engine.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-producers-'))
afterAll(() => rmSync(home, { recursive: true }))
const DOCUMENTATION = join(ROOT, 'docs/producers.md')
/** Expected refusals, by tool and file: the rule that the answer names. */
const REFUSALS: [tool: RegExp, file: RegExp, rule: string][] = [
  [/extract-exif/, /\.(png|webp|bmp|tif|gif)$/, 'jpeg'],
  [/workspace-export/, /\.(gpkg|fgb|zip|csv|kml|gml)$/, 'format'],
  // points
  [/zonal-stats|vector\.union/, /^pandas\.csv$/, 'polygons'],
]

/** Words of a document, as Poppler reads them, in any order. */
const wordsOf = (path: string, ...options: string[]): string[] =>
  outputOf('pdftotext', ['-q', ...options, path, '-'])
    .toString()
    .split(/\s+/)
    .filter((word) => word !== '')
    .sort()
const pagesOf = (path: string): number => Number(outputOf('qpdf', ['--show-npages', path]).toString())
const drawn = (path: string): { data: Buffer } => ({
  data: outputOf('pdftoppm', ['-q', '-r', '36', '-f', '1', '-l', '1', '-gray', path]).subarray(-10_000),
})
const same = (path: string, source: Source): void => expect(wordsOf(path)).toEqual(wordsOf(source.path))

/** Compares a result with another program's. */
const COMPARED: Record<string, (ran: Ran, source: Source) => void> = {
  'document.merge-pdf'({ path }, source) {
    expect(pagesOf(path)).toBe(2 * pagesOf(source.path))
    expect(wordsOf(path)).toEqual([...wordsOf(source.path), ...wordsOf(source.path)].sort())
  },
  'document.split-pdf'({ path }, source) {
    expect(pagesOf(path)).toBe(1)
    expect(wordsOf(path)).toEqual(wordsOf(source.path, '-l', '1'))
    expect(difference(drawn(path), drawn(source.path)).mean).toBeLessThan(1)
  },
  'document.rotate-pages': ({ path }, source) => same(path, source),
  'document.document-sign': ({ path }, source) => same(path, source),
  'document.compress-pdf'({ path }, source) {
    same(path, source)
    expect(difference(drawn(path), drawn(source.path)).mean).toBeLessThan(8)
  },
  'document.pdf-watermark'({ path }, source) {
    const added = Array.from({ length: pagesOf(source.path) }, () => 'Draft')
    expect(wordsOf(path, '-raw')).toEqual([...wordsOf(source.path, '-raw'), ...added].sort())
  },
  'document.pdf-to-images'({ path }, source) {
    // a picture of one pixel per point, which Poppler draws between the pixels
    if (source.name === 'gdal.pdf') return
    const ours = join(home, 'page.png')
    const names = outputOf('unzip', ['-Z1', path]).toString().split('\n')
    writeFileSync(ours, outputOf('unzip', ['-p', path, names[0] as string]))
    outputOf('pdftoppm', [
      '-q',
      '-r',
      '72',
      '-f',
      '1',
      '-l',
      '1',
      '-png',
      '-singlefile',
      source.path,
      join(home, 'poppler'),
    ])
    // PDFium and Poppler smooth the edges of letters differently, and round the size of a page differently
    const [mine, other] = [ours, join(home, 'poppler.png')].map((file) =>
      rgba(file, '-resize', '100x140!', '-blur', '0x2'),
    )
    expect(difference(mine as { data: Buffer }, other as { data: Buffer }).mean).toBeLessThan(4)
  },
  'document.pdf-to-word'({ path }, source) {
    const xml = outputOf('unzip', ['-p', path, 'word/document.xml']).toString()
    const text = xml.replaceAll(/<\/w:p>|<w:br\/>|<w:tab\/>/g, ' ').replaceAll(/<[^>]*>/g, '')
    const found = new Set(text.split(/\s+/))
    const words = wordsOf(source.path).filter((word) => /^[A-Za-z]{4,}$/.test(word))
    expect(words.filter((word) => !found.has(word))).toEqual([])
  },
  'image.convert-format'({ path }, source) {
    // without a profile, programs convert inks differently
    if (identify(`${source.path}[0]`, '%[colorspace]') === 'CMYK') return
    expect(difference(rgba(source.path), rgba(path)).max).toBeLessThanOrEqual(3)
  },
  'image.image-watermark'({ path }, source) {
    expect(identify(path, '%w %h')).toBe(identify(`${source.path}[0]`, '%w %h'))
  },
  'image.merge-images'({ path }, source) {
    const [width = 0, height = 0] = identify(`${source.path}[0]`, '%w %h').split(' ').map(Number)
    expect(identify(path, '%w %h')).toBe(`${2 * width} ${height}`)
  },
  'document.ocr'({ data }, { name, path }) {
    const found = new Set(String(data.text).split(/\s+/))
    const words = name.endsWith('.pdf')
      ? wordsOf(path).filter((word) => /^[a-z]{4,}$/.test(word))
      : ['Inkscape', 'text']
    expect(words.filter((word) => found.has(word)).length).toBeGreaterThan(0.9 * words.length)
  },
  'image.remove-background'({ path }, source) {
    // no pixel becomes more opaque
    const [before, after] = [rgba(source.path), rgba(path)]
    expect(before.data.filter((sample, at) => at % 4 === 3 && sample < (after.data[at] as number)).length).toBe(0)
    expect(identify(path, '%w %h')).toBe(identify(source.path, '%w %h'))
  },
  'document.images-to-pdf': ({ path }) => expect(pagesOf(path)).toBe(2),
  'convert.extract-exif'({ data }, { name }) {
    // the metadata that exiftool wrote
    if (name === 'exiftool.jpg')
      expect((data.images as object[])[0]).toMatchObject({
        latitude: expect.closeTo(-33.8568, 7),
        longitude: expect.closeTo(151.2153, 7),
        altitude: 12,
        timestamp: '2024-05-06T07:08:09',
        camera: 'Canon EOS R5',
      })
  },
  'convert.validate-convert'(ran, source) {
    const found = ran.geojson().features
    const wanted = asGeoJson(source)
    expect(found.map(({ properties }) => withoutCase(properties))).toEqual(
      wanted.map(({ properties }) => withoutCase(properties)),
    )
    expect(positionsOf(found)).toEqual(positionsOf(wanted))
  },
  'raster.raster-inspect'({ data }, { path }) {
    const { bands, size } = JSON.parse(
      outputOf('gdalinfo', ['-json', '-stats', '--config', 'GDAL_PAM_ENABLED', 'NO', path]).toString(),
    )
    expect([data.width, data.height]).toEqual(size)
    for (const [i, band] of (data.bands as { min: number; max: number; mean: number }[]).entries()) {
      const { minimum, maximum, mean } = bands[i] as { minimum: number; maximum: number; mean: number }
      expect([band.min, band.max]).toEqual([minimum, maximum])
      expect(band.mean).toBeCloseTo(mean, 2)
    }
  },
  'raster.cog-optimize'({ path }, source) {
    const sums = (of: string) =>
      [
        ...outputOf('gdalinfo', ['-checksum', of])
          .toString()
          .matchAll(/Checksum=(\d+)/g),
      ].map(([, sum]) => sum)
    expect(sums(path)).toEqual(sums(source.path))
  },
}

type Feature = { properties: Record<string, unknown>; geometry: { coordinates: unknown } | null }
function asGeoJson({ path, name }: Source): Feature[] {
  const input = name.endsWith('.zip') ? `/vsizip/${path}` : path
  const options = name.endsWith('.csv')
    ? [
        '-oo',
        'AUTODETECT_TYPE=YES',
        '-oo',
        'X_POSSIBLE_NAMES=lon',
        '-oo',
        'Y_POSSIBLE_NAMES=lat',
        '-oo',
        'KEEP_GEOM_COLUMNS=NO',
        '-a_srs',
        'EPSG:4326',
      ]
    : []
  if (name.endsWith('.gml')) options.push('-oo', 'WRITE_GFS=NO')
  const transform = name.endsWith('.csv') ? [] : ['-t_srs', 'EPSG:4326']
  return JSON.parse(
    outputOf('ogr2ogr', [
      '-q',
      '-f',
      'GeoJSON',
      '/vsistdout/',
      input,
      ...transform,
      ...options,
      '-lco',
      'COORDINATE_PRECISION=9',
    ]).toString(),
  ).features
}
/** KML's own fields differ between readers, and an empty cell of a CSV is a missing value here (docs/formats.md). */
const withoutCase = (properties: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(
        ([name, value]) => value !== null && value !== '' && ['name', 'count', 'share'].includes(name.toLowerCase()),
      )
      .map(([name, value]) => [
        name.toLowerCase(),
        typeof value === 'string' && value !== '' && Number.isFinite(Number(value)) ? Number(value) : value,
      ]),
  )
/** Positions in any order: our files have rings counterclockwise, as RFC 7946 requires; GDAL keeps their direction. */
const positionsOf = (features: readonly { geometry: { coordinates?: unknown } | null }[]): string[][] =>
  features.map(({ geometry }) =>
    [geometry?.coordinates]
      .flat(4)
      .map((value) => Number(value).toFixed(6))
      .sort(),
  )

/** Durations of successful runs. */
const times = new Map<string, [ms: number, file: string][]>()
/** The slowest file of each tool, beside the median of all: ordinary files of any program cost about the same. */
function slowest(): string {
  return [...times]
    .map(([id, runs]) => {
      const sorted = runs.toSorted(([a], [b]) => a - b)
      const [median, most] = [sorted[sorted.length >> 1], sorted.at(-1)] as [[number, string], [number, string]]
      return `${id}: median ${Math.round(median[0])} ms, most ${Math.round(most[0])} ms (${most[1]})`
    })
    .join('\n')
}

type Outcome = 'yes' | 'warns' | 'refused'
const outcomes = new Map<string, Map<string, Set<Outcome>>>()
function note(group: Group, file: string, tool: string, outcome: Outcome): void {
  const row = `${group}: ${/^[a-z0-9]+/.exec(file)?.[0]}`
  const cells = outcomes.get(row) ?? new Map<string, Set<Outcome>>()
  outcomes.set(row, cells)
  cells.set(tool, (cells.get(tool) ?? new Set<Outcome>()).add(outcome))
}

describe.each(GROUPS)('%s', (group) => {
  const files = filesOf(group)
  const cases = toolsOf(group).flatMap((tool) =>
    files
      .filter(({ name }) => SLOW[tool.id]?.test(name) ?? true)
      .map((file) => [tool.id, file.name, tool, file] as const),
  )
  test.each(cases)('%s of %s', async (id, name, tool, file) => {
    const refusal = REFUSALS.find(([tools, names]) => tools.test(id) && names.test(name))
    let ran: Ran
    const startedMs = performance.now()
    try {
      ran = await runTool(id, inputOf(tool, group, file))
      times.set(id, [...(times.get(id) ?? []), [performance.now() - startedMs, name]])
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // a failure of the server has no rule, and does not count as a refusal
      expect({ message: error.message, rule: error.errors?.[0]?.rule ?? error.code }).toEqual({
        message: error.message,
        rule: refusal?.[2] ?? 'no refusal',
      })
      note(group, name, id, 'refused')
      return
    }
    expect(refusal).toBeUndefined()
    COMPARED[id]?.(ran, file)
    note(group, name, id, ran.warnings.length > 0 ? 'warns' : 'yes')
  })
})

/** A row for each program, a column for each tool. */
function tableOf(group: Group): string {
  const columns = toolsOf(group).map(({ id }) => id)
  const cell = (cells: Map<string, Set<Outcome>>, id: string): string =>
    [...(cells.get(id) ?? (id in SLOW ? ['-'] : []))].sort().join(', ')
  const rows = [...outcomes]
    .filter(([row]) => row.startsWith(`${group}:`))
    .map(([row, cells]) => [row.slice(group.length + 2), ...columns.map((id) => cell(cells, id))])
  const head = ['Program', ...columns.map((id) => id.replace(/^.*\./, ''))]
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `## ${group}\n\n${lines.join('\n')}\n`
}

const documented = readFileSync(DOCUMENTATION, 'utf8')
afterAll(() => {
  const tables = GROUPS.map(tableOf)
  if (isLong || process.env.PRODUCERS === 'print') process.stdout.write(`${tables.join('\n')}\n${slowest()}\n`)
  // only a part of the tests was run
  if (tables.some((table) => table.includes('|  |'))) return
  for (const table of tables)
    if (!documented.includes(table)) throw new Error(`docs/producers.md differs from:\n${table}`)
})
