/** One reason for which readings or calls of a sensor were refused: the data sent, and the remedy. */
import { href } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { Code } from '../../account/key-box.tsx'
import { FIXES, type Refusal } from './refusal-data.ts'

export type RefusedSensor = { id: string; channels: readonly { name: string; active: boolean }[] }

/** @param isBeside the page is still needed: settings open in another tab */
export function RefusalReason(props: { refusal: Refusal; sensor: RefusedSensor; isBeside?: boolean }) {
  const { refusal, sensor } = props
  const { reason, count, lastAt, example, text } = refusal
  const channel = unknownName(refusal, sensor)
  const isColumn = channel !== undefined && reason === 'SENSOR_READINGS_BATCH_INVALID'
  const fix = isColumn ? 'sensor.fixes.column' : FIXES[reason]
  return (
    <>
      <h3>{text}</h3>
      <p class="refusal-facts weak">
        <span class="number">{t('sensor.refusedTimes', { count })}</span>
        <span>
          {t('sensor.lastTime')} <Age at={lastAt} />
        </span>
        <code dir="ltr">{reason}</code>
      </p>
      {fix !== undefined && <p>{t(fix)}</p>}
      {example !== null && (
        <div>
          <h4 class="weak">{t('sensor.wasSent')}</h4>
          <Code text={pretty(example)} />
        </div>
      )}
      {channel !== undefined && may.value.administer && (
        <a
          class="button"
          target={props.isBeside ? '_blank' : undefined}
          href={href('/sensors/:id', { id: sensor.id }, { tab: 'settings', add: channel })}
        >
          {t('sensor.addThisChannel', { channel })}
        </a>
      )}
    </>
  )
}

/** Examples that were cut are not valid JSON. */
function pretty(example: string): string {
  try {
    return JSON.stringify(JSON.parse(example), undefined, 2)
  } catch {
    return example
  }
}

/** A name in an example that the sensor does not have: of a value, or of a column of a CSV. */
function unknownName({ reason, example }: Refusal, sensor: RefusedSensor): string | undefined {
  const known = new Set(sensor.channels.filter(({ active }) => active).map(({ name }) => name))
  if (reason === 'SENSOR_READINGS_BATCH_INVALID') return columnsOf(example ?? '').find((name) => !known.has(name))
  if (reason !== 'SENSOR_READING_UNKNOWN_CHANNEL') return undefined
  try {
    const { values, channel } = JSON.parse(example ?? '{}') as { values?: Record<string, unknown>; channel?: string }
    const names = values !== undefined ? Object.keys(values) : channel !== undefined ? [channel] : []
    return names.find((name) => !known.has(name))
  } catch {
    // cut at one kilobyte
    return undefined
  }
}

/** Line breaks are not shown as they were sent. */
const LINE_END = /[\r\n\ufffd]/
const NO_CHANNELS = new Set(['', 'at', 'longitude', 'latitude', 'lon', 'lat'])

/** Columns of a CSV besides time and location; none for another body, or where quotes make their ends unclear. */
function columnsOf(body: string): string[] {
  const end = body.search(LINE_END)
  const header = body.slice(0, Math.max(0, end))
  const cells = header.split(',').map((cell) => cell.trim())
  return header.includes('"') || !cells.includes('at') ? [] : cells.filter((cell) => !NO_CHANNELS.has(cell))
}
