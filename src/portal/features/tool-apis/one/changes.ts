/** Changes of a Tool API, from any part of its page. */

import { t } from '../../../text/text.ts'
import { type RecordChanges, useRecordChanges } from '../../../ui/table/record-changes.tsx'
import { ruleText } from './answer.tsx'
import { type Binding, type Rule, type ToolApi, type ToolApiVersion, toolApiPath } from './tool-api-data.ts'

export type ToolApiChange = {
  name?: string
  enabled?: boolean
  held?: boolean
  heldReason?: string
  settings?: Record<string, unknown>
  binding?: Binding
  rule?: Rule
  referenceFields?: string[] | null
}

/** @param onTheirs drops the typed values, because the other version was chosen */
export const useToolApiChanges = (
  version: ToolApiVersion,
  onChange: (next: ToolApiVersion) => void,
  onTheirs?: () => void,
): RecordChanges<ToolApi, ToolApiChange> =>
  useRecordChanges<ToolApi, ToolApiChange>({
    path: toolApiPath(version.record.id),
    version,
    onChange,
    labelOf: (field) => t(`toolApis.parts.${field}`),
    textOf: (field, one) => textOf(field, one[field]),
    saved: t('toolApis.saved'),
    conflictTitle: t('toolApis.conflictTitle'),
    conflict: t('toolApis.conflict'),
    ...(onTheirs && { onTheirs }),
  })

function textOf(field: keyof ToolApiChange, value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return t(value ? 'sensor.yes' : 'sensor.no')
  if (typeof value === 'string') return value
  if (field === 'rule') return ruleText(value as Rule)
  if (Array.isArray(value)) return value.join(', ')
  const members = Object.entries(value).map(
    ([name, one]) => `${name}: ${typeof one === 'object' ? JSON.stringify(one) : String(one)}`,
  )
  return members.length === 0 ? '–' : members.join(', ')
}
