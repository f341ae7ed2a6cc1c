/** Arabic texts, by area. */
import { accounts } from '../features/account/texts/accounts.ar.ts'
import { keys } from '../features/account/texts/keys.ar.ts'
import { reminders } from '../features/account/texts/reminders.ar.ts'
import { alerts } from '../features/alerts/texts/alerts.ar.ts'
import { compare } from '../features/compare/texts/compare.ar.ts'
import { applications } from '../features/console/texts/applications.ar.ts'
import { audit } from '../features/console/texts/audit.ar.ts'
import { enterprise } from '../features/console/texts/enterprise.ar.ts'
import { figures } from '../features/console/texts/figures.ar.ts'
import { overview } from '../features/console/texts/overview.ar.ts'
import { record } from '../features/console/texts/record.ar.ts'
import { usage } from '../features/console/texts/usage.ar.ts'
import { dashboards } from '../features/dashboards/texts/dashboards.ar.ts'
import { exports } from '../features/data/texts/exports.ar.ts'
import { files } from '../features/data/texts/files.ar.ts'
import { layers } from '../features/data/texts/layers.ar.ts'
import { destinations } from '../features/destinations/texts/destinations.ar.ts'
import { fleetKeys } from '../features/fleet-keys/texts/fleet-keys.ar.ts'
import { map } from '../features/map/texts/map.ar.ts'
import { operations } from '../features/operator/texts/operations.ar.ts'
import { operator } from '../features/operator/texts/operator.ar.ts'
import { rules } from '../features/rules/texts/rules.ar.ts'
import { bulk } from '../features/sensors/texts/bulk.ar.ts'
import { connect } from '../features/sensors/texts/connect.ar.ts'
import { deletions } from '../features/sensors/texts/deletions.ar.ts'
import { importSensors } from '../features/sensors/texts/import-sensors.ar.ts'
import { notes } from '../features/sensors/texts/notes.ar.ts'
import { sensor } from '../features/sensors/texts/sensor.ar.ts'
import { sensorForm } from '../features/sensors/texts/sensor-form.ar.ts'
import { sensors } from '../features/sensors/texts/sensors.ar.ts'
import { toolApis } from '../features/tool-apis/texts/tool-apis.ar.ts'
import { batch } from '../features/tools/texts/batch.ar.ts'
import { processForm } from '../features/tools/texts/process-form.ar.ts'
import { recipes } from '../features/tools/texts/recipes.ar.ts'
import { reference } from '../features/tools/texts/reference.ar.ts'
import { results } from '../features/tools/texts/results.ar.ts'
import { runs } from '../features/tools/texts/runs.ar.ts'
import { tools } from '../features/tools/texts/tools.ar.ts'
import { views } from '../features/views/texts/views.ar.ts'
import { zones } from '../features/zones/texts/zones.ar.ts'
import type { Catalogue } from './catalogue.ts'
import { chart } from './chart.ar.ts'
import { failures } from './failures.ar.ts'
import { frame } from './frame.ar.ts'
import { table } from './table.ar.ts'

export const ar: Catalogue = {
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
  layers,
  files,
}
