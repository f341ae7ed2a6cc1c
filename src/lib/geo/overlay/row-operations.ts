/**
 * Operations of vector tools on single features, as work on rows (row-file.ts), so that processes can share it. Every
 * result depends only on one row and the other layer, so concatenated results of parts equal the result of the whole. A
 * row begins with the index of its feature, in results too.
 */
import { measure } from '../geometry/geodesic.ts'
import { geodesicBuffer } from '../geometry/geodesic-buffer.ts'
import { type CapStyle, loadGeos, type Predicate } from '../geometry/geos.ts'
import type { RepairMethod } from '../geometry/geos-memory.ts'
import { onGlobe } from '../geometry/globe.ts'
import { lineToPolygon, withoutPointLines } from '../geometry/lines.ts'
import { unrolled } from '../geometry/longitude.ts'
import { figureNumbers, polygonFigures } from '../geometry/polygon-shape.ts'
import { isLost, repairFeatures } from '../geometry/repair.ts'
import { simplified } from '../geometry/simplify.ts'
import { dimensionsOf, isEmpty, LINE, MULTI_LINE, partsOf, typeOf, vertexCount, type Wkb } from '../geometry/wkb.ts'
import type { Row } from '../layers/row-file.ts'
import type { GeometrySet } from './geometry-set.ts'
import { insideOf, type Relation } from './inside.ts'
import { findMatches } from './joins.ts'
import { hasMadeHeights } from './made-heights.ts'
import { clipOrEraseFeatures, intersectFeatures, type Progress, validFeatures } from './overlay.ts'

export type Worked = {
  rows: Row[]
  /** Results beyond the rows' geometries and numbers, as JSON. */
  facts?: unknown
  /** Indexes of features whose geometry was lost. */
  lost?: number[]
  /** Features whose results have heights that no file states. */
  madeHeights?: number[]
}

/** @param others the other layer, for operations on two */
type Operation<Options> = (rows: Row[], others: GeometrySet, options: Options, progress: Progress) => Promise<Worked>

const operation = <Options>(work: Operation<Options>): Operation<Options> => work

export const RELATIONS = ['inside', 'partial', 'outside'] as const satisfies Relation[]
/** Stands for a missing index. */
export const NO_INDEX = -1
/** Result codes of `validate`. */
export const STATES = { valid: 0, invalid: 1, empty: 2 } as const

const NOTHING = { areaM2: 0, perimeterM: 0, lengthM: 0 }

const indexOf = ({ values }: Row): number => values[0] as number

/** Makes the geometries of rows valid. */
async function validRows(rows: readonly Row[]): Promise<{ rows: Row[]; lost: number[] }> {
  const valid = await validFeatures(rows)
  return {
    rows: valid,
    lost: rows.filter(({ geometry }, i) => isLost(geometry, valid[i]?.geometry ?? null)).map(indexOf),
  }
}

/**
 * @param done the results of the rows; for operations on two layers, the other layer's index follows the row's index
 */
function madeHeights(rows: readonly Row[], done: readonly Row[], others?: GeometrySet): number[] {
  const first = rows[0] === undefined ? 0 : indexOf(rows[0])
  const found = new Set<number>()
  for (const row of done) {
    const { values, geometry } = row
    const own = rows[indexOf(row) - first]?.geometry ?? null
    if (geometry === null || own === null || geometry === own) continue
    const other = values[1] === undefined || values[1] === NO_INDEX ? null : (others?.geometryAt(values[1]) ?? null)
    if (hasMadeHeights(geometry, other === null ? [own] : [own, other])) found.add(indexOf(row))
  }
  return [...found]
}

export const OPERATIONS = {
  valid: operation<Record<string, never>>(async (rows) => {
    const valid = await validRows(rows)
    return { ...valid, madeHeights: madeHeights(rows, valid.rows) }
  }),

  /** Adds the index of the other feature. */
  intersect: operation<Record<string, never>>(async (rows, others, _options, progress) => {
    const valid = await validRows(rows)
    const common = await intersectFeatures(valid.rows, others, (index) => [index], progress)
    return { ...valid, rows: common, madeHeights: madeHeights(rows, common, others) }
  }),

  /** Adds the index of the other feature to a common part, and NO_INDEX to the rest of a feature. */
  union: operation<Record<string, never>>(async (rows, others, _options, progress) => {
    const parts = await intersectFeatures(rows, others, (index) => [index], progress, [NO_INDEX])
    return { rows: parts, madeHeights: madeHeights(rows, parts, others) }
  }),

  clipOrErase: operation<{ keep: 'intersection' | 'difference' }>(async (rows, others, { keep }, progress) => {
    const parts = await clipOrEraseFeatures(rows, others, keep, progress)
    return { rows: parts, madeHeights: madeHeights(rows, parts) }
  }),

  /** Adds the index of each match. */
  join: operation<{ predicate: Predicate }>(async (rows, others, { predicate }, progress) => {
    const valid = await validRows(rows)
    const found = await findMatches(valid.rows, others, predicate, progress)
    return {
      ...valid,
      rows: found.flatMap((indexes, i) =>
        indexes.map((index) => ({ values: [indexOf(rows[i] as Row), index], geometry: null })),
      ),
    }
  }),

  /** Adds the relation, the percentage, the number of intersecting references, and the index of the best one. */
  inside: operation<{ findReference: boolean }>(async (rows, others, { findReference }, progress) => {
    const valid = await validRows(rows)
    const found = await insideOf(valid.rows, others, findReference, progress)
    return {
      ...valid,
      rows: found.map(({ relation, percentInside, matchCount, reference = NO_INDEX }, i) => ({
        values: [indexOf(rows[i] as Row), RELATIONS.indexOf(relation), percentInside, matchCount, reference],
        geometry: null,
      })),
    }
  }),

  /** Rows have the distance in metres; rows without an area are dropped. */
  buffer: operation<{ cap: CapStyle }>(async (rows, _others, { cap }, progress) => {
    const geos = await loadGeos()
    const { rows: valid, lost } = await validRows(rows)
    const areas: Row[] = []
    for (const [i, { values, geometry }] of valid.entries()) {
      if (i % 256 === 0) progress(i / valid.length)
      const area = geometry === null ? null : geodesicBuffer(geos, geometry, values[1] as number, cap)
      if (area !== null) areas.push({ values, geometry: area })
    }
    return { rows: areas, lost }
  }),

  /** The facts are the numbers of geometries that were invalid and that still are. */
  repair: operation<{ method: RepairMethod }>(async (rows, _others, { method }) => {
    const { features, repairedCount, lost } = await repairFeatures(rows, method)
    const again = await repairFeatures(features.filter(({ geometry }) => geometry !== null))
    const lostRows = lost.map((i) => indexOf(rows[i] as Row))
    const facts = [repairedCount, again.repairedCount]
    return { rows: features, facts, lost: lostRows, madeHeights: madeHeights(rows, features) }
  }),

  /** Adds one of STATES. The facts are the reasons, one for each invalid geometry. */
  validate: operation<Record<string, never>>(async (rows) => {
    const geos = await loadGeos()
    const reasons: string[] = []
    const checked = rows.map((row): Row => {
      const { geometry } = row
      const stateIs = (state: number): Row => ({ values: [indexOf(row), state], geometry })
      if (geometry === null || isEmpty(geometry)) return stateIs(STATES.empty)
      const read = geos.read(geometry)
      const isValid = geos.isValid(read)
      if (!isValid) reasons.push(geos.validReason(read))
      geos.free(read)
      return stateIs(isValid ? STATES.valid : STATES.invalid)
    })
    return { rows: checked, facts: reasons }
  }),

  /** Adds whether it has polygons, and lines; their area and perimeter, and their length, in metres. */
  measure: operation<Record<string, never>>(async (rows, _others, _options, progress) => ({
    rows: rows.map((row, i) => {
      if (i % 256 === 0) progress(i / rows.length)
      const { geometry } = row
      const { areaM2, perimeterM, lengthM } = geometry === null ? NOTHING : measure(geometry)
      const dimensions = geometry === null ? [] : dimensionsOf(geometry)
      const has = (dimension: number): number => Number(dimensions.includes(dimension))
      return { values: [indexOf(row), has(2), has(1), areaM2, perimeterM, lengthM], geometry }
    }),
  })),

  /** Adds the vertices before and after. */
  simplify: operation<{ tolerance: number; preserveTopology: boolean }>(async (rows, _others, options) => {
    const geos = await loadGeos()
    const { tolerance, preserveTopology } = options
    const lost: number[] = []
    const done = rows.map((row): Row => {
      const { geometry } = row
      if (geometry === null) return { values: [indexOf(row), 0, 0], geometry }
      const before = vertexCount(geometry)
      const drawn = unrolled(geometry)
      const simple = simplified(geos, drawn, tolerance, preserveTopology)
      const kept = withoutPointLines(drawn === geometry ? simple : onGlobe(geos, simple))
      if (kept !== null) return { values: [indexOf(row), before, vertexCount(kept)], geometry: kept }
      if (before > 0) lost.push(indexOf(row))
      return { values: [indexOf(row), before, 0], geometry: null }
    })
    return { rows: done, lost }
  }),

  /** A polygon for each line, with its figures. The facts are the numbers of features or parts without one. */
  closeLines: operation<Record<string, never>>(async (rows, _others, _options, progress) => {
    const geos = await loadGeos()
    const polygons: Row[] = []
    let leftOut = 0
    for (const [i, row] of rows.entries()) {
      if (i % 256 === 0) progress(i / rows.length)
      const type = row.geometry === null ? 0 : typeOf(row.geometry)
      const lines = type === LINE || type === MULTI_LINE ? partsOf(row.geometry as Wkb) : []
      if (lines.length === 0) leftOut++
      for (const line of lines) {
        const geometry = lineToPolygon(unrolled(line))
        if (geometry === undefined) leftOut++
        else polygons.push({ values: [indexOf(row), ...figureNumbers.of(polygonFigures(geos, geometry))], geometry })
      }
    }
    return { rows: polygons, facts: leftOut }
  }),
}

export type OperationName = keyof typeof OPERATIONS
export type OptionsOf<Name extends OperationName> = Parameters<(typeof OPERATIONS)[Name]>[2]
