/** Grants of an application: every tool or chosen ones, by group, and whether it reads sensors. */
import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import type { Versioned } from '../../../api/record.ts'
import { useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'
import { formatList } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { useDraft } from '../../../ui/form.ts'
import { Loaded } from '../../../ui/states.tsx'
import { useRecordChanges } from '../../../ui/table/record-changes.tsx'
import { type Application, readsSensors } from './application-data.ts'

type Process = { id: string; title: string }
const GROUPS = ['convert', 'vector', 'measure', 'raster', 'image', 'document', 'export'] as const

export function Grants(props: {
  path: string
  version: Versioned<Application>
  onChange: (next: Versioned<Application>) => void
}) {
  const { record } = props.version
  const processes = useResource(
    async (signal) => {
      const response = await send(`/enterprise/v1/gis/processes?lang=${language.value}`, { signal })
      return ((await response.json()) as { processes: Process[] }).processes
    },
    [language.value],
  )
  const initial = {
    isAll: record.tools === 'all',
    tools: record.tools === 'all' ? ([] as string[]) : record.tools,
    assets: readsSensors(record),
  }
  const draft = useDraft(`grants.${record.id}.${record.updatedAt}`, initial)
  const { isAll, tools, assets } = draft.values.value
  const titleOf = (id: string): string => processes.data.value?.find((process) => process.id === id)?.title ?? id
  const changes = useRecordChanges<Application>({
    path: props.path,
    version: props.version,
    onChange: props.onChange,
    onTheirs: draft.clear,
    labelOf: (field) => t(field === 'assets' ? 'applications.sensors' : 'applications.tools'),
    textOf(field, state) {
      if (field === 'assets') return t(readsSensors(state as Application) ? 'applications.yes' : 'applications.no')
      const { tools: granted = [] } = state
      return granted === 'all' ? t('applications.allTools') : formatList(granted.map(titleOf)) || '–'
    },
  })
  async function save(event: Event): Promise<void> {
    event.preventDefault()
    const saved = await changes.save({ tools: isAll ? 'all' : tools, assets })
    if (saved !== undefined) draft.clear()
  }
  return (
    <section class="settings-part settings-wide" id="grants">
      <h2>{t('applications.grantsTitle')}</h2>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <fieldset class="option-set">
          <legend>{t('applications.mayRun')}</legend>
          {([true, false] as const).map((choice) => (
            <label key={String(choice)} class="check">
              <input type="radio" name="tools" checked={isAll === choice} onChange={() => draft.set('isAll', choice)} />
              <span>{t(`applications.grants.${choice ? 'all' : 'chosen'}`)}</span>
            </label>
          ))}
        </fieldset>
        {!isAll && (
          <Loaded resource={processes}>
            {(all) => <ToolChooser all={all} chosen={tools} onChange={(next) => draft.set('tools', next)} />}
          </Loaded>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={assets}
            onChange={(event) => draft.set('assets', event.currentTarget.checked)}
          />
          <span>{t('applications.mayReadSensors')}</span>
        </label>
        {changes.error?.faults[0] !== undefined && (
          <p class="form-error" role="alert">
            {changes.error.faults[0].message}
          </p>
        )}
        <div>
          <Button kind="main" type="submit">
            {t('applications.saveGrants')}
          </Button>
        </div>
      </form>
      {changes.question}
    </section>
  )
}

function ToolChooser(props: {
  all: readonly Process[]
  chosen: readonly string[]
  onChange: (tools: string[]) => void
}) {
  const { all, chosen, onChange } = props
  const [q, setQ] = useState('')
  const wanted = q.trim().toLocaleLowerCase()
  const matches = all.filter(({ id, title }) => `${title} ${id}`.toLocaleLowerCase().includes(wanted))
  const isChosen = new Set(chosen)
  // in the order of the catalogue, so that the same choice is the same record
  const set = (ids: readonly string[], isOn: boolean): void =>
    onChange(all.map(({ id }) => id).filter((id) => (ids.includes(id) ? isOn : isChosen.has(id))))
  const groupOf = (id: string): string => id.slice(0, id.indexOf('.'))
  return (
    <div class="tool-chooser">
      <div class="row">
        <input
          class="list-search"
          type="search"
          dir="auto"
          aria-label={t('applications.searchTools')}
          placeholder={t('applications.searchTools')}
          value={q}
          onInput={(event) => setQ(event.currentTarget.value)}
        />
        <span class="weak number" role="status">
          {t('applications.chosenOf', { chosen: chosen.length, all: all.length })}
        </span>
      </div>
      {matches.length === 0 && <p>{t('applications.noTool')}</p>}
      {GROUPS.map((group) => {
        const tools = matches.filter(({ id }) => groupOf(id) === group)
        if (tools.length === 0) return null
        const on = tools.filter(({ id }) => isChosen.has(id)).length
        return (
          <fieldset key={group} class="tool-group">
            <legend>
              <label class="check">
                <input
                  type="checkbox"
                  checked={on === tools.length}
                  ref={(element) => {
                    if (element) element.indeterminate = on > 0 && on < tools.length
                  }}
                  onChange={() =>
                    set(
                      tools.map(({ id }) => id),
                      on < tools.length,
                    )
                  }
                />
                <span>{t(`tools.groupNames.${group}`)}</span>
              </label>
            </legend>
            <div class="tool-list">
              {tools.map(({ id, title }) => (
                <label key={id} class="check" title={id}>
                  <input
                    type="checkbox"
                    checked={isChosen.has(id)}
                    onChange={(event) => set([id], event.currentTarget.checked)}
                  />
                  <span>{title}</span>
                </label>
              ))}
            </div>
          </fieldset>
        )
      })}
    </div>
  )
}
