/**
 * A tool is a value, the default export of `tools/<group>/<name>.ts`; its id is `<group>.<name>`. The route, validation,
 * OpenAPI operation, process description, price and limits are all derived from it.
 */
import type { Static, TObject } from '@sinclair/typebox'
import type { Layer } from '../lib/geo/layers/layer.ts'
import type { Warning } from '../warnings/warning.ts'
import type { LayerFile } from './cached-layers.ts'

/** A text in English and Arabic. */
export type Text = { en: string; ar: string }

/** A file that was sent with a call; `path` is in the run's scratch folder. */
export type InputFile = {
  path: string
  filename: string
  bytes: number
  /** The file is the body of a call to a saved tool, `{"input": GeoJSON}`. */
  body?: {
    maxFeatures: number
    /** A short body, in base64; there is no file then. */
    base64?: string | undefined
  }
  /** The content of `body`, once it has been checked. */
  layer?: Layer
  /** The file is the second input that a saved tool is bound to; `missing` when its owner deleted it. */
  bound?: BoundItem | 'missing'
}

/** A layer or file of the owner. Worker processes cache its content. */
export type BoundItem = {
  /** Key of the cache: the same for the same content, and for a layer that changes by appended records. */
  key: string
  /** Fields that results may contain; all fields when undefined. */
  pick?: string[] | undefined
  /** Set for a map layer, whose file is in the format of cached layers. */
  layer?: BoundLayer
}

export type BoundLayer = Omit<LayerFile, 'path'> & { fields: string[] }

/** The second input of a tool that can be saved. */
export type SecondInput = { field: string; kind: 'polygons' | 'layer' | 'raster' }

/**
 * Settings of a tool that its owner saves as an API. Callers send GeoJSON, which becomes the input field `file`; the
 * owner sets all other fields once. The result is GeoJSON, or JSON when the tool's output kind is `json`.
 */
export type SavedForm = {
  /** The geometries that the input must have; any by default. */
  input?: 'polygons'
  second?: SecondInput
  /** The result contains fields of the second input, where the output schema has `x-secondFields`; the owner picks them. */
  returnsSecondFields?: boolean
  /**
   * The owner defines a rule for features that pass. These input fields take the rule, its percentage and the chosen
   * fields.
   */
  rule?: { kind: string; percent: string; referenceFields: string }
}

/** A file that the run wrote to its scratch folder. */
export type OutputFile = {
  /** The result itself, or an image of it. */
  role: 'output' | 'preview'
  path: string
  filename: string
  mediaType: string
  /** CRS of a vector or raster file, such as `EPSG:25833`. */
  crs?: string | undefined
}

export type ToolResult = {
  /** `data` of the response, without storage keys and usage, which are added later. */
  data: Record<string, unknown>
  files?: OutputFile[]
  /** The output as text, instead of a file: it is short, and the run has no folder. */
  text?: string
  /** Number of features in the data, where it has no `featureCount`. */
  features?: number
  /** Omissions and decisions of the tool. */
  warnings?: Warning[]
  /** Set by the worker process for long data: a file with the data as JSON text; `data` is then empty. */
  dataPath?: string
}

export type RunContext = {
  /** A folder for this run only, deleted when the run ends. */
  scratch: string
  /** Undefined when the folder exists. Otherwise creates it, for a run whose input and output are usually short. */
  openFolder: (() => Promise<void>) | undefined
  limits: ToolLimits
  /** Plan of the caller. */
  plan: Plan
  /** Adds a warning to the result, before the warnings that the tool returns. Duplicates are dropped. */
  warn(warning: Warning): void
  /** Reports progress from 0 to 1. */
  progress(share: number): void
  /** Runs the tool's `part` for each part, in parallel on idle processes. @returns the results in order */
  share<Part, Done>(parts: readonly Part[]): Promise<Done[]>
}

/** Context of a part of a run. A part cannot warn, because only the whole run has a result. */
export type PartContext = Omit<RunContext, 'warn'>

/** The plan of a call; access/plans.ts has the order of plans and their permissions. */
export type Plan = 'free' | 'plus' | 'pro' | 'max'

export type ToolLimits = {
  /** Maximum bytes of each output file, and of data written to a file; unlimited by default. */
  maxOutputBytes?: number
  maxFeatures: number
  maxUnpackedBytes: number
  /** Pixels of one image, all frames together. */
  maxPixels: number
  /** Cells of one raster times its bands. */
  maxSamples: number
  /** Pages of one PDF. */
  maxPages: number
}

/** A call that succeeds. Files are named after those in test/fixtures/tools. */
export type Example = { name: string; input: Record<string, unknown> }

/** Kind of data that a tool reads or writes. */
export type Kind = 'vector' | 'raster' | 'image' | 'document' | 'table' | 'json'

export type Tool<Input extends TObject = TObject> = {
  id: string
  /** Path below /enterprise/v1/gis. */
  route: string
  /** Older routes that still work. */
  aliases: readonly string[]
  /**
   * Version of the behaviour, recorded with every run: the second number is raised when results of the same call change,
   * the first when callers must change their calls.
   */
  version: string
  title: Text
  description: Text
  keywords: readonly string[]
  /** The lowest plan whose people may run it; undefined for all. Enterprises may run every tool. */
  tier: 'pro' | undefined
  /** Credits charged for a successful run. */
  credits: number
  /** Number of files that a call without file fields counts as in the hourly file limit. */
  countsAsFiles: number
  /** Runtime of the worker: `node` for tools that use GDAL, `bun` for all others. */
  lane: 'node' | 'bun'
  /** Memory that a run needs, if unusually large. A worker with less free memory is replaced before the run. */
  memoryMb?: number | undefined
  /** The same for a worker that has run the tool before and keeps its libraries loaded. */
  memoryAgainMb?: number | undefined
  /** Whether callers may run it as a job. */
  async: boolean
  inputKind: Kind
  outputKind: Kind
  /** How owners can save it as their own API; undefined if not offered. */
  saved: SavedForm | undefined
  input: Input
  output: TObject
  examples: readonly Example[]
  run(input: Static<Input>, context: RunContext): Promise<ToolResult>
  /** Handles one part of a run that calls `share`. Parts and their results travel as JSON. */
  part?: ((part: never, context: PartContext) => Promise<unknown>) | undefined
}

type Defaults = 'aliases' | 'tier' | 'countsAsFiles' | 'async' | 'saved'
type ToolDefinition<Input extends TObject> = Omit<Tool<Input>, Defaults> & Partial<Pick<Tool<Input>, Defaults>>

export function defineTool<Input extends TObject>(definition: ToolDefinition<Input>): Tool<Input> {
  return { aliases: [], tier: undefined, countsAsFiles: 0, async: false, saved: undefined, ...definition }
}
