/** Messages between the page and the worker that keeps the features of a layer. */
import type { Look, PictureView, Touch } from '../../../ui/picture/protocol.ts'
import type { RowsQuery } from './layer-rows.ts'
import type { Command, LayerColumn, LayerFeature } from './layer-store.ts'

/** The state of the edit that the page shows. */
export type Summary = {
  count: number
  columns: LayerColumn[]
  mayUndo: boolean
  mayRedo: boolean
  added: number
  changed: number
  removed: number
  hasChanges: boolean
}
/** The version that is edited. */
export type Base = { version: number; etag: string; fields: string[] }
export type Opened = { summary: Summary; base: Base; isDraft: boolean }
/** Changes of two people to the same features. */
export type Clash = { id: string; mine: LayerFeature | null; theirs: LayerFeature | null }
export type Conflict = { clashes: Clash[]; theirs: number; mine: number }
export type Inspected = { count: number; types: string[]; fields: string[]; problem?: string }

export type Question =
  | { kind: 'open'; address: string; headers: Record<string, string>; base: Base; draft: string }
  | { kind: 'rows'; query: RowsQuery; offset: number; limit: number }
  | { kind: 'index'; query: RowsQuery; id: string }
  | { kind: 'features'; ids: string[] }
  | { kind: 'apply'; command: Command }
  | { kind: 'undo' }
  | { kind: 'redo' }
  | { kind: 'discard' }
  | { kind: 'box' }
  | { kind: 'picture'; view: PictureView; look: Look }
  | { kind: 'at'; touch: Touch }
  | { kind: 'save'; headers: Record<string, string> }
  | { kind: 'conflict'; headers: Record<string, string>; to: number }
  | { kind: 'rebase'; headers: Record<string, string>; base: Base; theirs: string[] }
  | { kind: 'inspect'; file: Blob; feature?: number }

export type Answers = {
  open: Opened
  rows: { items: LayerFeature[]; total: number }
  index: number
  features: LayerFeature[]
  apply: Summary
  undo: Summary
  redo: Summary
  discard: Summary
  /** West, south, east, north of all features; undefined when no feature has a position. */
  box: [number, number, number, number] | undefined
  picture: ImageBitmap
  /** The id of the feature at a place of the map. */
  at: string | undefined
  save: { summary: Summary; base: Base }
  conflict: Conflict
  rebase: Opened
  inspect: Inspected
}
export type Progress = { loaded: number }
