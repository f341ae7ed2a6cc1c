import type { Entered } from './entered.ts'
import type { Schema } from './process.ts'

/**
 * The fault of the value at a path, such as `placements.0.page`. `isWhole`: or of a value inside it, for a control that
 * shows its value as a whole.
 */
export type FaultAt = (path: string, isWhole?: boolean) => string | undefined

/** Props shared by the controls of lists, objects and named values. */
export type StructureProps = {
  schema: Schema
  path: string
  /** Names the controls for people who do not see the legend. */
  label: string
  entered: Entered
  faultAt: FaultAt
  onChange: (value: Entered) => void
}
