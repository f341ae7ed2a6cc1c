/** Previews of rules: what a rule would have found in stored readings. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import type { Episode } from '../../alerts/episodes.ts'
import { MAX_EPISODES, MAX_PREVIEW_DAYS, type PreviewRule, type PreviewSensor } from '../../alerts/previews.ts'
import type { AlertRule } from '../../alerts/rule.ts'
import { checkRule } from '../../alerts/rule-fields.ts'
import { definitionOf, toAlertRule } from '../../alerts/stored-rule.ts'
import type { Fleet, FleetIndexes } from '../../analytics/fleet/fleet-index.ts'
import { silentAfterMs } from '../../analytics/fleet/sensor-state.ts'
import { oldestVisibleMs, parseTime } from '../../analytics/time-range.ts'
import { invalidField } from '../../errors.ts'
import { inTurns, TextInTurns } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { list, nullable, number, object, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { formatTimestamp } from '../../ingest/timestamp.ts'
import type { RuleValues } from '../../stores/postgres/alerts/rules.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { inArabic, inEnglish } from '../../warnings/warning.ts'
import { answerLongText } from './answers.ts'
import { operation } from './operation.ts'
import { closed, moment } from './request-schemas.ts'
import { ruleInput } from './rule-schemas.ts'

const previewInput = Type.Object(
  {
    rule: ruleInput,
    from: moment('Start of the period, inclusive (RFC 3339); nothing is known before'),
    to: moment(`End of the period, exclusive (RFC 3339), at most ${MAX_PREVIEW_DAYS} days after its start`),
  },
  closed,
)

export type RulePreviewRoutesDeps = {
  db: Database
  previewRule: PreviewRule
  fleets: FleetIndexes
  callers: Callers<Organization>
  recordBody: BodyLimits
  /** Runs a query of readings in the application's turn. */
  inTurn<T>(request: Request, query: () => Promise<T>): Promise<T>
}

const DAY_MS = 86_400_000

/** @throws AppError VALIDATION_FAILED */
function periodOf({ from, to }: { from: string; to: string }): { fromMs: number; toMs: number } {
  const [fromMs, toMs] = [parseTime('body.from', from, 0), parseTime('body.to', to, 0)]
  if (fromMs >= toMs) throw invalidField('body.from', 'order', fieldText('earlier', { field: 'body.to' }))
  if (toMs - fromMs > MAX_PREVIEW_DAYS * DAY_MS)
    throw invalidField('body.to', 'maxDays', fieldText('daysAtMost', { most: MAX_PREVIEW_DAYS, field: 'body.from' }))
  return { fromMs, toMs }
}

/** @throws AppError VALIDATION_FAILED for rules about entering and leaving, which make events */
function alertRuleOf(values: RuleValues): AlertRule {
  const rule = toAlertRule(values)
  if (rule.kind !== 'zone' || 'dwellMs' in rule) return rule
  throw invalidField('body.rule.when', 'enum', fieldText('oneOf', { values: 'inside, outside, dwell' }))
}

/** The sensors that the rule watches now. */
async function watchedBy({ allSensors, sensorIds, tags }: RuleValues, { byName }: Fleet): Promise<PreviewSensor[]> {
  const ids = new Set(sensorIds)
  const found: PreviewSensor[] = []
  await inTurns(byName.length, (i) => {
    const row = byName[i] as Fleet['byName'][number]
    const isWatched = allSensors || ids.has(row.id) || tags.some((tag) => row.tags.includes(tag))
    if (isWatched) found.push({ number: row.number, channels: row.channels, silenceMs: silentAfterMs(row) })
  })
  return found
}

function episodeToJson({ sensor, ...episode }: Episode, { rows }: Fleet, firstChannel: string | undefined) {
  const { polygon, startedMs, firedMs, resolvedMs, severity, values } = episode
  return {
    sensorId: rows.get(sensor)?.id,
    polygon: polygon ?? null,
    severity,
    startedAt: formatTimestamp(startedMs),
    firedAt: formatTimestamp(firedMs),
    resolvedAt: resolvedMs === null ? null : formatTimestamp(resolvedMs),
    value: (firstChannel === undefined ? undefined : values[firstChannel]) ?? null,
    values,
  }
}

const secondsOf = (ms: number | null): number | null => (ms === null ? null : ms / 1000)

export function rulePreviewRoutes({ db, previewRule, fleets, callers, recordBody, inTurn }: RulePreviewRoutesDeps) {
  return new Elysia({ name: 'rule-previews' }).onParse(callers.parse(recordBody)).post(
    '/rules/preview',
    async ({ request, body }) => {
      const { enterprise } = await callers.of(request)
      const period = periodOf(body)
      const { values, warnings } = await checkRule(db, enterprise.id, body.rule, undefined, 'body.rule')
      const rule = alertRuleOf(values)
      const { layerId, definition } = values
      const layer =
        layerId === null
          ? undefined
          : { id: layerId, bufferM: definitionOf({ kind: values.kind, definition }).bufferM ?? 0 }
      return inTurn(request, async () => {
        const fleet = await fleets.of(enterprise)
        const sensors = await watchedBy(values, fleet)
        const fromMs = Math.max(period.fromMs, oldestVisibleMs(enterprise))
        const wanted = { enterprise, rule, layer, sensors, fromMs, toMs: Math.max(fromMs, period.toMs) }
        const { episodes, forMs, maxGapMs, ...found } = await previewRule(wanted, request.signal)
        const all = [...warnings, ...found.warnings]
        const firstChannel = definition.conditions?.[0]?.channel ?? definition.channel ?? undefined
        const text = new TextInTurns()
        text.add('{"episodes":[')
        await text.addList(episodes.length, (i) =>
          JSON.stringify(episodeToJson(episodes[i] as Episode, fleet, firstChannel)),
        )
        const warned = { warnings: inEnglish(all), warningsAr: inArabic(all) }
        const rest = {
          forSeconds: secondsOf(forMs),
          maxGapSeconds: secondsOf(maxGapMs),
          ...(all.length > 0 && warned),
        }
        text.add(`],${JSON.stringify(rest).slice(1)}`)
        return answerLongText(request, text.end())
      })
    },
    operation({
      summary: 'Preview a rule',
      description: `Judges stored readings of the rule's sensors by a rule that need not be stored, and returns its episodes: alerts without an id, in the order in which they fired. Nothing is known before \`from\`; an episode that still fires at the end has \`resolvedAt\` null. \`forSeconds\` and \`maxGapSeconds\` are the values that count, null where a default differs by sensor or reading. At most 10 million readings are judged, and ${MAX_EPISODES} episodes are returned; \`warnings\` says how many more there are. Rules about entering and leaving make events and have no episodes.`,
      rights: { of: 'enterprise-in-header', for: STAFF },
      body: bodySchema(previewInput),
      result: object(
        {
          episodes: list(ref('PreviewedAlert')),
          forSeconds: nullable(number),
          maxGapSeconds: nullable(number),
          warnings: list(string),
          warningsAr: list(string),
        },
        ['episodes', 'forSeconds', 'maxGapSeconds'],
      ),
    }),
  )
}
