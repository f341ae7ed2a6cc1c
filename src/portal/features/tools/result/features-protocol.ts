/** Messages between the page and the worker that reads a result's features. Questions carry a number. */
import type { Geometry } from 'geojson'
import type { Look, PictureView, Touch } from '../../../ui/picture/protocol.ts'
import type { ValueClass } from './classes.ts'

export type GeometryKind = 'point' | 'line' | 'polygon' | 'mixed' | 'none'
export type Cell = string | number | boolean | null

/** A feature as a row: its place in the file, and a value for each field. */
export type FeatureRow = { index: number; kind: GeometryKind; values: Cell[] }

export type Field = {
  name: string
  /** Whether all its values are numbers, which are aligned by digit. */
  isNumber: boolean
}
export type Box = [west: number, south: number, east: number, north: number]
export type FeatureSummary = {
  count: number
  /** Features without a geometry, or with an empty one. */
  empty: number
  /** Features with coordinates that are not longitude and latitude. */
  outside: number
  kinds: Partial<Record<GeometryKind, number>>
  fields: Field[]
  /** The box of all drawable features; undefined when there are none. */
  box: Box | undefined
}
export type Sorting = { field: number; order: 'asc' | 'desc' } | undefined

export type Question =
  | { kind: 'load'; url: string }
  | { kind: 'rows'; offset: number; limit: number; sorting: Sorting }
  | { kind: 'place'; index: number; sorting: Sorting }
  | { kind: 'picture'; view: PictureView; look: Look }
  | { kind: 'at'; touch: Touch }
  | { kind: 'classify'; field: number | undefined; classes: number }

export type Answers = {
  load: FeatureSummary
  rows: FeatureRow[]
  /** The row of a feature in the order of the table, and the box to show. */
  place: { row: number; box: Box | undefined; feature: FeatureRow; geometry: Geometry | null }
  picture: ImageBitmap
  /** The index of the feature at a position of the map. */
  at: number | undefined
  classify: ValueClass[]
}
/** The code of a failure when the content does not match the file's name. */
export const UNREADABLE = 'UNREADABLE'
