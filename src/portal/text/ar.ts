/** Arabic texts, by area. */
import { accounts } from './ar/accounts.ts'
import { frame } from './ar/frame.ts'
import { map } from './ar/map.ts'
import { overview } from './ar/overview.ts'
import { sensors } from './ar/sensors.ts'
import { table } from './ar/table.ts'
import type { Catalogue } from './catalogue.ts'

export const ar: Catalogue = { accounts, frame, map, overview, sensors, table }
