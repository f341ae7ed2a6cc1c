/** Arabic texts, by area. */
import { accounts } from './ar/accounts.ts'
import { applications } from './ar/applications.ts'
import { audit } from './ar/audit.ts'
import { chart } from './ar/chart.ts'
import { deletions } from './ar/deletions.ts'
import { enterprise } from './ar/enterprise.ts'
import { exports } from './ar/exports.ts'
import { failures } from './ar/failures.ts'
import { figures } from './ar/figures.ts'
import { files } from './ar/files.ts'
import { frame } from './ar/frame.ts'
import { importSensors } from './ar/import-sensors.ts'
import { keys } from './ar/keys.ts'
import { layers } from './ar/layers.ts'
import { map } from './ar/map.ts'
import { operations } from './ar/operations.ts'
import { operator } from './ar/operator.ts'
import { overview } from './ar/overview.ts'
import { processForm } from './ar/process-form.ts'
import { record } from './ar/record.ts'
import { reference } from './ar/reference.ts'
import { reminders } from './ar/reminders.ts'
import { results } from './ar/results.ts'
import { runs } from './ar/runs.ts'
import { sensor } from './ar/sensor.ts'
import { sensorForm } from './ar/sensor-form.ts'
import { sensors } from './ar/sensors.ts'
import { table } from './ar/table.ts'
import { toolApis } from './ar/tool-apis.ts'
import { tools } from './ar/tools.ts'
import { usage } from './ar/usage.ts'
import { zones } from './ar/zones.ts'
import type { Catalogue } from './catalogue.ts'

export const ar: Catalogue = {
  accounts,
  applications,
  audit,
  chart,
  deletions,
  enterprise,
  exports,
  failures,
  figures,
  frame,
  importSensors,
  keys,
  map,
  operations,
  operator,
  overview,
  processForm,
  record,
  reference,
  reminders,
  results,
  runs,
  sensorForm,
  sensor,
  sensors,
  table,
  tools,
  toolApis,
  usage,
  zones,
  layers,
  files,
}
