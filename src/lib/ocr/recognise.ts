/** Recognises text in images of pages with Tesseract's LSTM engine (WebAssembly); models come from npm packages. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'

const require = createRequire(import.meta.url)

export const LANGUAGES = ['eng', 'ara', 'eng+ara'] as const
export type Language = (typeof LANGUAGES)[number]

/** One byte per pixel, 0 is black. */
export type GreyImage = { data: Uint8Array; width: number; height: number }

type Api = {
  Init(path: string, languages: string, engine: number): number
  SetVariable(name: string, value: string): boolean
  SetPageSegMode(mode: number): void
  /** Reads the image at `/input`. @returns 1 when it cannot be read */
  SetImageFile(orientation: number, angle: number): number
  Recognize(monitor: null): number
  GetUTF8Text(): string
  Clear(): void
  End(): void
}
type Core = { FS: { writeFile(path: string, bytes: Uint8Array): void }; TessBaseAPI: new () => Api }

/** Constants of tesseract/publictypes.h. */
const LSTM_ONLY = 1
const AUTOMATIC_LAYOUT = 3
const INPUT = '/input'

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
  api.SetPageSegMode(AUTOMATIC_LAYOUT)
  // only prevents a warning; Tesseract measures the size of letters itself
  api.SetVariable('user_defined_dpi', '300')
  current = { language, api }
  return { core: loaded, api }
}

/** Direction marks, which Tesseract inserts between runs of different directions. */
const DIRECTION_SIGNS = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** Returns lines in reading order, and characters in logical order. */
export async function recognise({ data, width, height }: GreyImage, language: Language): Promise<string> {
  const { core, api } = await apiFor(language)
  core.FS.writeFile(INPUT, Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]))
  if (api.SetImageFile(1, 0) === 1) throw new Error('Tesseract cannot read the image')
  api.Recognize(null)
  const text = api.GetUTF8Text()
  api.Clear()
  return text.replace(DIRECTION_SIGNS, '').trim()
}
