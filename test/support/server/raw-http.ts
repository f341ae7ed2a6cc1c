/** Raw bytes to an HTTP server, and its answer. */
import { connect } from 'node:net'

/**
 * Sends the parts with a pause between them, and returns everything received until the server closes or is silent for
 * `quietMs`. The first byte may take `firstMs`. With `inTurn`, each part waits for the answer to the previous one.
 */
export async function exchange(
  parts: (string | Buffer)[],
  {
    port,
    quietMs = 250,
    firstMs = quietMs,
    pauseMs = 5,
    inTurn = false,
    end = false,
  }: { port: number; quietMs?: number; firstMs?: number; pauseMs?: number; inTurn?: boolean; end?: boolean },
): Promise<{ text: string; closed: boolean; localPort: number }> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  let closed = false
  let localPort = 0
  socket.on('connect', () => {
    localPort = socket.localPort ?? 0
  })
  let lastMs = performance.now()
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    lastMs = performance.now()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    closed = true
  })
  for (const part of parts) {
    if (closed) break
    const received = chunks.length
    await new Promise((resolve) => socket.write(part, resolve))
    await Bun.sleep(pauseMs)
    while (inTurn && !closed && chunks.length === received) await Bun.sleep(5)
  }
  if (end) socket.end()
  lastMs = performance.now()
  while (!closed && performance.now() - lastMs < (chunks.length === 0 ? firstMs : quietMs)) await Bun.sleep(5)
  socket.destroy()
  return { text: Buffer.concat(chunks).toString('latin1'), closed, localPort }
}

export const post = (path: string, body: string, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
/** The JSON bodies of all answers. */
export const answersIn = (text: string): { method: string; target: string; body: string }[] =>
  [...text.matchAll(/\{"method".*?"\}(?=HTTP|\r|$)/g)].map(([json]) => JSON.parse(json))
