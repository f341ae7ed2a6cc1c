/** The worker that reads the features of a result, so that a large file does not stop the page. */
import { createFeatureTable, type FeatureTable } from './feature-table.ts'
import type { Answers, Question, Refusal, Reply } from './features-protocol.ts'

type Asked = Question & { number: number }

let table: FeatureTable | undefined

async function load(url: string): Promise<Answers['load']> {
  const response = await fetch(url, { credentials: 'same-origin' })
  const text = await response.text()
  if (!response.ok) throw { status: response.status, text } satisfies Refusal
  try {
    table = createFeatureTable(text)
  } catch {
    throw 'unreadable' satisfies Refusal
  }
  return table.summary
}

function answerOf(question: Question): Answers[keyof Answers] | Promise<Answers['load']> {
  if (question.kind === 'load') return load(question.url)
  if (table === undefined) throw 'unreadable' satisfies Refusal
  return question.kind === 'rows'
    ? table.rows(question.offset, question.limit, question.sorting)
    : table.place(question.index, question.sorting)
}

const isRefusal = (error: unknown): error is Refusal =>
  error === 'unreadable' || (typeof error === 'object' && error !== null && 'status' in error && 'text' in error)

async function reply({ data }: MessageEvent<Asked>): Promise<void> {
  const { number } = data
  try {
    postMessage({ number, answer: await answerOf(data) } satisfies Reply)
  } catch (error) {
    // a request that reached nobody
    const refusal = isRefusal(error) ? error : { status: 0, text: String(error) }
    postMessage({ number, refusal } satisfies Reply)
  }
}

addEventListener('message', (event: MessageEvent<Asked>) => void reply(event))
