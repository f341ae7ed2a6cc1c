/** English texts, by area. */
import { accounts } from './en/accounts.ts'
import { frame } from './en/frame.ts'
import { overview } from './en/overview.ts'

export const en = { accounts, frame, overview } as const
