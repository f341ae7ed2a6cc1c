/** Arabic texts, by area. */
import { accounts } from './ar/accounts.ts'
import { frame } from './ar/frame.ts'
import { overview } from './ar/overview.ts'
import type { Catalogue } from './catalogue.ts'

export const ar: Catalogue = { accounts, frame, overview }
