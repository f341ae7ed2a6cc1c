/** The parts of the server: which works, since when, and what went wrong last. The broken ones stand first. */
import { Age } from '../../parts/age.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../parts/plain-table.tsx'
import type { TextKey } from '../../text/catalogue.ts'
import { formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
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
      <PlainTable label={t('operations.health.parts')} kind={`health-parts ${ROWS_ON_PHONE}`}>
        <thead>
          <tr>
            <th scope="col">{t('operations.health.part')}</th>
            {hasSeveral && <th scope="col">{t('operations.health.instance')}</th>}
            <th scope="col">{t('operations.health.state')}</th>
            <th scope="col">{t('operations.health.since')}</th>
            <th scope="col">{t('operations.health.lastError')}</th>
            <th scope="col">{t('operations.health.duration')}</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ part, state, since, detail, lastError, durationMs, instance }) => (
            <tr key={`${instance.id} ${part}`} data-part={part} data-state={state}>
              <th scope="row">{partName(part)}</th>
              {hasSeveral && (
                <td>
                  <bdi title={instance.id}>{instance.name}</bdi>{' '}
                  <code dir="ltr" class="weak">
                    …{instance.id.slice(-4)}
                  </code>
                </td>
              )}
              <td>
                <PartMark state={state} />
              </td>
              <td>
                <Age at={since} />
              </td>
              <td class="health-error">
                {detail !== null ? (
                  <bdi dir="auto">{detail}</bdi>
                ) : lastError === null ? (
                  <span class="weak">{t('operations.health.noError')}</span>
                ) : (
                  <span class="weak">
                    <bdi dir="auto">{lastError.text}</bdi> · <Age at={lastError.at} />
                  </span>
                )}
              </td>
              <td class="number">
                {formatWhole(Math.max(1, Math.round(durationMs)))} {t('operations.health.units.milliseconds')}
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </section>
  )
}
