/** The features of one layer for its page; they are kept by a worker. */
import { batch, type Signal, signal } from '@preact/signals'
import { sessionHeaders } from '../../../api/client.ts'
import { account } from '../../../shell/session.ts'
import type { Look, PictureView, Touch } from '../../../ui/picture/protocol.ts'
import { startWorker } from '../../../workers/ask.ts'
import { mapFiles } from '../../map/engine/files.ts'
import type { RowsQuery } from './layer-rows.ts'
import type { Command } from './layer-store.ts'
import type { Answers, Base, Progress, Question, Summary } from './protocol.ts'

/** Requests to a worker that keeps layers. */
export const askWorker = (onProgress?: (progress: Progress) => void) =>
  startWorker<Question, Answers, Progress>(mapFiles.layer, onProgress)

export function createLayerData(ownerId: string, layerId: string) {
  const loaded = signal(0)
  /** Increases when enough has arrived to justify a new picture, and when everything has arrived. */
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
  /** Increases with each change, so that table and map request data again. */
  const version = signal(0)
  const address = `${location.origin}/manage/v1/owners/${encodeURIComponent(ownerId)}/layers/${encodeURIComponent(layerId)}`

  function show(next: Summary): void {
    summary.value = next
    version.value++
  }
  return {
    loaded,
    arrivals,
    summary,
    base,
    version,
    end,
    /** @returns whether unsaved changes were found */
    async open(current: Base): Promise<boolean> {
      const draft = `${account.peek()?.id ?? ''} ${layerId}`
      const opened = await ask({ kind: 'open', address, headers: sessionHeaders('GET'), base: current, draft })
      batch(() => {
        base.value = opened.base
        arrivals.value++
        show(opened.summary)
      })
      return opened.isDraft
    },
    rows: (query: RowsQuery, offset: number, limit: number) => ask({ kind: 'rows', query, offset, limit }),
    indexOf: (query: RowsQuery, id: string) => ask({ kind: 'index', query, id }),
    features: (ids: string[]) => ask({ kind: 'features', ids }),
    box: () => ask({ kind: 'box' }),
    picture: (view: PictureView, look: Look) => ask({ kind: 'picture', view, look }),
    at: (touch: Touch) => ask({ kind: 'at', touch }),
    apply: async (command: Command) => show(await ask({ kind: 'apply', command })),
    undo: async () => show(await ask({ kind: 'undo' })),
    redo: async () => show(await ask({ kind: 'redo' })),
    discard: async () => show(await ask({ kind: 'discard' })),
    async save(): Promise<void> {
      const saved = await ask({ kind: 'save', headers: sessionHeaders('PATCH') })
      base.value = saved.base
      show(saved.summary)
    },
    conflict: (to: number) => ask({ kind: 'conflict', headers: sessionHeaders('GET'), to }),
    /** @param theirs ids of the features whose own changes are discarded */
    async rebase(onto: Base, theirs: string[]): Promise<void> {
      const opened = await ask({ kind: 'rebase', headers: sessionHeaders('GET'), base: onto, theirs })
      base.value = opened.base
      show(opened.summary)
    },
  }
}

export type LayerData = ReturnType<typeof createLayerData>
