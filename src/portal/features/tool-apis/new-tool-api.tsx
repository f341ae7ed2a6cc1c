/** A new Tool API: a tool, its settings and its second input, tried on the map before it is saved; then its key. */
import { computed } from '@preact/signals'
import type { Feature } from 'geojson'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { language } from '../../shell/preferences.ts'
import { href, navigate, queryValue, setQuery } from '../../shell/router.ts'
import { enterpriseId, ownerId } from '../../shell/session.ts'
import { inDigits, t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FormFailure } from '../../ui/failure-text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { useDraft } from '../../ui/form.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { focusFirstFault } from '../tools/process-form/process-form.tsx'
import { initialValues } from '../tools/process-form/values.ts'
import { boxOf, exampleFor } from './one/geojson.ts'
import { newKey } from './one/new-key.ts'
import { Playground } from './one/playground.tsx'
import { draftOfNew, missingIn, ruleOf, SavedForm, type SavedValues, savedOf } from './one/saved-form.tsx'
import { type Binding, loadAllowance, loadBound, loadTools, type SavableTool, sendInput } from './one/tool-api-data.ts'
import { type ToolWithProcess, useTool } from './one/use-process.ts'
import { NotIncluded } from './tool-apis.tsx'

export function NewToolApiPage() {
  const owner = ownerId.value as string
  const isPerson = enterpriseId.value === undefined
  const start = useResource(
    async (signal) => {
      const [tools, allowance] = await Promise.all([loadTools(signal), loadAllowance(owner, isPerson, signal)])
      return { tools, allowance }
    },
    [owner],
  )
  const chosen = queryValue('tool') ?? ''
  return (
    <>
      <PageHead title={t('toolApis.newTitle')} parent={{ href: href('/tool-apis'), label: t('toolApis.title') }} />
      <Loaded resource={start}>
        {({ tools, allowance }) =>
          allowance.includesToolApis ? (
            <>
              <ToolChoice tools={tools} plan={allowance.plan} isPerson={isPerson} chosen={chosen} />
              {tools.some(({ id }) => id === chosen) && <ChosenTool key={`${owner} ${chosen}`} id={chosen} />}
            </>
          ) : (
            <NotIncluded allowance={allowance} />
          )
        }
      </Loaded>
    </>
  )
}

/** Lowest first, as the plans of people include each other. */
const PLANS = ['free', 'plus', 'pro', 'max']
const isIncluded = ({ tier }: SavableTool, plan: string, isPerson: boolean): boolean =>
  !isPerson || tier === null || PLANS.indexOf(plan) >= PLANS.indexOf(tier)

function ToolChoice(props: { tools: readonly SavableTool[]; plan: string; isPerson: boolean; chosen: string }) {
  const { tools, chosen } = props
  const lang = language.value === 'ar' ? 'ar' : 'en'
  const included = tools.filter((tool) => isIncluded(tool, props.plan, props.isPerson))
  const description = tools.find(({ id }) => id === chosen)?.description[lang]
  return (
    <div class="form">
      <SelectField
        label={t('toolApis.tool')}
        value={chosen}
        {...(description !== undefined && { help: inDigits(description) })}
        options={[
          { value: '', label: t('toolApis.chooseTool') },
          ...included
            .map(({ id, title }) => ({ value: id, label: title[lang] }))
            .toSorted((a, b) => a.label.localeCompare(b.label, lang)),
        ]}
        onChange={(tool) => setQuery({ tool })}
      />
    </div>
  )
}

function ChosenTool({ id }: { id: string }) {
  const found = useTool(id)
  return <Loaded resource={found}>{(known) => (known === undefined ? null : <Editor key={id} {...known} />)}</Loaded>
}

/** A feature that lies partly in the bound layer, so that the command shows something. */
async function exampleOf(owner: string, binding: Binding | undefined): Promise<Feature | undefined> {
  if (binding?.kind !== 'layer') return undefined
  try {
    return exampleFor(boxOf(await loadBound(owner, binding.id, new AbortController().signal)))
  } catch {
    // the key must be shown even if the example fails
    return undefined
  }
}

type Values = SavedValues & { name: string }

function Editor({ tool, process }: ToolWithProcess) {
  const owner = ownerId.value as string
  const draft = useDraft<Values>(draftOfNew(owner, tool.id), {
    name: '',
    settings: initialValues(process),
    binding: undefined,
    ruleKind: 'inside',
    percent: '50',
    fields: undefined,
  })
  useEffect(() => {
    // a result that was just saved as a layer, or a raster as a file
    const kind = tool.secondInput?.kind === 'raster' ? 'file' : 'layer'
    const id = queryValue(kind)
    if (id !== undefined && tool.secondInput !== null) draft.set('binding', { kind, id })
  }, [tool.id])
  const settings = useMemo(() => computed(() => draft.values.value.settings), [draft])
  const [isChecked, setChecked] = useState(false)
  const values = draft.values.value
  const missing = missingIn(tool, process, values)
  const saved = savedOf(tool, process, values)
  const error = draft.error.value

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    setChecked(true)
    if (values.name.trim() === '' || missing !== undefined) {
      focusFirstFault()
      return
    }
    const result = await draft.submit((sent, key) =>
      dataOf(
        api.POST('/manage/v1/owners/{ownerId}/tool-apis', {
          params: { path: { ownerId: owner } },
          headers: { 'idempotency-key': key },
          body: { tool: tool.id, name: sent.name.trim(), ...savedOf(tool, process, sent) } as never,
        }),
      ),
    )
    if (result === undefined) return
    const { id, key, name } = result
    newKey.value = { id, key, name, example: undefined }
    navigate(`/tool-apis/${encodeURIComponent(id)}`, { replace: true })
    const example = await exampleOf(owner, values.binding)
    if (newKey.peek()?.id === id) newKey.value = { id, key, name, example }
  }

  return (
    <div class="tool-api-new">
      <form class="form" onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          label={t('toolApis.name')}
          placeholder={t('toolApis.namePlaceholder')}
          value={values.name}
          maxLength={200}
          onInput={(name) => draft.set('name', name)}
          error={
            draft.errorAt('name') ?? (isChecked && values.name.trim() === '' ? t('toolApis.nameNeeded') : undefined)
          }
        />
        <SavedForm
          tool={tool}
          process={process}
          values={values}
          settings={settings}
          draft={draft}
          isChecked={isChecked}
          ownerId={owner}
          set={(name, value) => draft.set(name, value as never)}
        />
        <FormFailure error={error} />
        {isChecked && missing !== undefined && (
          <p class="form-error" role="alert">
            {missing}
          </p>
        )}
        <div>
          <Button kind="main" type="submit">
            {t('toolApis.create')}
          </Button>
        </div>
      </form>
      <section class="tool-api-preview" aria-label={t('toolApis.preview')}>
        <h2>{t('toolApis.preview')}</h2>
        <p class="weak">{t('toolApis.previewText')}</p>
        <Playground
          name={`new.${owner}`}
          ownerId={owner}
          layerId={values.binding?.kind === 'layer' ? values.binding.id : undefined}
          rule={ruleOf(tool, values)}
          action={t('toolApis.runPreview')}
          missing={missing}
          version={JSON.stringify(saved)}
          run={(input, signal) =>
            sendInput(
              `/manage/v1/owners/${encodeURIComponent(owner)}/tool-api-previews`,
              { tool: tool.id, ...saved, input },
              signal,
            )
          }
        />
      </section>
    </div>
  )
}
