/** English texts, by area. */
import { accounts } from './en/accounts.ts'
import { chart } from './en/chart.ts'
import { frame } from './en/frame.ts'
import { importSensors } from './en/import-sensors.ts'
import { map } from './en/map.ts'
import { overview } from './en/overview.ts'
import { sensor } from './en/sensor.ts'
import { sensorForm } from './en/sensor-form.ts'
import { sensors } from './en/sensors.ts'
import { table } from './en/table.ts'
import { zones } from './en/zones.ts'

export const en = {
  accounts,
  chart,
  frame,
  importSensors,
  map,
  overview,
  sensorForm,
  sensor,
  sensors,
  table,
  zones,
} as const
