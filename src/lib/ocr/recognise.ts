/** Recognises text in images of pages with Tesseract's LSTM engine (WebAssembly); models come from npm packages. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import type { GreyImage } from './grey-image.ts'

const require = createRequire(import.meta.url)

export const LANGUAGES = ['eng', 'ara', 'eng+ara'] as const
export type Language = (typeof LANGUAGES)[number]

/** In pixels, from the top left corner. */
export type Box = { left: number; top: number; width: number; height: number }
/** @property confidence 0 to 100 */
export type Word = Box & { text: string; confidence: number }
/** @property paragraph the same for lines of one paragraph */
export type Line = Box & { words: Word[]; paragraph: string }

type Api = {
  Init(path: string, languages: string, engine: number): number
  SetVariable(name: string, value: string): boolean
  SetPageSegMode(mode: number): void
  /** Reads the image at `/input`. @returns 1 when it cannot be read */
  SetImageFile(orientation: number, angle: number): number
  Recognize(monitor: null): number
  GetTSVText(page: number): string
  Clear(): void
  End(): void
}
type Core = { FS: { writeFile(path: string, bytes: Uint8Array): void }; TessBaseAPI: new () => Api }

/** Constants of tesseract/publictypes.h. */
const LSTM_ONLY = 1
/** `page` finds columns, paragraphs and pictures; `block` reads everything as lines below each other. */
const LAYOUTS = { page: 3, block: 6 } as const
const INPUT = '/input'

/**
 * Tesseract initially estimates the height of a line as a multiple of the typical height of a connected shape. With
 * 1.25, its default, Arabic lines with many dots and short letters fall apart into two halves, and one of them is lost
 * (10.7 % wrong characters on a page that has 1.1 % with 2.5).
 */
const LINE_HEIGHT: Record<Language, string> = { eng: '1.25', ara: '2.5', 'eng+ara': '2.5' }
/** The Arabic model contains these settings, but Tesseract ignores the settings of a second language. */
const KEEP_ROWS = { textord_noise_rowratio: '20', textord_noise_syfract: '0.6' }

let core: Promise<Core> | undefined
let current: { language: Language; api: Api } | undefined
const loadedModels = new Set<string>()

async function loadCore(): Promise<Core> {
  const create = require('tesseract.js-core/tesseract-core-simd-lstm') as (options: object) => Promise<Core>
  return create({ print: () => undefined, printErr: () => undefined })
}

/** The integer version of the best models: nearly the same accuracy at twice the speed. */
async function modelOf(language: string): Promise<Uint8Array> {
  return gunzipSync(
    await readFile(require.resolve(`@tesseract.js-data/${language}/4.0.0_best_int/${language}.traineddata.gz`)),
  )
}

async function apiFor(language: Language): Promise<{ core: Core; api: Api }> {
  core ??= loadCore()
  const loaded = await core
  if (current?.language === language) return { core: loaded, api: current.api }
  current?.api.End()
  current = undefined
  for (const one of language.split('+')) {
    if (loadedModels.has(one)) continue
    loaded.FS.writeFile(`/${one}.traineddata`, await modelOf(one))
    loadedModels.add(one)
  }
  const api = new loaded.TessBaseAPI()
  if (api.Init('/', language, LSTM_ONLY) !== 0) throw new Error(`Tesseract does not start for ${language}`)
  // only suppresses a warning; Tesseract measures the size of letters itself
  const settings = { user_defined_dpi: '300', textord_min_linesize: LINE_HEIGHT[language] }
  for (const [name, value] of Object.entries({ ...settings, ...(language === 'eng' ? {} : KEEP_ROWS) }))
    if (!api.SetVariable(name, value)) throw new Error(`Tesseract has no setting ${name}`)
  current = { language, api }
  return { core: loaded, api }
}

/** Returns lines in reading order, and characters in logical order. */
export async function recognise(
  { data, width, height }: GreyImage,
  language: Language,
  layout: keyof typeof LAYOUTS = 'page',
): Promise<Line[]> {
  const { core, api } = await apiFor(language)
  api.SetPageSegMode(LAYOUTS[layout])
  core.FS.writeFile(INPUT, Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]))
  if (api.SetImageFile(1, 0) === 1) throw new Error('Tesseract cannot read the image')
  api.Recognize(null)
  const lines = linesOf(api.GetTSVText(0))
  api.Clear()
  return lines
}

/** Direction marks, which Tesseract inserts between runs of different directions. */
const DIRECTION_SIGNS = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g
const LINE_LEVEL = 4
const WORD_LEVEL = 5

/** Columns of Tesseract's TSV: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
function linesOf(tsv: string): Line[] {
  const lines: Line[] = []
  for (const row of tsv.split('\n')) {
    const cells = row.split('\t')
    const [level, , block, paragraph, , , left = 0, top = 0, width = 0, height = 0, confidence = 0] = cells.map(Number)
    const box = { left, top, width, height }
    if (level === LINE_LEVEL) lines.push({ ...box, words: [], paragraph: `${block}.${paragraph}` })
    if (level !== WORD_LEVEL) continue
    const text = cells.slice(11).join('\t').replace(DIRECTION_SIGNS, '').trim()
    if (text !== '') lines.at(-1)?.words.push({ ...box, text, confidence })
  }
  return lines.filter(({ words }) => words.length > 0)
}
