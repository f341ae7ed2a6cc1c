/**
 * Which of the person's own things the examples name. A secret can be pasted to complete the examples; it stays in the
 * memory of this tab.
 */
import { type Signal, signal } from '@preact/signals'
import { api, dataOf } from '../../api/client.ts'
import { type Resource, useResource } from '../../api/resource.ts'
import { Field, TextField } from '../../parts/field.tsx'
import { queryValue, setQuery } from '../../router.ts'
import { enterpriseId, may, ownerId } from '../../session.ts'
import { t } from '../../text/text.ts'
import type { OwnThings } from './example.ts'

/** The newest ones; the address takes any id. */
const MOST = 200

type Key = { lastFour: string; revokedAt: string | null; publicKey?: string }
type Sensor = {
  id: string
  name: string
  channels: { name: string; measurement: string; active: boolean }[]
  keys: Key[]
}
type Keyed = { id: string; name: string; keys: Key[] }
export type Choices = { sensors: Sensor[]; applications: Keyed[]; toolApis: Keyed[]; newest: OwnThings['newest'] }

async function load(signal: AbortSignal): Promise<Choices> {
  const enterprise = enterpriseId.peek()
  const owner = ownerId.peek()
  const query = { limit: MOST }
  const path = { id: enterprise ?? '' }
  const [sensors, applications, toolApis, newest] = await Promise.all([
    enterprise === undefined
      ? []
      : dataOf(api.GET('/manage/v1/enterprises/{id}/sensors', { params: { path, query }, signal })).then(
          ({ items }) => items,
        ),
    enterprise === undefined || !may.peek().administer
      ? []
      : dataOf(api.GET('/manage/v1/enterprises/{id}/applications', { params: { path, query }, signal })).then(
          ({ items }) => items,
        ),
    owner === undefined || !may.peek().keep
      ? []
      : dataOf(
          api.GET('/manage/v1/owners/{ownerId}/tool-apis', { params: { path: { ownerId: owner }, query }, signal }),
        ).then(({ items }) => items),
    loadNewest(owner, signal),
  ])
  return { sensors, applications, toolApis, newest }
}

/** What is named by an id that nobody remembers, as far as the person may see it. */
async function loadNewest(owner: string | undefined, signal: AbortSignal): Promise<OwnThings['newest']> {
  if (owner === undefined) return {}
  const first = { query: { limit: 1 } }
  const options = { params: { path: { ownerId: owner }, ...first }, signal }
  const [runs, jobs, layers, files] = await Promise.all([
    dataOf(api.GET('/enterprise/v1/gis/runs', { params: first, signal })),
    dataOf(api.GET('/enterprise/v1/gis/jobs', { params: first, signal })),
    dataOf(api.GET('/manage/v1/owners/{ownerId}/layers', options)),
    dataOf(api.GET('/manage/v1/owners/{ownerId}/files', options)),
  ])
  const [run, artifact] = [runs.items[0], runs.items[0]?.artifacts[0]]
  return {
    ...{ runs: run?.runId ?? undefined, artifacts: artifact?.artifactId, stored: artifact?.key },
    ...{ jobs: jobs.items[0]?.jobID, layers: layers.items[0]?.id, files: files.items[0]?.id },
  }
}

export const useChoices = (): Resource<Choices> => useResource(load, [enterpriseId.value, ownerId.value])

type Secret = 'sensor' | 'secret' | 'toolApi' | 'operator'
const secrets: Record<Secret, Signal<string>> = {
  sensor: signal(''),
  secret: signal(''),
  toolApi: signal(''),
  operator: signal(''),
}

const currentKey = (keys: readonly Key[] | undefined): Key | undefined =>
  keys?.findLast(({ revokedAt }) => revokedAt === null)
const chosen = <T extends { id: string }>(items: readonly T[], name: string): T | undefined =>
  items.find(({ id }) => id === queryValue(name)) ?? items[0]

/** A word that says which key belongs here. */
const wordFor = (kind: string, lastFour: string | undefined): string =>
  lastFour === undefined ? `YOUR_${kind}` : `YOUR_${kind}_ENDING_IN_${lastFour}`

export function ownThings(choices: Choices | undefined): OwnThings {
  const sensor = chosen(choices?.sensors ?? [], 'sensor')
  const application = chosen(choices?.applications ?? [], 'application')
  const toolApi = chosen(choices?.toolApis ?? [], 'toolApi')
  const applicationKey = currentKey(application?.keys)
  const filled = (secret: Secret, kind: string, lastFour: string | undefined): string =>
    secrets[secret].value.trim() || wordFor(kind, lastFour)
  return {
    address: location.origin,
    ...{ enterpriseId: enterpriseId.value, ownerId: ownerId.value, application, toolApi },
    sensor: sensor && { id: sensor.id, channels: sensor.channels.filter(({ active }) => active) },
    newest: choices?.newest ?? {},
    keys: {
      sensor: filled('sensor', 'SENSOR_KEY', currentKey(sensor?.keys)?.lastFour),
      public: applicationKey?.publicKey ?? 'YOUR_PUBLIC_KEY',
      secret: filled('secret', 'SECRET_KEY', applicationKey?.lastFour),
      toolApi: filled('toolApi', 'TOOL_API_KEY', currentKey(toolApi?.keys)?.lastFour),
      operator: filled('operator', 'OPERATOR_TOKEN', undefined),
    },
  }
}

/** The choices that an operation needs, by the keys that it takes and its path. */
export function OwnThingsForm(props: { choices: Choices; security: ReadonlySet<string>; path: string }) {
  const { sensors, applications, toolApis } = props.choices
  const has = (scheme: string): boolean => props.security.has(scheme)
  const needsSensor = has('sensorKey') || /\/(sensors|tracks)\//.test(props.path)
  const secret: Secret | undefined = has('sensorKey')
    ? 'sensor'
    : has('toolApiKey')
      ? 'toolApi'
      : has('keyPair')
        ? 'secret'
        : has('operatorToken')
          ? 'operator'
          : undefined
  return (
    <div class="reference-own">
      {needsSensor && <Choice name="sensor" label={t('reference.sensor')} items={sensors} />}
      {(has('keyPair') || props.path.includes('/applications/')) && (
        <Choice name="application" label={t('reference.application')} items={applications} />
      )}
      {(has('toolApiKey') || props.path.includes('/tool-apis/')) && (
        <Choice name="toolApi" label={t('reference.toolApi')} items={toolApis} />
      )}
      {secret !== undefined && (
        <TextField
          label={t(`reference.secrets.${secret}`)}
          help={t('reference.secretHelp')}
          type="password"
          autocomplete="off"
          dir="ltr"
          value={secrets[secret].value}
          onInput={(value) => {
            secrets[secret].value = value
          }}
        />
      )}
    </div>
  )
}

function Choice(props: { name: string; label: string; items: readonly Keyed[] }) {
  const current = chosen(props.items, props.name)
  return (
    <Field label={props.label} help={props.items.length === 0 ? t('reference.none') : undefined}>
      {(attributes) => (
        <select
          {...attributes}
          disabled={props.items.length === 0}
          value={current?.id ?? ''}
          onChange={(event) => setQuery({ [props.name]: event.currentTarget.value })}
        >
          {props.items.map(({ id, name, keys }) => {
            const key = currentKey(keys)
            return (
              <option key={id} value={id}>
                {key === undefined ? name : `${name} (…${key.lastFour})`}
              </option>
            )
          })}
        </select>
      )}
    </Field>
  )
}
