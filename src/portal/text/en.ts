/** English texts, by area. */
import { accounts } from '../features/account/texts/accounts.en.ts'
import { keys } from '../features/account/texts/keys.en.ts'
import { reminders } from '../features/account/texts/reminders.en.ts'
import { alerts } from '../features/alerts/texts/alerts.en.ts'
import { compare } from '../features/compare/texts/compare.en.ts'
import { applications } from '../features/console/texts/applications.en.ts'
import { audit } from '../features/console/texts/audit.en.ts'
import { enterprise } from '../features/console/texts/enterprise.en.ts'
import { figures } from '../features/console/texts/figures.en.ts'
import { overview } from '../features/console/texts/overview.en.ts'
import { record } from '../features/console/texts/record.en.ts'
import { usage } from '../features/console/texts/usage.en.ts'
import { dashboards } from '../features/dashboards/texts/dashboards.en.ts'
import { exports } from '../features/data/texts/exports.en.ts'
import { files } from '../features/data/texts/files.en.ts'
import { layers } from '../features/data/texts/layers.en.ts'
import { destinations } from '../features/destinations/texts/destinations.en.ts'
import { fleetKeys } from '../features/fleet-keys/texts/fleet-keys.en.ts'
import { map } from '../features/map/texts/map.en.ts'
import { operations } from '../features/operator/texts/operations.en.ts'
import { operator } from '../features/operator/texts/operator.en.ts'
import { rules } from '../features/rules/texts/rules.en.ts'
import { bulk } from '../features/sensors/texts/bulk.en.ts'
import { connect } from '../features/sensors/texts/connect.en.ts'
import { deletions } from '../features/sensors/texts/deletions.en.ts'
import { importSensors } from '../features/sensors/texts/import-sensors.en.ts'
import { notes } from '../features/sensors/texts/notes.en.ts'
import { sensor } from '../features/sensors/texts/sensor.en.ts'
import { sensorForm } from '../features/sensors/texts/sensor-form.en.ts'
import { sensors } from '../features/sensors/texts/sensors.en.ts'
import { toolApis } from '../features/tool-apis/texts/tool-apis.en.ts'
import { batch } from '../features/tools/texts/batch.en.ts'
import { processForm } from '../features/tools/texts/process-form.en.ts'
import { recipes } from '../features/tools/texts/recipes.en.ts'
import { reference } from '../features/tools/texts/reference.en.ts'
import { results } from '../features/tools/texts/results.en.ts'
import { runs } from '../features/tools/texts/runs.en.ts'
import { tools } from '../features/tools/texts/tools.en.ts'
import { views } from '../features/views/texts/views.en.ts'
import { zones } from '../features/zones/texts/zones.en.ts'
import { chart } from './chart.en.ts'
import { failures } from './failures.en.ts'
import { frame } from './frame.en.ts'
import { table } from './table.en.ts'

export const en = {
  accounts,
  alerts,
  applications,
  audit,
  chart,
  compare,
  connect,
  dashboards,
  deletions,
  destinations,
  enterprise,
  exports,
  failures,
  fleetKeys,
  figures,
  frame,
  bulk,
  importSensors,
  keys,
  files,
  layers,
  map,
  notes,
  operations,
  operator,
  overview,
  batch,
  processForm,
  record,
  recipes,
  reference,
  reminders,
  results,
  rules,
  runs,
  sensorForm,
  sensor,
  sensors,
  table,
  tools,
  toolApis,
  usage,
  views,
  zones,
} as const
