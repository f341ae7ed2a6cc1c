/**
 * Work on the features of a layer (row-operations.ts) that idle processes share. A long layer is written to a file,
 * each part of it is a range of its rows, and the result of a part is a file too. A short layer is processed directly.
 */

import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { loadGeos } from '../lib/geo/geometry/geos.ts'
import type { Wkb } from '../lib/geo/geometry/wkb.ts'
import type { Feature } from '../lib/geo/layers/layer.ts'
import { type Row, RowFile, writeRows } from '../lib/geo/layers/row-file.ts'
import { GeometrySet, type Place } from '../lib/geo/overlay/geometry-set.ts'
import type { Progress } from '../lib/geo/overlay/overlay.ts'
import { OPERATIONS, type OperationName, type OptionsOf, type Worked } from '../lib/geo/overlay/row-operations.ts'
import { append } from '../lists.ts'
import { inField, type Warning, warning } from '../warnings/warning.ts'
import { keepOnly, keptForRun } from './run-cache.ts'
import type { RunContext } from './tool.ts'

/** Number of features from which writing them to a file pays off: a few milliseconds of work for each process. */
export const SHARED_FROM = 4096
/**
 * Features per part, few enough that other callers wait at most about a second for a process: 2,048 unions of parcels
 * take 1.1 s.
 */
const MAX_PART_ROWS = 2048
/** Minimum number of parts, so that several processes finish at about the same time. */
const PARTS = 16

const sizeFor = (count: number): number => Math.min(MAX_PART_ROWS, Math.ceil(count / PARTS))

export type Task<Name extends OperationName> = {
  operation: Name
  options: OptionsOf<Name>
  /** The field to blame when an operation fails on a geometry. */
  field: string
  rows: readonly Row[]
  /** Gets an entry when geometries or heights are lost. */
  warnings: Warning[]
  /** The other layer, for operations on two, and its field. */
  others?: GeometrySet
  othersField?: string
}

export type Part = {
  operation: OperationName
  options: unknown
  field: string
  /** Files of rows. */
  input: string
  others: string | undefined
  place: Place
  from: number
  to: number
  output: string
}

export const rowsOf = (features: readonly Pick<Feature, 'geometry'>[]): Row[] =>
  features.map(({ geometry }, index) => ({ values: [index], geometry }))

type AnyOperation = (rows: Row[], others: GeometrySet | undefined, options: unknown, done: Progress) => Promise<Worked>

/** @returns the rows of the result, in the order of those given, and the facts of each part */
export async function workOnRows<Name extends OperationName>(
  task: Task<Name>,
  context: RunContext,
): Promise<{ rows: Row[]; facts: unknown[] }> {
  const { operation, rows, warnings, othersField } = task
  const warn = (lost: readonly number[], lostOthers: readonly number[], heights: readonly number[]): void => {
    append(warnings, lossWarnings(task.field, lost, operation))
    if (othersField !== undefined) append(warnings, lossWarnings(othersField, lostOthers))
    append(warnings, heightWarnings(task.field, heights))
  }
  if (rows.length < SHARED_FROM) {
    const done = await worked(task, context.progress)
    warn(done.lost, done.lostOthers, done.madeHeights)
    return { rows: done.rows, facts: [done.facts] }
  }
  const parts = await workInParts(task, context)
  const lostOthers = new Set(parts.flatMap((part) => part.lostOthers))
  warn(
    parts.flatMap(({ lost }) => lost),
    [...lostOthers].sort((a, b) => a - b),
    parts.flatMap(({ madeHeights }) => madeHeights),
  )
  const given = (index: number): Wkb | null => (rows[index] as Row).geometry
  return { rows: parts.flatMap(({ path }) => readRows(path, given)), facts: parts.map(({ facts }) => facts) }
}

async function worked(
  { operation, options, rows, others }: Pick<Task<OperationName>, 'operation' | 'options' | 'rows' | 'others'>,
  progress: Progress,
): Promise<Worked & PartDone> {
  // the files of an earlier call
  others?.takeLost()
  const work = OPERATIONS[operation] as AnyOperation
  const done = await work([...rows], others, options, progress)
  const { facts = null, lost = [], madeHeights = [] } = done
  return { rows: done.rows, facts, lost, madeHeights, lostOthers: others?.takeLost() ?? [] }
}

/** @param lost indexes of features with a lost geometry */
export function lossWarnings(field: string, lost: readonly number[], operation?: OperationName): Warning[] {
  const [first] = lost
  if (first === undefined) return []
  const code = operation === 'simplify' ? 'geometriesSmallerThanTolerance' : 'geometriesNotRepaired'
  return [inField(field, warning(code, { n: lost.length, feature: first }))]
}

/** @param features indexes of features with heights that no file states */
export function heightWarnings(field: string, features: readonly number[]): Warning[] {
  const [first] = features
  if (first === undefined) return []
  return [inField(field, warning('heightsEstimated', { n: features.length, feature: first }))]
}

/** Row files of a run, each read once. */
export function readRows(path: string, given?: (index: number) => Wkb | null): Row[] {
  const file = new RowFile(path)
  try {
    return file.read(0, file.count, given)
  } finally {
    file.close()
    unlinkSync(path)
  }
}

let files = 0

/** @returns the file of each part's rows, its facts, and the features that lost something */
export async function workInParts<Name extends OperationName>(
  { operation, options, field, rows, others }: Omit<Task<Name>, 'warnings'>,
  context: RunContext,
  rowsPerPart = sizeFor(rows.length),
): Promise<({ path: string } & PartDone)[]> {
  await context.openFolder?.()
  const pathOf = (name: string): string => join(context.scratch, `${name}-${++files}.rows`)
  const input = pathOf('input')
  writeRows(input, rows)
  // this process has them in memory
  keptForRun(input, () => ({
    value: { read: (from: number, to: number) => rows.slice(from, to) },
    free: () => undefined,
  }))
  const othersPath = others && pathOf('others')
  if (others !== undefined && othersPath !== undefined) {
    const { geometryAt } = others
    writeRows(
      othersPath,
      Array.from({ length: others.count }, (_, index) => ({ values: [], geometry: geometryAt(index) })),
    )
    keptForRun(othersPath, () => ({ value: others, free: () => undefined }))
  }
  const parts: Part[] = []
  for (let from = 0; from < rows.length; from += rowsPerPart) {
    const to = Math.min(from + rowsPerPart, rows.length)
    parts.push({
      operation,
      options,
      field,
      input,
      others: othersPath,
      place: others?.place ?? 'plane',
      from,
      to,
      output: pathOf('part'),
    })
  }
  try {
    const done = await context.share<Part, PartDone>(parts)
    return parts.map(({ output }, i) => ({ path: output, ...(done[i] as PartDone) }))
  } finally {
    keepOnly([])
    for (const path of [input, othersPath ?? []].flat()) unlinkSync(path)
  }
}

type PartDone = {
  facts: unknown
  /** Indexes of features with a lost geometry, in this layer and in the other one. */
  lost: number[]
  lostOthers: number[]
  /** Indexes of features with invented heights. */
  madeHeights: number[]
}

export async function workOnPart(part: Part): Promise<PartDone> {
  const { operation, options, input, place, from, to, output } = part
  keepOnly([input, part.others ?? ''])
  const rows = keptForRun(input, () => opened(input)).read(from, to)
  const geos = await loadGeos()
  const others = part.others === undefined ? undefined : keptForRun(part.others, () => setOf(part.others as string))
  function setOf(path: string): { value: GeometrySet; free(): void } {
    const file = new RowFile(path)
    const all = file.read(0, file.count)
    file.close()
    const set = new GeometrySet(geos, (index) => (all[index] as Row).geometry, all.length, place)
    return { value: set, free: () => set.free() }
  }
  const task = { operation, options, rows, others } as Pick<
    Task<OperationName>,
    'operation' | 'options' | 'rows' | 'others'
  >
  const { rows: made, ...done } = await worked(task, () => undefined)
  const isGiven = ({ values, geometry }: Row): boolean =>
    geometry === (rows[(values[0] as number) - from] as Row).geometry
  writeRows(output, made, isGiven)
  return done
}

function opened(path: string): { value: Pick<RowFile, 'read'>; free(): void } {
  const file = new RowFile(path)
  return { value: file, free: () => file.close() }
}
