/** The live assets of the chosen enterprise, kept in a worker. One for the tab, made when the first page needs it. */
import { signal } from '@preact/signals'
import { ApiError, errorOf, sessionHeaders } from '../api/client.ts'
import { sessionEnded } from '../session.ts'
import type { Filter, Moved, StateChange, Summary } from './asset-index.ts'
import { mapFiles } from './files.ts'
import type { Answers, Question, Reply } from './worker-protocol.ts'

type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void }

const COLUMNS = '/enterprise/v1/assets/live?format=columns'

export function createLiveAssets() {
  const worker = new Worker(mapFiles.assets)
  const waiting = new Map<number, Waiting>()
  let number = 0
  const summary = signal<Summary | undefined>(undefined)
  const error = signal<ApiError | undefined>(undefined)
  let isLoaded = false
  /** Grows with each change, so that lists and maps know when to ask again. */
  const version = signal(0)
  /** The last moment at which this was known to be how things are, in milliseconds since 1970. */
  const freshMs = signal(Date.now())

  worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.number)
    waiting.delete(data.number)
    if (data.refusal === undefined) asked?.resolve(data.answer as never)
    else void failureOf(data.refusal).then((failure) => asked?.reject(failure))
  })
  async function failureOf({ status, text }: NonNullable<Reply['refusal']>): Promise<ApiError> {
    if (status === 0) return new ApiError(0, 'OFFLINE', text)
    if (status === 401) sessionEnded()
    return errorOf(new Response(text, { status }))
  }
  function ask<K extends keyof Answers>(question: Extract<Question, { kind: K }>): Promise<Answers[K]> {
    return new Promise<Answers[K]>((resolve, reject) => {
      waiting.set(++number, { resolve, reject })
      worker.postMessage({ ...question, number })
    })
  }
  async function changed(answer: Promise<Summary>, isLoad = false): Promise<void> {
    try {
      const next = await answer
      if (isLoad) {
        isLoaded = true
        freshMs.value = Date.now()
      }
      // before the assets are there, a filter says nothing about them
      if (!isLoaded) return
      summary.value = next
      error.value = undefined
      version.value++
    } catch (failure) {
      error.value = failure as ApiError
    }
  }

  let wantedTag: string | undefined
  let isTagAsked = false
  async function askTag(): Promise<void> {
    if (wantedTag === undefined && !isTagAsked) return
    isTagAsked = wantedTag !== undefined
    const url = wantedTag === undefined ? undefined : `${COLUMNS}&tag=${encodeURIComponent(wantedTag)}`
    await changed(ask({ kind: 'tag', url, headers: sessionHeaders('GET') }))
  }

  return {
    summary,
    error,
    version,
    freshMs,
    async load(): Promise<void> {
      await Promise.all([changed(ask({ kind: 'load', url: COLUMNS, headers: sessionHeaders('GET') }), true), askTag()])
    },
    /** Shows only assets of sensors with a tag. */
    tag(tag: string | undefined): Promise<void> {
      wantedTag = tag
      return askTag()
    },
    change: (moved: Moved[], removed: string[], states: StateChange[]) =>
      changed(ask({ kind: 'change', moved, removed, states })),
    filter: (filter: Filter) => changed(ask({ kind: 'filter', filter })),
    clusters: (view: Extract<Question, { kind: 'clusters' }>['view']) => ask({ kind: 'clusters', view }),
    rows: (from: number, to: number) => ask({ kind: 'rows', from, to }),
    find: (id: string) => ask({ kind: 'find', id }),
    box: () => ask({ kind: 'box' }),
    inside: (polygons: Extract<Question, { kind: 'inside' }>['polygons'], most: number) =>
      ask({ kind: 'inside', polygons, most }),
    end(): void {
      worker.terminate()
      for (const { reject } of waiting.values()) reject(new ApiError(0, 'CLOSED', ''))
      waiting.clear()
    },
  }
}

export type LiveAssets = ReturnType<typeof createLiveAssets>
