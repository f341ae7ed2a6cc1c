/** A sensor's refusals of the last hour, by reason, so that senders of wrong data see why. */
import { CODES } from '../../errors.ts'
import { formatTimestamp } from '../../ingest/timestamp.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { refusalsOf } from '../../stores/clickhouse/sensor-activity.ts'
import { REFUSED_FOR_MS } from './sensor-state.ts'

type ReadingReason =
  | 'SENSOR_READING_UNREADABLE'
  | 'SENSOR_READING_AT_INVALID'
  | 'SENSOR_READING_IN_FUTURE'
  | 'SENSOR_READING_TOO_OLD'
  | 'SENSOR_READING_UNKNOWN_CHANNEL'
  | 'SENSOR_READING_BAD_VALUE'
  | 'SENSOR_READING_LOCATION'
  | 'SENSOR_READING_DUPLICATE_IN_BATCH'
  | 'SENSOR_READING_CONFLICT'
  | 'SENSOR_FIELD_TEXT'
  | 'SENSOR_READING_NO_TIME'

type Texts = { en: string; ar: string }

/** Reasons to refuse single readings; the others are codes of whole calls. */
export const READING_TEXTS: Record<ReadingReason, Texts> = {
  SENSOR_READING_UNREADABLE: {
    en: 'A line of the body is not JSON, not a row with as many fields as the header, or not line protocol.',
    ar: 'أحد سطور المحتوى ليس JSON صالحًا، أو ليس صفًا بعدد حقول صف العناوين، أو لا يتبع بروتوكول الأسطر.',
  },
  SENSOR_READING_AT_INVALID: {
    en: 'The time is missing or is not an RFC 3339 date-time with seconds and an offset, such as 2026-01-31T12:00:00Z.',
    ar: 'الوقت مفقود أو ليس بصيغة RFC 3339 بالثواني وفارق التوقيت، مثل 2026-01-31T12:00:00Z.',
  },
  SENSOR_READING_IN_FUTURE: {
    en: "The time is more than 10 minutes in the future; check the sensor's clock.",
    ar: 'الوقت متقدم أكثر من 10 دقائق على الوقت الحالي؛ تحقق من ساعة المستشعر.',
  },
  SENSOR_READING_TOO_OLD: {
    en: 'The reading is older than the enterprise keeps readings.',
    ar: 'القراءة أقدم من مدة الاحتفاظ بالقراءات في المؤسسة.',
  },
  SENSOR_READING_UNKNOWN_CHANNEL: {
    en: 'A value is of a channel that the sensor does not have; add the channel or change its name in the device.',
    ar: 'إحدى القيم لقناة غير موجودة في المستشعر؛ أضف القناة أو غيّر اسمها في الجهاز.',
  },
  SENSOR_READING_BAD_VALUE: {
    en: "A value does not fit its channel's measurement or unit, or the reading has neither a value nor a location.",
    ar: 'إحدى القيم لا تناسب نوع قياس قناتها أو وحدتها، أو أن القراءة بلا قيمة ولا موقع.',
  },
  SENSOR_READING_LOCATION: {
    en: 'The location is not [longitude, latitude] in degrees within ±180 and ±90.',
    ar: 'الموقع ليس بصيغة [خط الطول، خط العرض] بالدرجات ضمن ±180 و±90.',
  },
  SENSOR_READING_DUPLICATE_IN_BATCH: {
    en: 'Another reading of the same batch has the same time; the first one was taken.',
    ar: 'قراءة أخرى في الدفعة نفسها تحمل الوقت نفسه؛ اعتُمدت الأولى.',
  },
  SENSOR_READING_CONFLICT: {
    en: 'The sensor has another value of the same channel, or another reading, in the same millisecond; that one stays.',
    ar: 'للمستشعر قيمة أخرى للقناة نفسها أو قراءة أخرى في جزء الألف من الثانية نفسه، وهي التي تبقى.',
  },
  SENSOR_FIELD_TEXT: {
    en: 'A field is text, which is not stored; the rest of the point is.',
    ar: 'أحد الحقول نص، والنصوص لا تُخزَّن؛ أما بقية النقطة فتُخزَّن.',
  },
  SENSOR_READING_NO_TIME: {
    en: 'A reading came without a time and got that of its arrival; sent again, it is stored twice.',
    ar: 'وصلت قراءة بلا وقت فأُعطيت وقت وصولها؛ وإذا أُرسلت ثانيةً خُزّنت مرتين.',
  },
}

/** Of entries of a call with many sensors. */
const ENTRY_TEXTS: Record<'SENSOR_UNKNOWN' | 'SENSOR_PENDING', Texts> = {
  SENSOR_UNKNOWN: {
    en: 'The key has no such sensor: there is none with this id or external id, or it has none of the tags of the key.',
    ar: 'ليس لهذا المفتاح مستشعر كهذا: لا مستشعر بهذا المعرّف أو المعرّف الخارجي، أو ليس له أي من وسوم المفتاح.',
  },
  SENSOR_PENDING: {
    en: 'The device waits for approval, and nothing of it is stored until then.',
    ar: 'الجهاز بانتظار الموافقة، ولا يُخزَّن منه شيء حتى ذلك الحين.',
  },
}

/** A reason in words, of readings, of calls and of entries of a call. */
export function refusalTexts(reason: string): Texts {
  const known = { ...CODES, ...READING_TEXTS, ...ENTRY_TEXTS } as Record<string, Texts>
  return known[reason] ?? { en: reason, ar: reason }
}

export type Refused = {
  reason: string
  count: number
  lastAt: string
  /** An example as sent, at most 1 kB; null when none may or can be shown. */
  example: string | null
  message: string
  messageAr: string
}

/** Newest first. */
export async function refusalsOfLastHour(
  clickhouse: ClickHouse,
  sender: { enterprise: number; sensor: number },
  signal: AbortSignal,
): Promise<Refused[]> {
  const rows = await refusalsOf(clickhouse, { ...sender, sinceMs: Date.now() - REFUSED_FOR_MS }, signal)
  return rows.map(([reason, count, lastMs, example]) => {
    const { en, ar } = refusalTexts(reason)
    const lastAt = formatTimestamp(lastMs)
    return { reason, count, lastAt, example: example === '' ? null : example, message: en, messageAr: ar }
  })
}
