/** The features of one layer for its page; they are kept by a worker. */
import { batch, type Signal, signal } from '@preact/signals'
import { ApiError, errorOf, sessionHeaders } from '../api/client.ts'
import { mapFiles } from '../map/files.ts'
import type { Look, PictureView, Touch } from '../picture/protocol.ts'
import { account, sessionEnded } from '../session.ts'
import type { RowsQuery } from './layer-rows.ts'
import type { Command } from './layer-store.ts'
import type { Answers, Base, Progress, Question, Reply, Summary } from './protocol.ts'

type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void }

/** Questions to a worker of layers. */
export function askWorker(onProgress: (progress: Progress) => void = () => undefined) {
  const worker = new Worker(mapFiles.layer)
  const waiting = new Map<number, Waiting>()
  let number = 0
  worker.addEventListener('message', ({ data }: MessageEvent<Reply | Progress>) => {
    if ('loaded' in data) return onProgress(data)
    const asked = waiting.get(data.number)
    waiting.delete(data.number)
    if (data.refusal === undefined) asked?.resolve(data.answer as never)
    else void failureOf(data.refusal).then((failure) => asked?.reject(failure))
  })
  return {
    ask<K extends Question['kind']>(question: Extract<Question, { kind: K }>): Promise<Answers[K]> {
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

async function failureOf({ status, text }: NonNullable<Reply['refusal']>): Promise<ApiError> {
  if (status === 0) return new ApiError(0, /fetch/i.test(text) ? 'OFFLINE' : 'UNEXPECTED', text)
  if (status === 401) sessionEnded()
  return errorOf(new Response(text, { status }))
}

export function createLayerData(ownerId: string, layerId: string) {
  const loaded = signal(0)
  /** Grows when so much has arrived that a new picture is worth its time, and when all is there. */
  const arrivals = signal(0)
  let drawn = 0
  const { ask, end } = askWorker((progress) => {
    loaded.value = progress.loaded
    if (progress.loaded < 2 * drawn || progress.loaded === 0) return
    drawn = progress.loaded
    arrivals.value++
  })
  const summary: Signal<Summary | undefined> = signal(undefined)
  const base: Signal<Base | undefined> = signal(undefined)
  /** Grows with each change, so that table and map ask again. */
  const version = signal(0)
  const address = `${location.origin}/manage/v1/owners/${encodeURIComponent(ownerId)}/layers/${encodeURIComponent(layerId)}`

  function show(next: Summary): void {
    summary.value = next
    version.value++
  }
  return {
    ...{ loaded, arrivals, summary, base, version, end },
    /** @returns whether unsaved changes were found */
    async open(current: Base): Promise<boolean> {
      const draft = `${account.peek()?.id ?? ''} ${layerId}`
      const opened = await ask<'open'>({ kind: 'open', address, headers: sessionHeaders('GET'), base: current, draft })
      batch(() => {
        base.value = opened.base
        arrivals.value++
        show(opened.summary)
      })
      return opened.isDraft
    },
    rows: (query: RowsQuery, offset: number, limit: number) => ask<'rows'>({ kind: 'rows', query, offset, limit }),
    indexOf: (query: RowsQuery, id: string) => ask<'index'>({ kind: 'index', query, id }),
    features: (ids: string[]) => ask<'features'>({ kind: 'features', ids }),
    box: () => ask<'box'>({ kind: 'box' }),
    picture: (view: PictureView, look: Look) => ask<'picture'>({ kind: 'picture', view, look }),
    at: (touch: Touch) => ask<'at'>({ kind: 'at', touch }),
    apply: async (command: Command) => show(await ask<'apply'>({ kind: 'apply', command })),
    undo: async () => show(await ask<'undo'>({ kind: 'undo' })),
    redo: async () => show(await ask<'redo'>({ kind: 'redo' })),
    discard: async () => show(await ask<'discard'>({ kind: 'discard' })),
    async save(): Promise<void> {
      const saved = await ask<'save'>({ kind: 'save', headers: sessionHeaders('PATCH') })
      base.value = saved.base
      show(saved.summary)
    },
    conflict: (to: number) => ask<'conflict'>({ kind: 'conflict', headers: sessionHeaders('GET'), to }),
    /** @param theirs ids of the features whose own changes are given up */
    async rebase(onto: Base, theirs: string[]): Promise<void> {
      const opened = await ask<'rebase'>({ kind: 'rebase', headers: sessionHeaders('GET'), base: onto, theirs })
      base.value = opened.base
      show(opened.summary)
    },
  }
}

export type LayerData = ReturnType<typeof createLayerData>
