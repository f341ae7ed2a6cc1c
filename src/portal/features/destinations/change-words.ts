/** A change of a destination in words, for the question when two people change it. */
import { formatList } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { durationText } from '../rules/durations.ts'
import { type Destination, type DestinationChange, eventName } from './destination-data.ts'

const LABELS = {
  name: 'destinations.name',
  url: 'destinations.url',
  events: 'destinations.eventsTitle',
  minSeverity: 'destinations.minSeverity',
  ruleIds: 'alerts.silences.rules',
  tags: 'destinations.tags',
  groupSeconds: 'destinations.group',
  repeatSeconds: 'destinations.repeat',
  to: 'destinations.to',
  language: 'destinations.language',
  headers: 'destinations.headers',
  routingKey: 'destinations.routingKey',
  enabled: 'destinations.state',
} as const satisfies Record<keyof DestinationChange, string>

export const changeWords = (record: Destination) => ({
  labelOf: (field: keyof DestinationChange & string) => t(LABELS[field]),
  textOf(field: keyof DestinationChange & string, version: Destination | DestinationChange): string {
    const values = { ...record, ...version }
    switch (field) {
      case 'name':
      case 'url':
        return values[field] ?? ''
      case 'events':
        return formatList(values.events.map(eventName))
      case 'minSeverity':
        return values.minSeverity === null
          ? t('destinations.anySeverity')
          : t(`destinations.from.${values.minSeverity}`)
      case 'ruleIds':
        return t('zones.pickedCount', { count: values.ruleIds.length })
      case 'to':
        return [values.to].flat().join(', ')
      case 'language':
        return values.language === 'ar' ? 'العربية' : 'English'
      case 'groupSeconds':
        return durationText(values.groupSeconds)
      case 'repeatSeconds':
        return values.repeatSeconds === null ? '–' : durationText(values.repeatSeconds)
      case 'tags':
        return formatList(values.tags) || '–'
      case 'headers':
        return formatList('headers' in version ? Object.keys(version.headers ?? {}) : record.headerNames) || '–'
      case 'routingKey':
        return t('destinations.hidden')
      case 'enabled':
        return t(values.enabled ? 'destinations.on' : 'destinations.off')
    }
  },
})
