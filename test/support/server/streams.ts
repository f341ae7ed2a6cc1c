/** Streams of the events of an enterprise, read as a browser would. */
import type { Instance, Organization } from './instance.ts'

export type Received = {
  event: string
  data: { items: Record<string, unknown>[]; features?: unknown[]; counts?: unknown }
}

export const connectStream = (
  instance: Instance,
  { publicKey, secretKey }: Organization,
  query: string,
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${instance.url()}/enterprise/v1/assets/stream?${query}`, {
    headers: { 'x-api-key': publicKey, 'x-api-secret': secretKey },
    ...(signal && { signal }),
  })

/** Collects the events of a stream until it ends or is closed. */
export async function watchStream(instance: Instance, who: Organization, query: string) {
  const leaving = new AbortController()
  const response = await connectStream(instance, who, query, leaving.signal)
  if (response.status !== 200) throw new Error(await response.text())
  const received: Received[] = []
  /** Lines that are not events. */
  const lines: string[] = []
  let hasEnded = false
  async function read(): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(text.slice(0, end)) ?? []
        if (event === undefined) lines.push(text.slice(0, end))
        else received.push({ event, data: JSON.parse(data ?? '') as Received['data'] })
        text = text.slice(end + 2)
      }
    }
  }
  const reading = read()
    // closing a stream ends reading with an error
    .catch(() => undefined)
    .finally(() => {
      hasEnded = true
    })
  return {
    received,
    lines,
    itemsOf: (event: string) => received.filter((one) => one.event === event).flatMap(({ data }) => data.items),
    ended: () => hasEnded,
    async leave() {
      leaving.abort()
      await reading
    },
  }
}
