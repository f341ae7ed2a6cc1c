/** The parts of the server with their state, since when, and the last failure. Failing parts come first. */

import type { TextKey } from '../../text/catalogue.ts'
import { formatDuration } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import type { HealthPart, Instance } from './health-data.ts'
import { PartMark } from './mark.tsx'

type ShownPart = HealthPart & { instance: Instance }

const ORDER = ['failing', 'degraded', 'stopped', 'ok']

/** A process that does not report counts as one part that fails. */
export function partsOf(instances: readonly Instance[]): ShownPart[] {
  const all = instances.flatMap((instance): ShownPart[] => {
    if (instance.status === 'running') return instance.report.parts.map((part) => ({ ...part, instance }))
    if (instance.status === 'stopped') return []
    const silent = { part: 'process', state: 'failing', since: instance.reportedAt, durationMs: 0 } as const
    return [{ ...silent, detail: t('operations.health.statuses.silent'), lastError: null, instance }]
  })
  return all.sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
}

/** Parts that a newer server may have are shown by their own names. */
export const partName = (part: string): string => t(`operations.health.names.${part}` as TextKey) || part

export function HealthParts({ instances }: { instances: Instance[] }) {
  const parts = partsOf(instances)
  const hasSeveral = new Set(parts.map(({ instance }) => instance.id)).size > 1
  return (
    <section class="stack" aria-labelledby="parts">
      <h2 id="parts">{t('operations.health.parts')}</h2>
      <PlainTable
        label={t('operations.health.parts')}
        kind={`health-parts ${ROWS_ON_PHONE}`}
        rows={parts}
        keyOf={({ instance, part }) => `${instance.id} ${part}`}
        attributesOf={({ part, state }) => ({ 'data-part': part, 'data-state': state })}
        columns={[
          [t('operations.health.part'), ({ part }) => partName(part), { isName: true }],
          hasSeveral && [
            t('operations.health.instance'),
            ({ instance: { id, name } }) => (
              <>
                <bdi title={id}>{name}</bdi> <IdEnd id={id} />
              </>
            ),
          ],
          [t('operations.health.state'), ({ state }) => <PartMark state={state} />],
          [t('operations.health.since'), ({ since }) => <Age at={since} />],
          [
            t('operations.health.lastError'),
            ({ detail, lastError }) =>
              detail !== null ? (
                <bdi dir="auto">{detail}</bdi>
              ) : lastError === null ? (
                <span class="weak">{t('operations.health.noError')}</span>
              ) : (
                <span class="weak">
                  <bdi dir="auto">{lastError.text}</bdi> · <Age at={lastError.at} />
                </span>
              ),
            { kind: 'health-error' },
          ],
          [
            t('operations.health.duration'),
            ({ durationMs }) => formatDuration(Math.max(1, Math.round(durationMs))),
            { kind: 'number number-cell' },
          ],
        ]}
      />
    </section>
  )
}

/** Distinguishes instances of the same name. */
export function IdEnd({ id }: { id: string }) {
  return (
    <code dir="ltr" class="weak">
      …{id.slice(-4)}
    </code>
  )
}
