/** Requests from a page to a worker. Each carries a number, which its answer repeats. */
import { ApiError, errorOf } from '../api/client.ts'
import { sessionEnded } from '../shell/session.ts'
import type { Refusal, Reply } from './reply.ts'

type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void }

async function failureOf({ status, text, code }: Refusal): Promise<ApiError> {
  if (code !== undefined) return new ApiError(status, code, text)
  if (status === 401) sessionEnded()
  return errorOf(new Response(text, { status }))
}

/** @param onNews gets messages that answer no question */
export function startWorker<Question extends { kind: string }, Answers, News extends object = never>(
  address: string,
  onNews: (news: News) => void = () => undefined,
) {
  const worker = new Worker(address)
  const waiting = new Map<number, Waiting>()
  let number = 0
  worker.addEventListener('message', ({ data }: MessageEvent<Reply | News>) => {
    if (!('number' in data)) return onNews(data)
    const asked = waiting.get(data.number)
    waiting.delete(data.number)
    if (data.refusal === undefined) asked?.resolve(data.answer as never)
    else void failureOf(data.refusal).then((failure) => asked?.reject(failure))
  })
  return {
    ask<K extends Question['kind'] & keyof Answers>(question: Extract<Question, { kind: K }>): Promise<Answers[K]> {
      return new Promise<Answers[K]>((resolve, reject) => {
        waiting.set(++number, { resolve, reject })
        worker.postMessage({ ...question, number })
      })
    },
    end(): void {
      worker.terminate()
      for (const { reject } of waiting.values()) reject(new ApiError(0, 'CLOSED', ''))
      waiting.clear()
    },
  }
}
