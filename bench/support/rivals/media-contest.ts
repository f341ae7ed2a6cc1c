/** A comparison of one tool call with another program, for raster, image, document and export tools. */
import type { Call } from '../tool-harness.ts'

export type MediaContest = Call & {
  /** Description of the input. */
  on: string
  /** Description of the other program. */
  beside: string
  /** Undefined when no other program does the same. */
  commands: string[][] | undefined
  /** Output of the other program, when sizes are compared. */
  output?: string
  /** Text that every page must have in the answer. */
  reads?: string
}
