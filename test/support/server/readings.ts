/** Sensors with a channel of each measurement, and answers to their readings. */
import { type Envelope, fromNow } from './instance.ts'

export const CHANNELS = [
  { name: 'temperature', measurement: 'number' as const, unit: '°C' },
  { name: 'count', measurement: 'whole' as const },
  { name: 'open', measurement: 'boolean' as const },
]
export const one = (at = fromNow(-1000)) => ({ readings: [{ at, values: { temperature: 20.5 } }] })
export async function failure(response: Response) {
  const { code, statusCode, errors } = (await response.json()) as Envelope
  return { status: response.status, code, statusCode, errors }
}
export const codeOf = async (response: Response): Promise<string> => (await failure(response)).code
