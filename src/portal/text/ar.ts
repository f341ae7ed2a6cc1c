/** Arabic texts, by area. */
import { accounts } from './ar/accounts.ts'
import { chart } from './ar/chart.ts'
import { frame } from './ar/frame.ts'
import { importSensors } from './ar/import-sensors.ts'
import { map } from './ar/map.ts'
import { overview } from './ar/overview.ts'
import { sensor } from './ar/sensor.ts'
import { sensorForm } from './ar/sensor-form.ts'
import { sensors } from './ar/sensors.ts'
import { table } from './ar/table.ts'
import { zones } from './ar/zones.ts'
import type { Catalogue } from './catalogue.ts'

export const ar: Catalogue = {
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
}
