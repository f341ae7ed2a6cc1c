/** Changes of a sensor, from any part of its page. */

import { t } from '../../../text/text.ts'
import { type RecordChanges, useRecordChanges } from '../../../ui/table/record-changes.tsx'
import { type SensorRecord, type SensorVersion, sensorPath } from './sensor-data.ts'

export type SensorChange = {
  name?: string
  externalId?: string | null
  assetName?: string
  tags?: string[]
  enabled?: boolean
  held?: boolean
  heldReason?: string
  channels?: { name: string; measurement: 'number' | 'whole' | 'boolean'; unit?: string }[]
}

/** @param onTheirs drops the typed values when the other version was chosen */
export const useSensorChanges = (
  version: SensorVersion,
  onChange: (next: SensorVersion) => void,
  onTheirs?: () => void,
): RecordChanges<SensorRecord, SensorChange> =>
  useRecordChanges<SensorRecord, SensorChange>({
    path: sensorPath(version.record.id),
    version,
    onChange,
    textOf,
    labelOf: (field) => t(`sensor.fields.${field}`),
    conflictTitle: t('sensor.conflictTitle'),
    conflict: t('sensor.conflict'),
    ...(onTheirs && { onTheirs }),
  })

function textOf(field: keyof SensorChange, version: SensorChange | SensorRecord): string {
  if (field === 'channels') {
    const channels = (version.channels ?? []).filter((channel) => !('active' in channel) || channel.active)
    return channels.map(({ name, unit }) => (unit ? `${name} (${unit})` : name)).join(', ')
  }
  const value = version[field]
  if (typeof value === 'boolean') return t(value ? 'sensor.yes' : 'sensor.no')
  return Array.isArray(value) ? value.join(', ') : (value ?? '–')
}
