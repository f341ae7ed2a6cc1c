/**
 * What a tool is: a value in a file of its own, `tools/<group>/<name>.ts`, whose id is `<group>.<name>`. Its route,
 * the check of its input, its description for people and machines, its price and its limits all come from it.
 */
import type { Static, TObject } from '@sinclair/typebox'
import type { LayerFile } from './cached-layers.ts'

/** A text in both languages of the service. */
export type Text = { en: string; ar: string }

/** A file that came with a call; `path` lies in the run's scratch folder. */
export type InputFile = {
  path: string
  filename: string
  bytes: number
  /** The file is the body of a call to a saved tool, `{"input": GeoJSON}`. */
  body?: { maxFeatures: number }
  /** The file is the second input that a saved tool is bound to; `missing` when it is not to be had any more. */
  bound?: BoundItem | 'missing'
}

/** An owner's layer or file. What a process makes of it is kept for the next run. */
export type BoundItem = {
  /** The same for the same content, or for a layer whose content goes on from what it was. */
  key: string
  /** Fields that results may tell; all of them when it is undefined. */
  pick?: string[] | undefined
  /** Of a map layer, whose file is not one of a vector format. */
  layer?: BoundLayer
}

export type BoundLayer = Omit<LayerFile, 'path'> & { fields: string[] }

/** The second input of a tool that can be saved. */
export type SecondInput = { field: string; kind: 'polygons' | 'layer' | 'raster' }

/**
 * How a tool works when its owner saves it as an API. Callers send GeoJSON, which becomes the input field `file`; the
 * owner sets all other fields once. The result is GeoJSON, or JSON when the tool's output kind is `json`.
 */
export type SavedForm = {
  second?: SecondInput
  /** The result holds fields of the second input. The owner may choose which. */
  returnsSecondFields?: boolean
  /** The owner chooses by a rule what passes. These input fields take the rule, its percentage and the chosen fields. */
  rule?: { kind: string; percent: string; referenceFields: string }
}

/** A file that a run made in its scratch folder. */
export type OutputFile = {
  /** What it is: the result, or something beside it. */
  role: 'output' | 'preview'
  path: string
  filename: string
  mediaType: string
  /** Of a vector or raster file, as `EPSG:25833`. */
  crs?: string | undefined
}

export type ToolResult = {
  /** What the answer's `data` holds beside keys and usage. */
  data: Record<string, unknown>
  files?: OutputFile[]
  /** What had to be given up or decided, one sentence each. */
  warnings?: string[]
}

export type RunContext = {
  /** A folder that is this run's alone and gone after it. */
  scratch: string
  limits: ToolLimits
  /** Of who calls. */
  plan: Plan
  /** How far the run is, 0 to 1. */
  progress(share: number): void
  /** Does each part by the tool's `part`, several at a time where processes are idle. @returns what came of each */
  share<Part, Done>(parts: readonly Part[]): Promise<Done[]>
}

/** Plans of people, lowest first; an enterprise has what the highest has. */
export const PLANS = ['free', 'plus', 'pro', 'max'] as const
export type Plan = (typeof PLANS)[number]

export type ToolLimits = {
  /** Of the file that is made; none when it is left out. */
  maxOutputBytes?: number
  maxFeatures: number
  maxUnpackedBytes: number
  /** Of one picture, all its frames together. */
  maxPixels: number
  /** Cells times bands of one raster. */
  maxSamples: number
  /** Of one PDF. */
  maxPages: number
}

/** A call that works as it stands; files are names in test/fixtures/tools. */
export type Example = { name: string; input: Record<string, unknown> }

/** The kind of thing a tool takes or gives. */
export type Kind = 'vector' | 'raster' | 'image' | 'document' | 'table' | 'json'

export type Tool<Input extends TObject = TObject> = {
  id: string
  /** Below /enterprise/v1/gis. */
  route: string
  /** Older routes that go on working. */
  aliases: readonly string[]
  /** Of its behaviour; every run records it. */
  version: string
  title: Text
  description: Text
  keywords: readonly string[]
  /** Plans of people that may not run it are below this one; every enterprise may. */
  tier: 'pro' | undefined
  /** Charged once for a run that succeeds. */
  credits: number
  /** Files that a call without file fields counts for in the rolling window. */
  countsAsFiles: number
  /** `node` for what needs GDAL, `bun` for everything else. */
  lane: 'node' | 'bun'
  /** Memory that a run needs, where that is more than most do; a process that has no room for it is replaced first. */
  memoryMb?: number | undefined
  /** Whether it can run as a job. */
  async: boolean
  inputKind: Kind
  outputKind: Kind
  /** How owners can save it as their own API; undefined when they cannot. */
  saved: SavedForm | undefined
  input: Input
  output: TObject
  examples: readonly Example[]
  run(input: Static<Input>, context: RunContext): Promise<ToolResult>
  /** What a run that shares its work does with one part; parts and what comes of them go as JSON. */
  part?: ((part: never, context: RunContext) => Promise<unknown>) | undefined
}

type Defaults = 'aliases' | 'tier' | 'countsAsFiles' | 'async' | 'saved'
type ToolDefinition<Input extends TObject> = Omit<Tool<Input>, Defaults> & Partial<Pick<Tool<Input>, Defaults>>

export function defineTool<Input extends TObject>(definition: ToolDefinition<Input>): Tool<Input> {
  return { aliases: [], tier: undefined, countsAsFiles: 0, async: false, saved: undefined, ...definition }
}
