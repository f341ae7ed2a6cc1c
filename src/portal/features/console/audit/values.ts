/** Values of recorded fields as people read them: words for codes, moments, sizes and names of tools. */
import { language } from '../../../shell/preferences.ts'
import type { TextKey } from '../../../text/catalogue.ts'
import { formatBytes, formatExact, formatFigure } from '../../../text/format.ts'
import { isolated, t } from '../../../text/text.ts'
import { tierName } from '../../../text/tiers.ts'
import type { Scalar, Value } from './diff.ts'
import { actorParts } from './words.ts'

/** @returns the title of a tool, or its id */
export type ToolName = (id: string) => string

/** Words of codes by field. Codes without a word are shown as they are. */
const WORDS: Record<string, Record<string, TextKey>> = {
  role: { owner: 'audit.roles.owner', admin: 'audit.roles.admin', member: 'audit.roles.member' },
  status: {
    active: 'operator.status.active',
    suspended: 'operator.status.suspended',
    accepted: 'runs.states.accepted',
    waiting: 'runs.states.accepted',
    running: 'runs.states.running',
    successful: 'runs.states.successful',
    done: 'runs.states.successful',
    failed: 'runs.states.failed',
    dismissed: 'runs.states.dismissed',
  },
  scanStatus: {
    pending: 'files.states.pending',
    clean: 'files.states.clean',
    infected: 'files.states.infected',
    failed: 'files.states.failed',
  },
  scanReason: { 'set by the operator': 'audit.values.setByOperator' },
  by: { 'the operator': 'audit.roles.operator' },
  kind: {
    vector: 'files.kinds.vector',
    raster: 'files.kinds.raster',
    image: 'files.kinds.image',
    document: 'files.kinds.document',
    table: 'files.kinds.table',
    archive: 'files.kinds.archive',
    layer: 'audit.kinds.layer',
    file: 'audit.kinds.file',
    'file-version': 'audit.kinds.file-version',
    operator: 'audit.roles.operator',
    person: 'audit.kinds.person',
    invitation: 'audit.values.invitation',
    reset: 'audit.values.reset',
    'sign-up': 'audit.values.signUp',
  },
  measurement: {
    number: 'sensorForm.kinds.number',
    whole: 'sensorForm.kinds.whole',
    boolean: 'sensorForm.kinds.boolean',
  },
  event: {
    enter: 'zones.whens.enter',
    leave: 'zones.whens.leave',
    inside: 'zones.whens.inside',
    outside: 'zones.whens.outside',
    dwell: 'zones.whens.dwell',
  },
  tools: { all: 'audit.values.all' },
  sensorIds: { all: 'audit.values.all' },
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const ACTORS = new Set(['changedBy', 'createdBy', 'requestedBy'])
const TOOLS = new Set(['tools', 'toolId'])
const TIERS = new Set(['tier', 'plan'])
const SIZES = new Set(['bytes'])

/** @param field the innermost name */
export function valueText(field: string, value: Value | undefined, toolName: ToolName): string {
  if (value === undefined || value === '') return '–'
  if (!Array.isArray(value)) return scalarText(field, value, toolName)
  if (value.length === 0) return '–'
  return value.map((item) => scalarText(field, item, toolName)).join(language.value === 'ar' ? '، ' : ', ')
}

function scalarText(field: string, value: Scalar, toolName: ToolName): string {
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no')
  if (typeof value === 'number') return SIZES.has(field) ? formatBytes(value) : formatFigure(value)
  if (MOMENT.test(value)) return formatExact(Date.parse(value))
  const word = WORDS[field]?.[value]
  if (word !== undefined) return t(word)
  if (TIERS.has(field)) return tierName(value)
  if (TOOLS.has(field)) return toolName(value)
  return ACTORS.has(field) ? actorText(value) : value
}

function actorText(actor: string): string {
  const { who, role } = actorParts(actor)
  if (role === undefined) return actor
  return who === '' ? role : `${isolated(who)} · ${role}`
}
