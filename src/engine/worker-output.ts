/** Logs the standard error of a worker process: a limited number of lines, without control characters. */

/** Libraries write a line or two about a broken file; further lines of a process are not worth logging. */
const MAX_LINES = 20
const WINDOW_MS = 10_000
const LINE_CHARS = 500

/** Control characters, separators of lines, and marks that change the direction of a text. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const escaped = (text: string): string =>
  text.replace(CONTROL, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Reads until the end, so that the process never blocks on a full pipe. */
export async function readOutput(output: ReadableStream<Uint8Array>, said: (line: string) => void): Promise<void> {
  let line = ''
  let lines = 0
  let sinceMs = 0
  const end = (): void => {
    const nowMs = performance.now()
    if (nowMs - sinceMs > WINDOW_MS) {
      sinceMs = nowMs
      lines = 0
    }
    if (line !== '' && ++lines <= MAX_LINES) said(escaped(line))
    line = ''
  }
  for await (const chunk of output) {
    // bytes beyond the limit are not decoded
    const rest = lines > MAX_LINES && performance.now() - sinceMs <= WINDOW_MS
    if (rest) continue
    const parts = Buffer.from(chunk.subarray(0, MAX_LINES * LINE_CHARS))
      .toString('utf8')
      .split('\n')
    for (const [i, part] of parts.entries()) {
      if (i > 0) end()
      line = (line + part).slice(0, LINE_CHARS)
    }
  }
  end()
}
