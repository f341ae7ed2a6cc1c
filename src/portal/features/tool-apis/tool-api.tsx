/** A Tool API: whether it answers, its calls, a place to try it, its keys and its settings. */
import { useEffect, useState } from 'preact/hooks'
import { loadRecord } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { language } from '../../shell/preferences.ts'
import { href, mayLeave, queryValue, setQuery } from '../../shell/router.ts'
import { chooseOwner, ownerId } from '../../shell/session.ts'
import { formatDuration, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { CopyButton } from '../../ui/button.tsx'
import { EditableName } from '../../ui/editable-name.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { toolApiSnippets } from '../../ui/snippets.ts'
import { Loaded } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { IssuedKeys } from '../account/issued-keys.tsx'
import { Code, KeyBox } from '../account/key-box.tsx'
import { useToolApiChanges } from './one/changes.ts'
import { newKey } from './one/new-key.ts'
import { Playground } from './one/playground.tsx'
import { SettingsTab } from './one/settings-tab.tsx'
import { ToolApiStateView, Trouble } from './one/state.tsx'
import { StatisticsTab } from './one/statistics-tab.tsx'
import { type Rule, sendInput, type ToolApi, type ToolApiVersion, toolApiPath } from './one/tool-api-data.ts'
import { type ToolWithProcess, useTool } from './one/use-process.ts'

const TABS = ['calls', 'try', 'keys', 'settings'] as const
const FRESH_MS = 15_000

export function ToolApiPage({ parameters }: PageProps) {
  const id = parameters.id ?? ''
  const record = useResource((signal) => loadRecord<ToolApi>(toolApiPath(id), signal), [id])
  // a link shared by somebody who works for another owner
  const owner = record.data.value?.record.ownerId
  useEffect(() => {
    if (owner !== undefined && owner !== ownerId.peek()) chooseOwner(owner)
  }, [owner])
  const made = newKey.value
  if (made?.id === id)
    return (
      <>
        <PageHead title={made.name} isName parent={{ href: href('/tool-apis'), label: t('toolApis.title') }} />
        <KeyBox
          title={t('toolApis.keyOf', { name: made.name })}
          secret={made.key}
          snippets={toolApiSnippets(made.id, made.key, made.example)}
          onSaved={() => {
            newKey.value = undefined
          }}
        />
      </>
    )
  return (
    <Loaded resource={record} record={{ kind: 'toolApi' }}>
      {(version) => (
        <ToolApiView
          key={version.record.id}
          version={version}
          onChange={(next) => {
            record.data.value = next
          }}
        />
      )}
    </Loaded>
  )
}

function ToolApiView({ version, onChange }: { version: ToolApiVersion; onChange: (next: ToolApiVersion) => void }) {
  const { record: api } = version
  const known = useTool(api.tool)
  const tab = TABS.find((one) => one === queryValue('tab')) ?? 'calls'
  useFresh(version, onChange)
  const address = toolApiPath(api.id)
  return (
    <>
      <Head version={version} onChange={onChange} title={titleOf(known.data.value)} />
      <Trouble api={api} />
      <div class="sensor-tabs">
        <Tabs
          label={t('toolApis.sections')}
          tabs={TABS.map((one) => ({ id: one, label: t(`toolApis.tabs.${one}`) }))}
          selected={tab}
          onSelect={(next) => {
            if (mayLeave()) setQuery({ tab: next === 'calls' ? undefined : next })
          }}
        />
      </div>
      {tab === 'calls' && <StatisticsTab api={api} />}
      {tab === 'try' && (
        <>
          <p class="weak">{t('toolApis.tryText')}</p>
          <Playground
            name={api.id}
            ownerId={api.ownerId}
            layerId={api.binding?.kind === 'layer' ? api.binding.id : undefined}
            rule={(api.rule ?? undefined) as Rule | undefined}
            action={t('toolApis.send')}
            run={(input, signal) => sendInput(`${address}/try`, { input }, signal)}
          />
        </>
      )}
      {tab === 'keys' && (
        <div class="settings">
          <IssuedKeys<{ name: string; key: string }>
            address={`${address}/keys`}
            title={t('toolApis.tabs.keys')}
            text={t('toolApis.rotation')}
            none={t('toolApis.noKeys')}
            nameHelp={t('toolApis.keyNameHelp')}
            secretOf={({ key }) => key}
            snippetsOf={({ key }) => toolApiSnippets(api.id, key)}
          />
          <section class="settings-part settings-wide">
            <h2>{t('toolApis.howToCall')}</h2>
            <Code text={toolApiSnippets(api.id, '…')[0]?.code ?? ''} />
          </section>
        </div>
      )}
      {tab === 'settings' && (
        <Loaded resource={known}>{(tool) => <SettingsTab version={version} onChange={onChange} known={tool} />}</Loaded>
      )}
    </>
  )
}

const titleOf = (known: ToolWithProcess | undefined): string | undefined =>
  known?.tool.title[language.value === 'ar' ? 'ar' : 'en']

/** State and counts follow the calls; an edited record keeps its version. */
function useFresh({ record: api, etag }: ToolApiVersion, onChange: (next: ToolApiVersion) => void): void {
  useEffect(() => {
    const abort = new AbortController()
    const timer = setInterval(() => {
      if (document.hidden) return
      loadRecord<ToolApi>(toolApiPath(api.id), abort.signal).then(
        // after somebody else's change the page still shows the earlier values, and a change here asks which one to
        // keep
        (next) => next.etag === etag && onChange(next),
        () => undefined,
      )
    }, FRESH_MS)
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [api.id, etag])
}

function Head(props: { version: ToolApiVersion; onChange: (next: ToolApiVersion) => void; title: string | undefined }) {
  const { record: api } = props.version
  // a new number resets the typed values
  const [edit, setEdit] = useState(0)
  const changes = useToolApiChanges(props.version, props.onChange, () => setEdit((count) => count + 1))
  const { today } = api.activity
  return (
    <>
      <PageHead
        title={api.name}
        isName
        parent={{ href: href('/tool-apis'), label: t('toolApis.title') }}
        heading={
          <EditableName
            key={edit}
            value={api.name}
            label={t('toolApis.name')}
            action={t('toolApis.rename')}
            onSave={async (name) => (await changes.save({ name })) !== undefined}
            error={changes.error?.faults[0]?.message}
          />
        }
        beside={<ToolApiStateView state={api.activity.state} />}
      />
      <dl class="sensor-facts">
        <div>
          <dt>{t('toolApis.tool')}</dt>
          <dd>{props.title ?? api.tool}</dd>
        </div>
        {api.binding !== null && (
          <div>
            <dt>{t('toolApis.binding')}</dt>
            <dd>
              <bdi title={api.activity.boundName ?? ''}>{api.activity.boundName ?? t('toolApis.gone')}</bdi>
            </dd>
          </div>
        )}
        <div>
          <dt>{t('toolApis.callsToday')}</dt>
          <dd class="number">{formatWhole(today.calls)}</dd>
        </div>
        <div>
          <dt>{t('toolApis.refusedToday')}</dt>
          <dd class={today.refused + today.failed > 0 ? 'number state-refused' : 'number'}>
            {formatWhole(today.refused + today.failed)}
          </dd>
        </div>
        {today.latency !== null && (
          <div>
            <dt>{t('toolApis.p95')}</dt>
            <dd class="number">{formatDuration(Math.round(today.latency.p95Ms))}</dd>
          </div>
        )}
        <div>
          <dt>{t('toolApis.lastCall')}</dt>
          <dd>
            <Age at={api.activity.lastCallAt} />
          </dd>
        </div>
        <div class="sensor-id">
          <dt>{t('runs.id')}</dt>
          <dd>
            <code dir="ltr">{api.id}</code> <CopyButton text={api.id} isSmall />
          </dd>
        </div>
      </dl>
      {changes.question}
    </>
  )
}
