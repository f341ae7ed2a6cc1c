/**
 * Files that a worker process reads while they arrive, before it is known whether the call is valid. What it read is for
 * the run that follows in the same process. A run that does not get it, for whatever reason, reads the file itself, so
 * results and errors are the same.
 */
import { basename, extname } from 'node:path'
import { readArrivingGeoJson } from '../lib/geo/geojson-arriving.ts'
import { fileKindOf } from './check.ts'
import type { InputFile, ReadAhead, Tool } from './tool.ts'

/** How a tool reads a file of a field while it arrives; undefined if it does not. */
export function readAheadOf(tool: Tool, field: string, filename: string): ReadAhead | undefined {
  const schema = tool.input.properties[field]
  if (schema === undefined) return undefined
  const extension = extname(filename).toLowerCase()
  if (fileKindOf(schema) === 'raster' && field === 'file' && ['.tif', '.tiff'].includes(extension))
    return tool.readAhead
  const isLayer = fileKindOf(schema) === 'vector' && tool.lane === 'node' && ['.geojson', '.json'].includes(extension)
  return isLayer ? readLayerAhead : undefined
}

const readLayerAhead: ReadAhead = ({ path }, { limits }, arrivals) =>
  readArrivingGeoJson(path, arrivals, limits.maxFeatures)

let ahead: { id: string; name: string; value: unknown } | undefined

/** Keeps what was read of a file for the run with the same id. */
export function holdAhead(id: string, { path }: InputFile, value: unknown): void {
  ahead = value === undefined ? undefined : { id, name: basename(path), value }
}

/** Forgets it, unless it has this id. */
export function releaseAhead(id?: string): void {
  if (ahead?.id !== id) ahead = undefined
}

/** Returns what was read of the file of a run, once. */
export function takeAhead<T>({ path }: InputFile): T | undefined {
  if (ahead === undefined || ahead.name !== basename(path)) return undefined
  const { value } = ahead
  ahead = undefined
  return value as T
}
