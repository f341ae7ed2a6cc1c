/** The live assets of the chosen enterprise, kept in a worker. One for the tab, made when the first page needs it. */
import { signal } from '@preact/signals'
import { type ApiError, sessionHeaders } from '../../../api/client.ts'
import { startWorker } from '../../../workers/ask.ts'
import type { Filter, Moved, StateChange, Summary } from './asset-index.ts'
import { mapFiles } from './files.ts'
import type { Answers, Question } from './worker-protocol.ts'

const VALUES = '/enterprise/v1/assets/live/values'
const COLUMNS = '/enterprise/v1/assets/live?format=columns'

export function createLiveAssets() {
  const { ask, end } = startWorker<Question, Answers>(mapFiles.assets)
  const summary = signal<Summary | undefined>(undefined)
  const error = signal<ApiError | undefined>(undefined)
  let isLoaded = false
  /** Increases with each change, so that lists and maps know when to request data again. */
  const version = signal(0)
  /** The last moment at which these positions were known to be current, in milliseconds since 1970. */
  const freshMs = signal(Date.now())

  async function changed(answer: Promise<Summary>, isLoad = false): Promise<void> {
    try {
      const next = await answer
      if (isLoad) {
        isLoaded = true
        freshMs.value = Date.now()
      }
      // before the assets are loaded, the result of a filter is meaningless
      if (!isLoaded) return
      summary.value = next
      error.value = undefined
      version.value++
    } catch (failure) {
      error.value = failure as ApiError
    }
  }

  /** Where the assets to which the page is limited are loaded from; undefined for all assets. */
  let limitUrl: string | undefined
  let isLimitAsked = false
  async function askLimit(): Promise<void> {
    if (limitUrl === undefined && !isLimitAsked) return
    isLimitAsked = limitUrl !== undefined
    await changed(ask({ kind: 'limit', url: limitUrl, headers: sessionHeaders('GET') }))
  }

  return {
    summary,
    error,
    version,
    freshMs,
    async load(): Promise<void> {
      await Promise.all([
        changed(ask({ kind: 'load', url: COLUMNS, headers: sessionHeaders('GET') }), true),
        askLimit(),
      ])
    },
    /** Shows only assets that have a sensor with the tag, or a favourite; with both, a sensor that is both. */
    limit({ tag, isFavourites }: { tag: string | undefined; isFavourites: boolean }): Promise<void> {
      const query = new URLSearchParams({
        ...(tag !== undefined && { tag }),
        ...(isFavourites && { favourite: 'true' }),
      })
      limitUrl = query.size === 0 ? undefined : `${COLUMNS}&${query}`
      return askLimit()
    },
    /** Colours assets by the newest value of a channel, or by their state; again for newer values. A failure is the caller's. */
    async colour(channel: string | undefined): Promise<void> {
      const url = channel === undefined ? undefined : `${VALUES}?channel=${encodeURIComponent(channel)}`
      const next = await ask({ kind: 'values', url, headers: sessionHeaders('GET') })
      if (!isLoaded) return
      summary.value = next
      version.value++
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
    end,
  }
}

export type LiveAssets = ReturnType<typeof createLiveAssets>
