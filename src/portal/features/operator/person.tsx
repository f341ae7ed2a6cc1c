/** One person, for the operator: plan, status, links to sign in, and Tool APIs with their holds. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { changeRecord, loadRecord, type Versioned } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'
import type { PageProps } from '../../shell/page.ts'
import { href } from '../../shell/router.ts'
import { formatDay } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { tierName } from '../../text/tiers.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { KeyBox } from '../account/key-box.tsx'
import { StatusMark } from './mark.tsx'
import { PersonToolApis } from './person-tool-apis.tsx'
import { ReasonDialog } from './reason-dialog.tsx'
import { useTiers } from './tiers.ts'

type Person = components['schemas']['Person']

export function OperatorPersonPage({ parameters }: PageProps) {
  const id = parameters.id ?? ''
  const path = `/manage/v1/people/${encodeURIComponent(id)}`
  const person = useResource((signal) => loadRecord<Person>(path, signal), [id])
  const record = person.data.value?.record
  async function change(fields: object, text: string): Promise<boolean> {
    return attempt(async () => {
      try {
        person.data.value = await changeRecord<Person>(path, person.data.peek()?.etag, fields)
        notify(text)
      } catch (error) {
        person.reload()
        throw error
      }
    })
  }
  return (
    <>
      <PageHead
        title={record?.email ?? t('operator.people.title')}
        isName
        parent={{ href: href('/operator/people'), label: t('operator.people.title') }}
        beside={
          record && (
            <span class="row">
              <StatusMark of="person" status={record.status} />
              <span class="row">
                <code dir="ltr" class="weak operator-id">
                  {record.id}
                </code>
                <CopyButton text={record.id} isSmall />
              </span>
            </span>
          )
        }
      />
      <Loaded resource={person} record={{ kind: 'person', isBelowHead: true }}>
        {(seen) => (
          <div class="stack">
            <div class="operator-columns">
              <PlanAndStatus seen={seen} onChange={change} />
              <Links person={seen.record} />
            </div>
            <PersonToolApis ownerId={id} />
          </div>
        )}
      </Loaded>
    </>
  )
}

function PlanAndStatus(props: {
  seen: Versioned<Person>
  onChange: (fields: object, text: string) => Promise<boolean>
}) {
  const { email, plan, status, suspendedReason, storedDays } = props.seen.record
  const plans = useTiers('person')
  const [chosen, setChosen] = useState<string | undefined>(undefined)
  const [days, setDays] = useState<string | undefined>(undefined)
  const [isSuspending, setSuspending] = useState(false)
  const isWhole = days === undefined || /^\s*\d*\s*$/.test(days)
  return (
    <section class="panel stack" aria-labelledby="plan">
      <h2 id="plan">{t('operator.enterprise.access')}</h2>
      <div class="operator-switch">
        <SelectField
          label={t('operator.people.plan')}
          value={chosen ?? plan}
          options={(plans.data.value ?? []).map(({ name }) => ({ value: name, label: tierName(name) }))}
          onChange={setChosen}
        />
        <Button
          kind="main"
          disabled={chosen === undefined || chosen === plan}
          onClick={async () => {
            if (await props.onChange({ plan: chosen }, t('operator.people.planSaved'))) setChosen(undefined)
          }}
        >
          {t('operator.people.savePlan')}
        </Button>
      </div>
      <div class="operator-switch">
        <TextField
          label={t('operator.enterprise.fields.storedDays')}
          dir="ltr"
          inputMode="numeric"
          placeholder={t('operator.enterprise.ofServer')}
          value={days ?? (storedDays === null ? '' : String(storedDays))}
          onInput={setDays}
          error={isWhole ? undefined : t('operator.enterprise.whole')}
        />
        <Button
          disabled={days === undefined || !isWhole}
          onClick={async () => {
            const text = days?.trim() ?? ''
            const change = { storedDays: text === '' ? null : Number(text) }
            if (await props.onChange(change, t('operator.people.daysSaved'))) setDays(undefined)
          }}
        >
          {t('operator.people.saveDays')}
        </Button>
      </div>
      <div class="operator-switch">
        <div>
          <StatusMark of="person" status={status} />
          {suspendedReason !== null && <p>{t('failures.reason', { reason: suspendedReason })}</p>}
        </div>
        {status === 'active' ? (
          <Button onClick={() => setSuspending(true)}>{t('operator.people.suspend')}</Button>
        ) : (
          <Button
            kind="main"
            onClick={() => props.onChange({ status: 'active' }, t('operator.people.activated', { email }))}
          >
            {t('operator.people.activate')}
          </Button>
        )}
      </div>
      {isSuspending && (
        <ReasonDialog
          title={t('operator.people.suspend')}
          text={t('operator.people.suspendText', { email })}
          help={t('operator.people.suspendReasonHelp')}
          onConfirm={async (suspendedReason) => {
            const change = { status: 'suspended', suspendedReason }
            if (await props.onChange(change, t('operator.people.suspended', { email }))) setSuspending(false)
          }}
          onClose={() => setSuspending(false)}
        />
      )}
    </section>
  )
}

function Links({ person }: { person: Person }) {
  const params = { path: { id: person.id } }
  const links = useResource(
    (signal) => dataOf(api.GET('/manage/v1/people/{id}/links', { params, signal })),
    [person.id],
  )
  const [path, setPath] = useState<string | undefined>(undefined)
  const make = (): Promise<boolean> =>
    attempt(async () => {
      const made = await dataOf(api.POST('/manage/v1/people/{id}/links', { params }))
      setPath(made.path)
      links.reload()
    })
  return (
    <section class="panel stack" aria-labelledby="links">
      <h2 id="links">{t('operator.people.pending')}</h2>
      <p class="weak">{t(person.accountId === null ? 'operator.people.invite' : 'operator.people.reset')}</p>
      <Loaded resource={links} lines={1}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{t('operator.people.noLinks')}</p>
          ) : (
            <ul class="operator-lines">
              {items.map((link) => (
                <li key={link.id}>
                  <bdi dir="ltr" class="cut">
                    {link.email}
                  </bdi>
                  <span class="weak">
                    {t('operator.people.validUntil', { day: formatDay(Date.parse(link.expiresAt)) })}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <div class="row">
        <Button onClick={make}>{t('operator.people.makeLink')}</Button>
      </div>
      {path !== undefined && (
        <Dialog title={t('operator.people.makeLink')} isWide>
          <KeyBox
            title={t('operator.people.linkOf', { email: person.email })}
            text={t('operator.people.linkText')}
            secret={location.origin + path}
            onSaved={() => setPath(undefined)}
          />
        </Dialog>
      )}
    </section>
  )
}
