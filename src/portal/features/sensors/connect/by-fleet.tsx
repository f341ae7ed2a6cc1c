/** Devices that send through something with a fleet key: the key, what to paste, and the wait. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { randomId } from '../../../shell/random-id.ts'
import { href, queryValue, setQuery } from '../../../shell/router.ts'
import { enterpriseId } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { attempt, FormFailure } from '../../../ui/failure-text.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { useDraft } from '../../../ui/form.ts'
import { Loaded } from '../../../ui/states.tsx'
import { KeyBox } from '../../account/key-box.tsx'
import { useKeyGuard } from '../../account/key-guard.ts'
import { createFleetKey, type FleetKey } from '../../fleet-keys/fleet-key-data.ts'
import { TagsEditor } from '../tags-editor.tsx'
import { ofFleet } from './configuration.ts'
import { Configured } from './configured.tsx'
import { FleetArrivals } from './fleet-arrivals.tsx'
import { FLEET_SETTINGS, type FleetWay } from './ways.ts'

/** A key, while the page shows it. */
type Secret = { id: string; key: string }
type AutoCreate = FleetKey['autoCreate']
const AUTO_CREATE: readonly AutoCreate[] = ['pending', 'on', 'off']

export function ByFleet({ way }: { way: FleetWay }) {
  const id = queryValue('key')
  const [secret, setSecret] = useState<Secret | undefined>(undefined)
  const [isSaved, setSaved] = useState(false)
  useKeyGuard(secret !== undefined && !isSaved)
  function made(next: Secret): void {
    setSaved(false)
    setSecret(next)
    setQuery({ key: next.id })
  }
  if (id === undefined) return <NewKey key={way} way={way} onMade={made} />
  return (
    <Key
      key={id}
      id={id}
      way={way}
      secret={secret?.id === id ? secret.key : undefined}
      isSaved={isSaved}
      onMade={(key) => made({ id, key })}
      onSaved={() => setSaved(true)}
    />
  )
}

function NewKey({ way, onMade }: { way: FleetWay; onMade: (made: Secret) => void }) {
  const enterprise = enterpriseId.value as string
  const draft = useDraft<{ name: string; tags: string[]; autoCreate: AutoCreate }>(`connect.${way}.${enterprise}`, {
    name: t(`connect.ways.${way}.title`),
    tags: [],
    autoCreate: 'pending',
  })
  const values = draft.values.value
  const [isBusy, setBusy] = useState(false)
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    setBusy(true)
    const made = await draft.submit(({ name, tags, autoCreate }, idempotencyKey) =>
      createFleetKey({ ...FLEET_SETTINGS[way], name: name.trim(), tags, autoCreate }, idempotencyKey),
    )
    setBusy(false)
    if (made !== undefined) onMade({ id: made.id, key: made.key })
  }
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <p>{t('connect.fleetKey')}</p>
      <FormFailure error={draft.error.value} />
      <TextField label={t('connect.keyName')} required maxLength={200} {...draft.field('name')} />
      <SelectField
        label={t('connect.newDevices')}
        help={t(`connect.autoCreateHelp.${values.autoCreate}`)}
        value={values.autoCreate}
        options={AUTO_CREATE.map((value) => ({ value, label: t(`connect.autoCreate.${value}`) }))}
        error={draft.errorAt('autoCreate')}
        onChange={(autoCreate) => draft.set('autoCreate', autoCreate)}
      />
      <TagsEditor
        label={t('connect.onlyTags')}
        tags={values.tags}
        error={draft.errorAt('tags')}
        onChange={(change) => draft.set('tags', change(draft.values.peek().tags))}
      />
      <div class="row">
        <Button kind="main" type="submit" isBusy={isBusy}>
          {t('connect.makeFleetKey')}
        </Button>
      </div>
    </form>
  )
}

function Key(props: {
  id: string
  way: FleetWay
  secret: string | undefined
  isSaved: boolean
  onMade: (key: string) => void
  onSaved: () => void
}) {
  const { id, way, secret, isSaved } = props
  const fleetKey = useResource(
    async (signal) => dataOf(api.GET('/manage/v1/fleet-keys/{id}', { params: { path: { id } }, signal })),
    [id],
  )
  async function rotate(): Promise<void> {
    await attempt(async () => {
      const { key } = await dataOf(
        api.POST('/manage/v1/fleet-keys/{id}/keys', {
          params: { path: { id } },
          headers: { 'Idempotency-Key': randomId() },
          body: {},
        }),
      )
      props.onMade(key)
    })
  }
  return (
    <Loaded resource={fleetKey}>
      {(record) => (
        <div class="connect-steps">
          <p>
            {t('connect.key')}{' '}
            <a href={href('/settings/fleet-keys/:id', { id })}>
              <bdi>{record.name}</bdi>
            </a>
          </p>
          {secret !== undefined && !isSaved ? (
            <KeyBox title={t('connect.keyTitle')} secret={secret} onSaved={props.onSaved}>
              <Configured {...ofFleet(way, secret)} />
            </KeyBox>
          ) : (
            <section class="connect-configuration" aria-label={t('connect.configuration')}>
              <p>{t(isSaved ? 'connect.keySaved' : 'connect.fleetKeyGone')}</p>
              {!isSaved && (
                <Button icon="key" onClick={rotate}>
                  {t('connect.rotate')}
                </Button>
              )}
              <Configured {...ofFleet(way, t('connect.keyHere'))} />
            </section>
          )}
          <h2>{t('connect.wait')}</h2>
          <FleetArrivals fleetKey={record} />
        </div>
      )}
    </Loaded>
  )
}
