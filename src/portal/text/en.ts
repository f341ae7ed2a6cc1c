/** English texts, by area. */
import { accounts } from './en/accounts.ts'
import { frame } from './en/frame.ts'
import { map } from './en/map.ts'
import { overview } from './en/overview.ts'
import { sensors } from './en/sensors.ts'
import { table } from './en/table.ts'

export const en = { accounts, frame, map, overview, sensors, table } as const
