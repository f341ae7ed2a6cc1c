/** Refusals of a sensor in the last hour, by reason, and what to do about each reason. */
import { send } from '../../../api/client.ts'
import { language } from '../../../shell/preferences.ts'
import type { TextKey } from '../../../text/catalogue.ts'

type Answer = {
  reason: string
  count: number
  lastAt: string
  example: string | null
  message: string
  messageAr: string
}
export type Refusal = Answer & { text: string }

/** `text` is the message in the person's language. */
export async function loadRefusals(id: string, signal: AbortSignal): Promise<Refusal[]> {
  const response = await send(`/enterprise/v1/assets/sensors/${encodeURIComponent(id)}/refusals`, { signal })
  const { data } = (await response.json()) as { data: { items: Answer[] } }
  return data.items.map((item) => ({ ...item, text: language.peek() === 'ar' ? item.messageAr : item.message }))
}

/** The remedy, where the API's message has none. */
export const FIXES: Record<string, TextKey> = {
  SENSOR_READING_UNREADABLE: 'sensor.fixes.line',
  SENSOR_READING_AT_INVALID: 'sensor.fixes.time',
  SENSOR_READING_IN_FUTURE: 'sensor.fixes.clock',
  SENSOR_READING_TOO_OLD: 'sensor.fixes.old',
  SENSOR_READING_UNKNOWN_CHANNEL: 'sensor.fixes.channel',
  SENSOR_READING_BAD_VALUE: 'sensor.fixes.value',
  SENSOR_READING_LOCATION: 'sensor.fixes.location',
  SENSOR_READING_DUPLICATE_IN_BATCH: 'sensor.fixes.twice',
  SENSOR_READINGS_BATCH_INVALID: 'sensor.fixes.body',
  SENSOR_READINGS_DAILY_LIMIT: 'sensor.fixes.day',
  SENSOR_RATE_LIMITED: 'sensor.fixes.rate',
  SENSOR_DISABLED: 'sensor.fixes.off',
  SENSOR_HELD: 'sensor.fixes.held',
  SENSOR_KEY_INVALID: 'sensor.fixes.key',
  BODY_TOO_LARGE: 'sensor.fixes.large',
}
