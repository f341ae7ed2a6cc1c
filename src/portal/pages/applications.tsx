/** Programs that call our API for the enterprise: what each may do, and whether its keys are in use. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { now } from '../clock.ts'
import { Age } from '../parts/age.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FormFailure } from '../parts/failure-text.tsx'
import { TextField } from '../parts/field.tsx'
import { useDraft } from '../parts/form.ts'
import { PageHead } from '../parts/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../parts/plain-table.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { href, navigate, queryValue, setQuery } from '../router.ts'
import { enterpriseId } from '../session.ts'
import { t } from '../text/text.ts'
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
          ...{ params: { path: { id }, query: { limit: PAGE } }, signal },
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
        <PlainTable label={t('applications.title')} kind={ROWS_ON_PHONE}>
          <thead>
            <tr>
              <th scope="col">{t('applications.name')}</th>
              <th scope="col">{t('applications.tools')}</th>
              <th scope="col">{t('applications.sensors')}</th>
              <th scope="col">{t('applications.keys')}</th>
              <th scope="col">{t('keys.lastUsed')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((application) => (
              <tr key={application.id}>
                <th scope="row" class="wraps">
                  <a href={href('/settings/applications/:id', { id: application.id })}>
                    <bdi>{application.name}</bdi>
                  </a>
                </th>
                <td>
                  {application.tools === 'all'
                    ? t('applications.allTools')
                    : t('applications.toolCount', { count: application.tools.length })}
                </td>
                <td>{t(readsSensors(application) ? 'applications.yes' : 'applications.no')}</td>
                <td>
                  <KeyCount application={application} />
                </td>
                <td>
                  <Age at={lastUse(application)} />
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
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
  const { name, tools } = draft.values.value
  const { error } = draft
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
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
    <Dialog title={t('applications.create')} onClose={props.onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label={t('applications.name')}
          help={t('applications.nameHelp')}
          value={name}
          maxLength={200}
          required
          autoFocus
          onInput={(value) => draft.set('name', value)}
          error={draft.errorAt('name')}
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
        <FormFailure error={error.value} />
        <div class="dialog-actions">
          <Button onClick={props.onClose}>{t('frame.cancel')}</Button>
          <Button kind="main" type="submit">
            {t('applications.create')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
