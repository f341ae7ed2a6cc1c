/** The worker that reads the features of a result, so that a large file does not stop the page. */
import { createPainter } from '../picture/painter.ts'
import { createFeatureBytes, type FeatureBytes } from './feature-bytes.ts'
import { createFeatureTable, type FeatureTable } from './feature-table.ts'
import type { Answers, Question, Refusal, Reply } from './features-protocol.ts'

type Asked = Question & { number: number }

let table: FeatureTable | undefined
const painter = createPainter(() => [])

function openTable(bytes: FeatureBytes): FeatureTable {
  painter.forget()
  return createFeatureTable(bytes, (geometry) => painter.add([geometry]))
}

async function load(url: string): Promise<Answers['load']> {
  const response = await fetch(url, { credentials: 'same-origin' })
  if (!response.ok) throw { status: response.status, text: await response.text() } satisfies Refusal
  const bytes = createFeatureBytes(Number(response.headers.get('content-length')) || undefined)
  let opened = openTable(bytes)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    try {
      if (value !== undefined) bytes.add(value)
      else if (!bytes.end()) opened = openTable(bytes)
      opened.read()
    } catch {
      await reader.cancel()
      throw 'unreadable' satisfies Refusal
    }
    if (done) break
  }
  table = opened
  // the map starts meanwhile, and its first picture finds them ready
  setTimeout(painter.prepare)
  return table.summary()
}

function answerOf(question: Question): Answers[keyof Answers] | Promise<Answers['load']> {
  if (question.kind === 'load') return load(question.url)
  if (table === undefined) throw 'unreadable' satisfies Refusal
  switch (question.kind) {
    case 'rows':
      return table.rows(question.offset, question.limit, question.sorting)
    case 'place':
      return table.place(question.index, question.sorting)
    case 'picture':
      return painter.picture(question.view, question.look)
    case 'at':
      return painter.at(question.touch)
  }
}

const isRefusal = (error: unknown): error is Refusal =>
  error === 'unreadable' || (typeof error === 'object' && error !== null && 'status' in error && 'text' in error)

async function reply({ data }: MessageEvent<Asked>): Promise<void> {
  const { number } = data
  try {
    const answer = await answerOf(data)
    const transfer = answer instanceof ImageBitmap ? [answer] : []
    postMessage({ number, answer } satisfies Reply, { transfer })
  } catch (error) {
    // a request that reached nobody
    const refusal = isRefusal(error) ? error : { status: 0, text: String(error) }
    postMessage({ number, refusal } satisfies Reply)
  }
}

addEventListener('message', (event: MessageEvent<Asked>) => void reply(event))
