/** Who calls: keys and sessions, what each caller may do, and the counts of calls that limits and statistics need. */
import { startApplicationRequests } from '../access/application-requests.ts'
import { createRouteRules } from '../access/authorization.ts'
import { createKeptAnswers } from '../access/kept-answers.ts'
import { startKeyFailureAudit } from '../access/keys/key-failure-audit.ts'
import { createKeyFailures } from '../access/keys/key-failures.ts'
import { startKeyUse } from '../access/keys/key-use.ts'
import { createOperatorTokens } from '../access/keys/operator-tokens.ts'
import { createOperatorGate, openOperatorToken } from '../access/operator.ts'
import { createOrganizationGate } from '../access/organization.ts'
import { createOrganizationCallers } from '../access/organization-callers.ts'
import { createPersonalKeys } from '../access/personal-keys.ts'
import { createSessionRights } from '../access/sessions/session-rights.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { checkLongAnswers } from '../http/long-answers.ts'
import { type Change, subjectsOf } from '../stores/changes.ts'
import { openAccounts } from './accounts.ts'
import type { ServerHost } from './host.ts'
import { openRateWindows } from './stores/instances.ts'
import type { Stores } from './stores/stores.ts'

/** Changes that may end the right to an answer that is being sent. */
const CHANGES_OF_RIGHTS: ReadonlySet<string> = new Set<Change['kind']>([
  'access',
  'account',
  'enterprise',
  'person',
  'tool-api',
  'tiers',
  'missed',
])

export type Callers = Awaited<ReturnType<typeof openCallers>>

export async function openCallers(host: ServerHost, { db, changes, membership }: Stores) {
  const { config, metrics, instanceId, shutdown, warn } = host
  changes.subscribe((change) => {
    if (CHANGES_OF_RIGHTS.has(change.kind)) checkLongAnswers(subjectsOf(change))
  })
  // each waits for PostgreSQL or the mail server
  const stops = shutdown.together()
  const failureAudit = startKeyFailureAudit(db, warn('calls with invalid keys could not be written to the audit log'))
  stops.onStop('audit of invalid keys', failureAudit.stop)
  const keyUse = startKeyUse(db, warn('the last use of keys could not be written; this will be retried'))
  stops.onStop('last use of keys', keyUse.stop)
  const applicationRequests = startApplicationRequests(
    db,
    warn('requests of applications could not be counted; this will be retried'),
  )
  stops.onStop('requests of applications', applicationRequests.stop)

  const failures = createKeyFailures({
    perMinute: config.keyFailuresPerMinute,
    onFailure(kind, address) {
      metrics.keyFailed(kind)
      failureAudit.count(kind, address)
    },
  })
  const windows = openRateWindows(db, membership)
  const accounts = await openAccounts(host, { db, changes, windows, failures }, stops)
  const { secret, sessions } = accounts.auth
  const rules = createRouteRules()
  const personalKeys = createPersonalKeys({
    db,
    changes,
    failures,
    windows,
    onKeyUse: (keyId, nowMs) => keyUse.note('personal-key', keyId, nowMs),
  })
  const sessionRights = createSessionRights({ db, sessions, personalKeys, ruleOf: rules.of })
  const gate = createOrganizationGate(db, changes, failures, {
    onKeyUse: (keyId, nowMs) => keyUse.note('application-key', keyId, nowMs),
    onRequest: applicationRequests.add,
  })
  const operatorTokens = createOperatorTokens(
    db,
    changes,
    warn('the last use of an operator token could not be written'),
  )
  const onError = warn('an idempotency key could not be released; this will be retried')
  return {
    failures,
    keyUse,
    windows,
    accounts,
    rules,
    sessionRights,
    operatorTokens,
    organizations: createOrganizationCallers(db, changes, gate, sessionRights),
    operatorOnly: createOperatorGate(await openOperatorToken(config.operatorTokenFile), failures, operatorTokens),
    idempotency: {
      ofRuns: createIdempotency(createKeptAnswers({ db, instanceId, keepsFailures: true, onError })),
      // failures are not stored for these: answers contain keys, and people correct the fields of a form and resend it
      // with the same key
      ofRecords: createIdempotency(createKeptAnswers({ db, instanceId, keepsFailures: false, secret, onError })),
    },
    /** Writes the pending counts of applications, so that queries include them. */
    async flushCounts() {
      await Promise.all([applicationRequests.flush(), keyUse.flush('application-key')])
    },
  }
}
