/** The worker's side: it answers the questions of its page, or reports why it cannot. */

/** The failure of a request as the server answered it, or a failure of the worker with its own code. */
export type Refusal = { status: number; text: string; code?: string }
export type Reply = { number: number; answer?: unknown; refusal?: Refusal }
export type Asked<Question> = Question & { number: number }

export const isRefusal = (error: unknown): error is Refusal =>
  typeof error === 'object' && error !== null && 'status' in error && 'text' in error

/** @throws Refusal, or the failure of a request that reached no server */
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { ...init, credentials: 'same-origin' })
  if (!response.ok) throw { status: response.status, text: await response.text() } satisfies Refusal
  return response
}

/** The names that browsers give to a request that reached no server, and to an aborted transfer. */
const OFFLINE = /fetch|network|load failed|input stream/i

function refusalOf(error: unknown): Refusal {
  if (isRefusal(error)) return error
  const text = String(error)
  return { status: 0, code: OFFLINE.test(text) ? 'OFFLINE' : 'UNEXPECTED', text }
}

export async function reply<Question>(data: Asked<Question>, answerOf: (question: Question) => unknown): Promise<void> {
  const { number } = data
  try {
    const answer = await answerOf(data)
    const transfer = answer instanceof ImageBitmap ? [answer] : []
    postMessage({ number, answer } satisfies Reply, { transfer })
  } catch (error) {
    postMessage({ number, refusal: refusalOf(error) } satisfies Reply)
  }
}
