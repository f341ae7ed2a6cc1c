/** Refusals of a sensor in the last hour, by reason. */
import { send } from '../../../api/client.ts'
import { language } from '../../../shell/preferences.ts'

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
