/** Tier and limits of an enterprise. An empty field has the value of the tier or of the server. */
import { useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { changeRecord, type Versioned } from '../../api/record.ts'
import { formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { tierName } from '../../text/tiers.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { failureText } from '../../ui/form.ts'
import { notify } from '../../ui/toasts.tsx'
import { type EnterpriseRecord, enterprisePath } from './enterprise-data.ts'
import { type Tier, useTiers } from './tiers.ts'

const LIMITS = ['readingsPerDay', 'retentionDays', 'apiRequestsPerDay', 'credits', 'storedMb', 'storedDays'] as const
type Limit = (typeof LIMITS)[number]
type Changed = Partial<Record<Limit | 'tier' | 'name', string>>

function ofTier(limit: Limit, tier: Tier | undefined): string {
  const value = {
    readingsPerDay: tier?.readingsPerDay,
    retentionDays: tier?.retentionDays,
    apiRequestsPerDay: tier?.apiRequestsPerDay,
    credits: tier?.creditsPerMonth,
    storedMb: null,
    storedDays: null,
  }[limit]
  return value == null
    ? t('operator.enterprise.ofServer')
    : t('operator.enterprise.ofTier', { value: formatWhole(value) })
}

export function EnterpriseLimits(props: {
  seen: Versioned<EnterpriseRecord>
  onChanged: (next: Versioned<EnterpriseRecord>) => void
  onConflict: () => void
}) {
  const { record, etag } = props.seen
  const tiers = useTiers('enterprise')
  // the typed values; the other fields show the record
  const [changed, setChanged] = useState<Changed>({})
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const textOf = (limit: Limit): string => changed[limit] ?? (record[limit] === null ? '' : String(record[limit]))
  const isWhole = (limit: Limit): boolean => /^\s*\d*\s*$/.test(textOf(limit))
  const tier = changed.tier ?? record.tier
  const chosen = tiers.data.value?.find(({ name }) => name === tier)
  const set = (name: keyof Changed) => (value: string) => setChanged((now) => ({ ...now, [name]: value }))
  const faultAt = (field: string): string | undefined =>
    error?.faults.find((fault) => fault.field === `body.${field}`)?.message

  async function save(event: Event): Promise<void> {
    event.preventDefault()
    setTried(true)
    if (isBusy || !LIMITS.every(isWhole)) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    setBusy(true)
    setError(undefined)
    const change = {
      ...(changed.name !== undefined && { name: changed.name }),
      ...(changed.tier !== undefined && { tier: changed.tier }),
      ...Object.fromEntries(
        LIMITS.filter((limit) => changed[limit] !== undefined).map((limit) => {
          const text = textOf(limit).trim()
          return [limit, text === '' ? null : Number(text)]
        }),
      ),
    }
    try {
      const next = await changeRecord<EnterpriseRecord>(enterprisePath(record.id), etag, change)
      setChanged({})
      setTried(false)
      props.onChanged(next)
      notify(t('operator.enterprise.saved'))
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      setError(failure)
      if (failure.status === 412) props.onConflict()
    } finally {
      setBusy(false)
    }
  }

  return (
    <section class="panel stack" aria-labelledby="limits">
      <h2 id="limits">{t('operator.enterprise.limits')}</h2>
      <p class="weak">{t('operator.enterprise.limitsText')}</p>
      <form class="form" onSubmit={(event) => void save(event)}>
        {error !== undefined && !error.faults.some(({ field }) => field.startsWith('body.')) && (
          <div class="form-error" role="alert">
            {error.status === 412 ? t('operator.enterprise.conflict') : failureText(error)}
          </div>
        )}
        <TextField
          label={t('operator.enterprise.fields.name')}
          value={changed.name ?? record.name}
          maxLength={200}
          required
          onInput={set('name')}
          error={faultAt('name')}
        />
        <SelectField
          label={t('operator.enterprise.fields.tier')}
          value={tier}
          options={(tiers.data.value ?? []).map(({ name }) => ({ value: name, label: tierName(name) }))}
          onChange={set('tier')}
          error={faultAt('tier')}
        />
        <div class="operator-limits">
          {LIMITS.map((limit) => (
            <TextField
              key={limit}
              label={t(`operator.enterprise.fields.${limit}`)}
              dir="ltr"
              inputMode="numeric"
              placeholder={ofTier(limit, chosen)}
              value={textOf(limit)}
              onInput={set(limit)}
              error={isTried && !isWhole(limit) ? t('operator.enterprise.whole') : faultAt(limit)}
            />
          ))}
        </div>
        <Button kind="main" type="submit" isBusy={isBusy} disabled={Object.keys(changed).length === 0}>
          {t('operator.enterprise.save')}
        </Button>
      </form>
    </section>
  )
}
