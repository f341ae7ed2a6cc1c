import { t } from '../../text/text.ts'

/** "Truck 1 entered Yard": names are isolated by the text. */
export function EventText(props: { event: { when: string; sensorName?: string | null; layerName?: string | null } }) {
  const { when, sensorName, layerName } = props.event
  const sensor = sensorName ?? t('zones.events.deletedSensor')
  const zone = layerName ?? t('zones.events.deletedLayer')
  return <>{t(`zones.eventText.${when as 'enter' | 'leave' | 'inside' | 'outside'}`, { sensor, zone })}</>
}
