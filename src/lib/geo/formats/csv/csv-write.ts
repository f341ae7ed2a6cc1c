/**
 * Writes a layer as CSV (RFC 4180): points as coordinate columns, other geometries as WKT. `csv-read.ts` reads the
 * result back unchanged.
 */
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import Papa from 'papaparse'
import { type Warning, warning } from '../../../../warnings/warning.ts'
import { hasZ, POINT, typeOf, viewOf, type Wkb } from '../../geometry/wkb.ts'
import { freeName, type Layer } from '../../layers/layer.ts'
import { wktOf } from '../wkt-write.ts'

const ROWS_PER_BLOCK = 5_000

/**
 * @param layer in WGS 84
 * @param escapeFormulas whether text that a spreadsheet would run as a formula gets a quote in front
 * @returns warnings
 */
export async function writeCsv(layer: Layer, path: string, escapeFormulas: boolean): Promise<Warning[]> {
  const options = csvOptions(escapeFormulas)
  const geometries = layer.features.flatMap(({ geometry }) => (geometry === null ? [] : [geometry]))
  const isPoints = geometries.every((geometry) => typeOf(geometry) === POINT)
  const hasElevation = isPoints && geometries.some(hasZ)
  const coordinateNames = isPoints ? ['longitude', 'latitude', ...(hasElevation ? ['elevation'] : [])] : ['wkt']
  const coordinatesOf = (geometry: Wkb | null): (number | string)[] => {
    if (geometry === null) return coordinateNames.map(() => '')
    if (!isPoints) return [wktOf(geometry)]
    const view = viewOf(geometry)
    const [x, y] = [view.getFloat64(5, true), view.getFloat64(13, true)]
    return [x, y, ...(hasElevation ? [hasZ(geometry) ? view.getFloat64(21, true) : ''] : [])].map((value) =>
      typeof value === 'number' && Number.isNaN(value) ? '' : value,
    )
  }
  // a field of the layer may have the name of a coordinate column
  const taken = coordinateNames.map((name) => ({ name, type: 'string' as const }))
  const names = layer.fields.map(({ name }) => freeName(taken, name))
  const out = createWriteStream(path)
  out.write(`${Papa.unparse([[...coordinateNames, ...names]], options)}\r\n`)
  for (let at = 0; at < layer.features.length; at += ROWS_PER_BLOCK) {
    const rows = layer.features
      .slice(at, at + ROWS_PER_BLOCK)
      .map(({ values, geometry }) => [...coordinatesOf(geometry), ...values.map(textOf)])
    if (!out.write(`${Papa.unparse(rows, options)}\r\n`)) await new Promise((resolve) => out.once('drain', resolve))
  }
  out.end()
  await finished(out)
  const renamed = layer.fields.flatMap(({ name }, i) => (name === names[i] ? [] : [`${name} → ${names[i]}`]))
  return renamed.length === 0 ? [] : [warning('csvColumnsRenamed', { names: renamed })]
}

/** Cells that spreadsheets run as formulas (OWASP, CSV injection). Numbers with a sign are no formulas. */
const FORMULA = /^[=@\t\r]|^[+-](?!(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$)/

export const csvOptions = (escapeFormulas: boolean) => (escapeFormulas ? { escapeFormulae: FORMULA } : {})

const textOf = (value: unknown): unknown =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : value
