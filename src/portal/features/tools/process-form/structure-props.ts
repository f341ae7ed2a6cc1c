import type { Entered } from './entered.ts'
import type { Schema } from './process.ts'

/**
 * What is wrong with the value at a path, such as `placements.0.page`. `isWhole`: or with one inside it, for a control
 * that shows its value as a whole.
 */
export type FaultAt = (path: string, isWhole?: boolean) => string | undefined

/** What the controls of lists, objects and named values have in common. */
export type StructureProps = {
  schema: Schema
  path: string
  /** Names the controls for people who do not see the legend. */
  label: string
  entered: Entered
  faultAt: FaultAt
  onChange: (value: Entered) => void
}
