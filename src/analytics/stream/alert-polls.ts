/**
 * Alerts of an enterprise that were written since the last look, by any instance. Each look overlaps the previous one,
 * because an alert has the time at which its transaction began, and is visible when the transaction ends.
 */
import { type Alert, alertsOf } from '../../stores/postgres/alerts/alerts.ts'
import { changedAlerts } from '../../stores/postgres/alerts/changed-alerts.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { MAX_ALERTS } from './stream-watcher.ts'

const OVERLAP_S = 10
/** Maximum number of alerts that one look reads; alerts of the overlap have been sent. */
const MAX_READ = (OVERLAP_S + 1) * MAX_ALERTS

export type AlertPolls = {
  /** `isMore`: more alerts changed than one event may have, or a silence began or ended. Then there are no items. */
  look(enterpriseId: string): Promise<{ items: Alert[]; isMore: boolean }>
}

export function createAlertPolls(db: Database): AlertPolls {
  let since: string | undefined
  let silences: string | undefined
  /** When each alert that the next look can find again was changed. */
  let sent = new Map<string, string>()
  return {
    async look(enterpriseId) {
      const found = await changedAlerts(db, enterpriseId, { since, overlapS: OVERLAP_S, limit: MAX_READ })
      const fresh = found.changed.filter(([id, changedAt]) => sent.get(id) !== changedAt)
      const isOtherSilence = silences !== undefined && silences !== found.silences
      const isMore = isOtherSilence || fresh.length > MAX_ALERTS
      const items = isMore
        ? []
        : await alertsOf(
            db,
            enterpriseId,
            fresh.map(([id]) => id),
          )
      sent = new Map(found.changed)
      since = found.now
      silences = found.silences
      return { items, isMore }
    },
  }
}
