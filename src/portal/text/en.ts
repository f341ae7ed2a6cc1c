/** English texts, by area. */
import { accounts } from './en/accounts.ts'
import { applications } from './en/applications.ts'
import { audit } from './en/audit.ts'
import { chart } from './en/chart.ts'
import { deletions } from './en/deletions.ts'
import { enterprise } from './en/enterprise.ts'
import { exports } from './en/exports.ts'
import { failures } from './en/failures.ts'
import { figures } from './en/figures.ts'
import { files } from './en/files.ts'
import { frame } from './en/frame.ts'
import { importSensors } from './en/import-sensors.ts'
import { keys } from './en/keys.ts'
import { layers } from './en/layers.ts'
import { map } from './en/map.ts'
import { operations } from './en/operations.ts'
import { operator } from './en/operator.ts'
import { overview } from './en/overview.ts'
import { processForm } from './en/process-form.ts'
import { record } from './en/record.ts'
import { reference } from './en/reference.ts'
import { reminders } from './en/reminders.ts'
import { results } from './en/results.ts'
import { runs } from './en/runs.ts'
import { sensor } from './en/sensor.ts'
import { sensorForm } from './en/sensor-form.ts'
import { sensors } from './en/sensors.ts'
import { table } from './en/table.ts'
import { toolApis } from './en/tool-apis.ts'
import { tools } from './en/tools.ts'
import { usage } from './en/usage.ts'
import { zones } from './en/zones.ts'

export const en = {
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
  files,
  layers,
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
} as const
