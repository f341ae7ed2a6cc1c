/** Programs that call our API for the enterprise: their grants, and whether their keys are in use. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { now } from '../../shell/clock.ts'
import { href, navigate, queryValue, setQuery } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { LastUse } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { FormFailure } from '../../ui/failure-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { useDraft } from '../../ui/form.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Application, isInForce, lastUse, readsSensors } from './applications/application-data.ts'
import { showPair } from './applications/made-pair.ts'

const PAGE = 1_000
const SEARCH_FROM = 8
const SOON_MS = 14 * 86_400_000

export function ApplicationsPage() {
  const id = enterpriseId.value ?? ''
  const applications = useResource(
    (signal) =>
      dataOf(
        api.GET('/manage/v1/enterprises/{id}/applications', {
          params: { path: { id }, query: { limit: PAGE } },
          signal,
        }),
      ),
    [id],
  )
  const [isMaking, setMaking] = useState(false)
  return (
    <>
      <PageHead title={t('applications.title')}>
        <Button kind="main" icon="add" onClick={() => setMaking(true)}>
          {t('applications.create')}
        </Button>
      </PageHead>
      <Loaded resource={applications}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('applications.first')} text={t('applications.firstText')} docs={t('frame.docs')} />
          ) : (
            <List items={items} />
          )
        }
      </Loaded>
      {isMaking && <NewApplication enterpriseId={id} onClose={() => setMaking(false)} />}
    </>
  )
}

function List({ items }: { items: readonly Application[] }) {
  const q = (queryValue('q') ?? '').toLocaleLowerCase()
  const shown = q === '' ? items : items.filter(({ name, id }) => `${name} ${id}`.toLocaleLowerCase().includes(q))
  return (
    <div class="stack">
      <p class="weak">{t('applications.what')}</p>
      {items.length >= SEARCH_FROM && (
        <input
          class="list-search"
          type="search"
          dir="auto"
          aria-label={t('applications.search')}
          placeholder={t('applications.search')}
          value={queryValue('q') ?? ''}
          onInput={(event) => setQuery({ q: event.currentTarget.value.trim() })}
        />
      )}
      {shown.length === 0 ? (
        <p>{t('applications.noneFound')}</p>
      ) : (
        <PlainTable
          label={t('applications.title')}
          kind={ROWS_ON_PHONE}
          rows={shown}
          keyOf={({ id }) => id}
          columns={[
            [
              t('applications.name'),
              ({ id, name }) => (
                <a href={href('/settings/applications/:id', { id })}>
                  <bdi>{name}</bdi>
                </a>
              ),
              { isName: true, kind: 'wraps' },
            ],
            [
              t('applications.tools'),
              ({ tools }) =>
                tools === 'all' ? t('applications.allTools') : t('applications.toolCount', { count: tools.length }),
            ],
            [
              t('applications.sensors'),
              (application) => t(readsSensors(application) ? 'applications.yes' : 'applications.no'),
            ],
            [t('applications.keys'), (application) => <KeyCount application={application} />],
            [t('keys.lastUsed'), (application) => <LastUse at={lastUse(application)} recordedEvery="hour" />],
          ]}
        />
      )}
    </div>
  )
}

function KeyCount({ application: { keys } }: { application: Application }) {
  const inForce = keys.filter((key) => isInForce(key, now.value))
  const ending = inForce.filter(
    ({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) - now.value < SOON_MS,
  ).length
  if (inForce.length === 0) return <span class="state-silent">{t('applications.noKey')}</span>
  return (
    <span>
      {t('applications.keyCount', { count: inForce.length })}
      {ending > 0 && <span class="state-late"> · {t('applications.ending', { count: ending })}</span>}
    </span>
  )
}

function NewApplication(props: { enterpriseId: string; onClose: () => void }) {
  const draft = useDraft(`application.${props.enterpriseId}`, { name: '', tools: 'all' as 'all' | 'chosen' })
  const { tools } = draft.values.value
  async function submit(): Promise<void> {
    const made = await draft.submit((values, idempotencyKey) =>
      dataOf(
        api.POST('/manage/v1/enterprises/{id}/applications', {
          params: { path: { id: props.enterpriseId } },
          headers: { 'idempotency-key': idempotencyKey },
          body: { name: values.name.trim(), tools: values.tools === 'all' ? 'all' : [] },
        }),
      ),
    )
    if (made === undefined) return
    draft.clear()
    showPair(made.id, { name: t('applications.firstPair'), publicKey: made.publicKey, secretKey: made.secretKey })
    navigate(`/settings/applications/${encodeURIComponent(made.id)}`)
  }
  return (
    <FormDialog title={t('applications.create')} onSubmit={submit} onClose={props.onClose}>
      <TextField
        label={t('applications.name')}
        help={t('applications.nameHelp')}
        maxLength={200}
        required
        autoFocus
        {...draft.field('name')}
      />
      <fieldset class="option-set">
        <legend>{t('applications.mayRun')}</legend>
        {(['all', 'chosen'] as const).map((choice) => (
          <label key={choice} class="check">
            <input type="radio" name="tools" checked={tools === choice} onChange={() => draft.set('tools', choice)} />
            <span>{t(`applications.grants.${choice}`)}</span>
          </label>
        ))}
      </fieldset>
      <FormFailure error={draft.error.value} />
    </FormDialog>
  )
}
