/** The features of a result in their worker. */
import { ApiError, errorOf } from '../api/client.ts'
import type { Look, PictureView, Touch } from '../picture/protocol.ts'
import { sessionEnded } from '../session.ts'
import type { Answers, Question, Refusal, Reply, Sorting } from './features-protocol.ts'
import { resultFiles } from './files.ts'

type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void }

/** The code of a failure when a file is not what its name says. */
export const UNREADABLE = 'UNREADABLE'

/** A worker whose view never appears ends after this time. */
const UNUSED_MS = 20_000

function startFeatures() {
  const worker = new Worker(resultFiles.features)
  const waiting = new Map<number, Waiting>()
  let number = 0

  async function failureOf(refusal: Refusal): Promise<ApiError> {
    if (refusal === 'unreadable') return new ApiError(200, UNREADABLE, '')
    if (refusal.status === 0) return new ApiError(0, 'OFFLINE', refusal.text)
    if (refusal.status === 401) sessionEnded()
    return errorOf(new Response(refusal.text, { status: refusal.status }))
  }
  worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.number)
    waiting.delete(data.number)
    if (data.refusal === undefined) asked?.resolve(data.answer as never)
    else void failureOf(data.refusal).then((failure) => asked?.reject(failure))
  })
  function ask<K extends keyof Answers>(question: Extract<Question, { kind: K }>): Promise<Answers[K]> {
    return new Promise<Answers[K]>((resolve, reject) => {
      waiting.set(++number, { resolve, reject })
      worker.postMessage({ ...question, number })
    })
  }
  return {
    load: (url: string) => ask({ kind: 'load', url }),
    rows: (offset: number, limit: number, sorting: Sorting) => ask({ kind: 'rows', offset, limit, sorting }),
    place: (index: number, sorting: Sorting) => ask({ kind: 'place', index, sorting }),
    picture: (view: PictureView, look: Look) => ask({ kind: 'picture', view, look }),
    at: (touch: Touch) => ask({ kind: 'at', touch }),
    end(): void {
      worker.terminate()
      for (const { reject } of waiting.values()) reject(new ApiError(0, 'CLOSED', ''))
      waiting.clear()
    },
  }
}

export type Features = ReturnType<typeof startFeatures>

type Prepared = { url: string; features: Features; loaded: ReturnType<Features['load']> }
let prepared: Prepared | undefined
/** Files that a view shows. */
const shown = new Set<string>()

/** Begins to read a file before its view is there: the worker needs no code of the page. */
export function prepareFeatures(url: string): void {
  if (prepared?.url === url || shown.has(url)) return
  prepared?.features.end()
  const features = startFeatures()
  const own: Prepared = { url, features, loaded: features.load(url) }
  // the view reports a failure
  own.loaded.catch(() => undefined)
  prepared = own
  setTimeout(() => {
    if (prepared !== own) return
    prepared = undefined
    features.end()
  }, UNUSED_MS)
}

/** The features of a file that is shown: its reading may have begun already. */
export function openFeatures(url: string): Features {
  const own = prepared?.url === url ? prepared : undefined
  if (own !== undefined) prepared = undefined
  const features = own?.features ?? startFeatures()
  let first = own?.loaded
  shown.add(url)
  return {
    ...features,
    load(address) {
      const answer = address === url ? first : undefined
      first = undefined
      return answer ?? features.load(address)
    },
    end() {
      shown.delete(url)
      features.end()
    },
  }
}
