/** Events of an enterprise for callers who pull them. */
import { invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { Database } from '../stores/postgres/client.ts'
import {
  type EnterpriseEvent,
  EVENT_DAYS,
  type EventsQuery,
  type EventType,
  eventNumber,
  eventsAfter,
} from '../stores/postgres/events/events.ts'
import type { Page } from '../stores/postgres/page.ts'

/** How often a waiting call looks: another instance may record the event. */
const LOOK_MS = 500

export type PullQuery = Pick<EventsQuery, 'types' | 'limit'> & {
  /** The id of the event after which they begin; undefined for the oldest that is kept. */
  after: string | undefined
  waitS: number
}

export type EventPull = {
  /**
   * Events in the order of their commits. Without any, it waits for one.
   * @param signal ends the wait
   * @throws AppError VALIDATION_FAILED for an unknown `after`
   */
  pull(enterpriseId: string, query: PullQuery, signal: AbortSignal): Promise<Page<EnterpriseEvent>>
  /** Ends all waits. */
  stop(): void
}

export function createEventPull(db: Database, publicUrl: string): EventPull {
  const stopping = new AbortController()

  async function numberOf(enterpriseId: string, after: string): Promise<number> {
    const number = await eventNumber(db, enterpriseId, after)
    if (number === undefined) throw invalidField('query.after', 'exists', fieldText('keptEvent', { days: EVENT_DAYS }))
    return number
  }

  async function read(enterpriseId: string, after: number, types: readonly EventType[], limit: number) {
    const rows = await eventsAfter(db, enterpriseId, { after, types, limit: limit + 1 }, publicUrl)
    const items = rows.slice(0, limit)
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
  }

  return {
    async pull(enterpriseId, { after, types, limit, waitS }, signal) {
      const from = after === undefined ? 0 : await numberOf(enterpriseId, after)
      const endMs = performance.now() + waitS * 1_000
      for (;;) {
        const page = await read(enterpriseId, from, types, limit)
        const leftMs = endMs - performance.now()
        if (page.items.length > 0 || leftMs <= 0 || signal.aborted || stopping.signal.aborted) return page
        await Bun.sleep(Math.min(leftMs, LOOK_MS))
      }
    },
    stop: () => stopping.abort(),
  }
}
