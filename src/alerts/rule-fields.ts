/** From the fields of a request to what is stored of a rule: the checks, and what the fields refer to. */
import { fieldsFailure, invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { RuleKind, RuleSchedule, Severity } from '../stores/postgres/alerts/rule-schema.ts'
import {
  hasTargets,
  measurementsOf,
  someChannels,
  type Targets,
  tagsInUse,
} from '../stores/postgres/alerts/rule-targets.ts'
import type { Rule, RuleValues } from '../stores/postgres/alerts/rules.ts'
import type { Database } from '../stores/postgres/client.ts'
import { findLayer, hasPolygons, type Layer } from '../stores/postgres/layers/layers.ts'
import { findSensors, type Measurement } from '../stores/postgres/sensors/sensors.ts'
import { type Warning, warning } from '../warnings/warning.ts'
import { channelFaults, channelsOf, fieldFaults, foreignFields, type KindFields } from './rule-checks.ts'
import type { Domain } from './satisfiable.ts'
import { DEFAULTS, definitionOf } from './stored-rule.ts'

/** Of a request. Fields that are not sent stay as they are, or get their default. */
export type RuleFields = KindFields & {
  kind?: RuleKind
  name?: string
  note?: string
  severity?: Severity
  enabled?: boolean
  schedule?: RuleSchedule | null
  sensorIds?: 'all' | string[]
  /** Another way to write `sensorIds: 'all'`. */
  all?: true
  tags?: string[]
}

/** A rule that passed the checks. */
export type CheckedRule = {
  values: RuleValues
  warnings: Warning[]
  /** The layer that the fields name. */
  layer: Layer | undefined
}

/** Another change of a rule is allowed although its channel was removed. */
const ABOUT_CHANNELS = ['conditions', 'match', 'channel', 'sensorIds', 'all', 'tags']
/** Channels that a fault lists. */
const MAX_LISTED = 20

/**
 * @param before the stored rule that the fields change; undefined for a new rule, and for one to preview
 * @param where the path of the rule in the request
 * @throws AppError VALIDATION_FAILED naming each invalid field
 */
export async function checkRule(
  db: Database,
  enterpriseId: string,
  fields: RuleFields,
  before: Rule | undefined,
  where = 'body',
): Promise<CheckedRule> {
  const kind = before?.kind ?? fields.kind ?? 'zone'
  if (fields.kind !== undefined && fields.kind !== kind)
    throw invalidField(`${where}.kind`, 'const', fieldText('fixedKind', { kind }))
  const own = kindFieldsOf(kind, fields, before)
  const { layerId, when, ...definition } = own
  const common = {
    kind,
    name: fields.name ?? before?.name ?? '',
    note: fields.note ?? before?.note ?? '',
    severity: fields.severity ?? before?.severity ?? 'warning',
    enabled: fields.enabled ?? before?.enabled ?? true,
    schedule: fields.schedule === undefined ? (before?.schedule ?? null) : fields.schedule,
  }
  const faults = [...foreignFields(where, kind, fields), ...fieldFaults(where, common, own)]
  if (faults.length > 0) throw fieldsFailure('VALIDATION_FAILED', faults)
  const targets = await targetsOf(db, enterpriseId, fields, before, where)
  const layer = await layerOf(db, enterpriseId, fields, where)
  if (before === undefined || ABOUT_CHANNELS.some((field) => field in fields))
    await checkChannels(db, enterpriseId, definition, targets, where)
  const place = { layerId: layerId ?? definition.within?.layerId ?? null, event: when ?? null }
  const values = { ...common, ...targets, ...place, definition }
  return { values, warnings: await warningsOf(db, enterpriseId, fields.tags ?? []), layer }
}

/** Fields of the kind: from the request, else the stored ones, else their defaults, for which null stands. */
function kindFieldsOf(kind: RuleKind, fields: RuleFields, before: Rule | undefined): KindFields {
  const { kind: _, name, note, severity, enabled, schedule, sensorIds, all, tags, ...sent } = fields
  const place = kind === 'zone' && before !== undefined ? { layerId: before.layerId, when: before.event } : {}
  const stored: KindFields = before === undefined ? {} : { ...definitionOf(before), ...place }
  // a dwell that becomes another event has no time
  if (sent.when !== undefined && sent.when !== 'dwell') delete stored.dwellSeconds
  const chosen = Object.entries({ ...stored, ...sent }).filter(([, value]) => value !== null)
  return { ...DEFAULTS[kind], ...Object.fromEntries(chosen) }
}

/** @throws AppError VALIDATION_FAILED */
async function targetsOf(
  db: Database,
  enterpriseId: string,
  { all, sensorIds: sent, tags: sentTags }: RuleFields,
  before: Rule | undefined,
  where: string,
): Promise<Targets> {
  if (all !== undefined && sent !== undefined && sent !== 'all')
    throw invalidField(`${where}.all`, 'forbidden', fieldText('notTogether', { field: 'sensorIds' }))
  if (all !== undefined || sent === 'all') {
    if (sentTags !== undefined && sentTags.length > 0)
      throw invalidField(
        `${where}.tags`,
        'forbidden',
        fieldText('notTogether', { field: all === undefined ? 'sensorIds: "all"' : 'all' }),
      )
    return { allSensors: true, sensorIds: [], tags: [] }
  }
  const tags = sentTags ?? before?.tags ?? []
  if (sent === undefined && before?.allSensors === true && tags.length === 0)
    return { allSensors: true, sensorIds: [], tags }
  const sensorIds = sent ?? before?.sensorIds ?? []
  if (sensorIds.length === 0 && tags.length === 0)
    throw invalidField(`${where}.sensorIds`, sent === undefined ? 'required' : 'anyOf', fieldText('targets'))
  if (sent !== undefined) await requireSensors(db, enterpriseId, sent, where)
  return { allSensors: false, sensorIds, tags }
}

async function requireSensors(db: Database, enterpriseId: string, ids: readonly string[], where: string) {
  const found = new Set((await findSensors(db, enterpriseId, ids, ids.length)).map(({ id }) => id))
  const unknown = ids.findIndex((id) => !found.has(id))
  if (unknown >= 0) throw invalidField(`${where}.sensorIds.${unknown}`, 'exists', fieldText('sensorOfEnterprise'))
}

/** @returns the layer that the fields name @throws AppError VALIDATION_FAILED */
async function layerOf(db: Database, enterpriseId: string, { layerId, within }: RuleFields, where: string) {
  const id = layerId ?? within?.layerId
  if (id === undefined) return undefined
  const field = `${where}.${layerId == null ? 'within.layerId' : 'layerId'}`
  const layer = await findLayer(db, id)
  if (layer?.enterpriseId !== enterpriseId) throw invalidField(field, 'exists', fieldText('layerOfEnterprise'))
  if (!hasPolygons(layer)) throw invalidField(field, 'polygons', fieldText('polygonLayer'))
  if (layer.featureCount === 0) throw invalidField(field, 'polygons', fieldText('polygonsInLayer'))
  return layer
}

/** @throws AppError VALIDATION_FAILED */
async function checkChannels(
  db: Database,
  enterpriseId: string,
  definition: RuleValues['definition'],
  targets: Targets,
  where: string,
): Promise<void> {
  const names = [...new Set(channelsOf(definition).map(({ channel }) => channel))]
  if (names.length === 0) return
  const isChecked = await hasTargets(db, enterpriseId, targets)
  const found = isChecked ? await measurementsOf(db, enterpriseId, targets, names) : []
  const domains = new Map(
    [...Map.groupBy(found, ({ name }) => name)].map(([name, own]) => [
      name,
      domainOf(own.map((one) => one.measurement)),
    ]),
  )
  const isKnown = names.every((name) => domains.has(name))
  const known = isChecked && !isKnown ? await someChannels(db, enterpriseId, targets, MAX_LISTED) : []
  const faults = channelFaults(where, definition, isChecked ? domains : undefined, known)
  if (faults.length > 0) throw fieldsFailure('VALIDATION_FAILED', faults)
}

/** What all sensors have in common, of which some may measure something else by the same name. */
function domainOf(measurements: readonly Measurement[]): Domain {
  const [first = 'number', ...others] = measurements
  return others.every((measurement) => measurement === first) ? first : 'number'
}

async function warningsOf(db: Database, enterpriseId: string, tags: readonly string[]): Promise<Warning[]> {
  if (tags.length === 0) return []
  const used = await tagsInUse(db, enterpriseId, tags)
  return tags.filter((tag) => !used.includes(tag)).map((tag) => warning('tagWithoutSensors', { tag }))
}
