/** English texts, by area. */
import { frame } from './en/frame.ts'
import { overview } from './en/overview.ts'

export const en = { frame, overview } as const
