/**
 * The saved part of a call: the tool's settings, the bound layer or file, the rule of an inside check, the fields in
 * results.
 */
import type { Signal } from '@preact/signals'
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { t } from '../../../text/text.ts'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { addToDraft, type Draft } from '../../../ui/form.ts'
import type { ProcessDescription } from '../../tools/process-form/process.ts'
import { ProcessForm } from '../../tools/process-form/process-form.tsx'
import { type FormValues, faultsIn, inputOf } from '../../tools/process-form/values.ts'
import { BindingField } from './binding-field.tsx'
import { type Binding, INSIDE_CHECK, type Rule, type SavableTool } from './tool-api-data.ts'

const RULE_KINDS = ['inside', 'partly', 'percent'] as const

export type SavedValues = {
  settings: FormValues
  binding: Binding | undefined
  ruleKind: Rule['kind']
  percent: string
  /** Undefined for all fields. */
  fields: string[] | undefined
}

/** Name of the form of a new Tool API in this tab. */
export const draftOfNew = (ownerId: string, toolId: string): string => `tool-api.${ownerId}.${toolId}`

/** Opens the form of a new Tool API with the input of a run of its tool. */
export function startFromRun(ownerId: string, toolId: string, entered: FormValues): void {
  const { rule, percent, reference_fields: fields } = entered
  addToDraft<SavedValues>(draftOfNew(ownerId, toolId), {
    settings: entered,
    ...(toolId === INSIDE_CHECK && {
      ...(RULE_KINDS.some((kind) => kind === rule) && { ruleKind: rule as Rule['kind'] }),
      ...(typeof percent === 'string' && percent !== '' && { percent }),
      ...(Array.isArray(fields) && fields.length > 0 && { fields: fields.map(String) }),
    }),
  })
}

/** Fields of the tool that a Tool API does not save as settings. */
export const omittedOf = (tool: SavableTool, process: ProcessDescription): string[] =>
  Object.keys(process.inputs).filter((name) => !(name in tool.settings.properties))

const percentOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

export function ruleOf(tool: SavableTool, { ruleKind, percent }: SavedValues): Rule | undefined {
  if (tool.id !== INSIDE_CHECK) return undefined
  return ruleKind === 'percent' ? { kind: ruleKind, percent: percentOf(percent) } : { kind: ruleKind }
}

/** The fields of a request. */
export function savedOf(tool: SavableTool, process: ProcessDescription, values: SavedValues) {
  const rule = ruleOf(tool, values)
  return {
    settings: inputOf({ process, values: values.settings, omit: omittedOf(tool, process) }),
    ...(tool.secondInput !== null && values.binding !== undefined && { binding: values.binding }),
    ...(rule && { rule }),
    ...(tool.tellsFields && { referenceFields: values.fields ?? null }),
  }
}

/** The first missing field that prevents saving or trying, in words; undefined if there is none. */
export function missingIn(tool: SavableTool, process: ProcessDescription, values: SavedValues): string | undefined {
  if (tool.secondInput !== null && values.binding === undefined)
    return t(`toolApis.chooseSecond.${tool.secondInput.kind}`)
  if (percentFault(tool, values) !== undefined) return percentFault(tool, values)
  const faults = faultsIn({ process, values: values.settings, omit: omittedOf(tool, process) })
  return faults.size > 0 ? t('toolApis.fixSettings') : undefined
}

function percentFault(tool: SavableTool, values: SavedValues): string | undefined {
  const rule = ruleOf(tool, values)
  if (rule?.kind !== 'percent') return undefined
  return rule.percent !== undefined && rule.percent >= 0 && rule.percent <= 100 ? undefined : t('toolApis.percentFault')
}

export function SavedForm(props: {
  tool: SavableTool
  process: ProcessDescription
  ownerId: string
  values: SavedValues
  /** A view of `values.settings` in the form that the tool's form needs. */
  settings: Signal<FormValues>
  draft: Pick<Draft<SavedValues>, 'errorAt' | 'error'>
  set: <K extends keyof SavedValues>(name: K, value: SavedValues[K]) => void
  isChecked: boolean
}) {
  const { tool, process, ownerId, values, draft, set, isChecked } = props
  const fields = useResource((signal) => fieldsOf(ownerId, values.binding, signal), [ownerId, values.binding?.id])
  const omit = omittedOf(tool, process)
  const hasSettings = Object.keys(process.inputs).some((name) => !omit.includes(name))
  const faults = (draft.error.value?.faults ?? []).map((fault) => ({
    ...fault,
    field: fault.field.replace(/^body\.settings\./, ''),
  }))
  const bindingFault = ['binding.id', 'binding.kind', 'binding.version', 'binding'].map(draft.errorAt).find(Boolean)
  return (
    <>
      {hasSettings && (
        <fieldset class="saved-settings">
          <legend>{t('toolApis.settings')}</legend>
          <ProcessForm
            process={process}
            omit={omit}
            isChecked={isChecked}
            serverFaults={faults}
            values={props.settings}
            onChange={(field, value) => set('settings', { ...values.settings, [field]: value })}
          />
        </fieldset>
      )}
      {tool.secondInput !== null && (
        <BindingField
          ownerId={ownerId}
          second={tool.secondInput}
          value={values.binding}
          error={
            bindingFault ??
            (isChecked && values.binding === undefined
              ? t(`toolApis.chooseSecond.${tool.secondInput.kind}`)
              : undefined)
          }
          onChange={(binding) => {
            if (binding.id !== values.binding?.id) set('fields', undefined)
            set('binding', binding)
          }}
        />
      )}
      {tool.id === INSIDE_CHECK && (
        <div class="saved-rule">
          <SelectField
            label={t('toolApis.rule')}
            value={values.ruleKind}
            options={RULE_KINDS.map((kind) => ({
              value: kind,
              label: t(`toolApis.rules.${kind}`),
            }))}
            onChange={(kind) => set('ruleKind', kind)}
            help={t('toolApis.ruleHelp')}
            error={draft.errorAt('rule')}
          />
          {values.ruleKind === 'percent' && (
            <TextField
              label={t('toolApis.percent')}
              inputMode="decimal"
              dir="ltr"
              value={values.percent}
              onInput={(text) => set('percent', text)}
              error={draft.errorAt('rule.percent') ?? percentFault(tool, values)}
            />
          )}
        </div>
      )}
      {tool.tellsFields && values.binding !== undefined && (
        <FieldsField
          known={fields.data.value}
          value={values.fields}
          onChange={(chosen) => set('fields', chosen)}
          isInsideCheck={tool.id === INSIDE_CHECK}
          error={draft.error.value?.faults.find(({ field }) => field.startsWith('body.referenceFields'))?.message}
        />
      )}
    </>
  )
}

/** Undefined for a file, whose columns only the server reads. */
async function fieldsOf(ownerId: string, binding: Binding | undefined, signal: AbortSignal) {
  if (binding?.kind !== 'layer') return undefined
  const params = { path: { ownerId, id: binding.id } }
  return (await dataOf(api.GET('/manage/v1/owners/{ownerId}/layers/{id}', { params, signal }))).fields
}

/** Which fields of the bound item callers may see. Without a choice, an inside check returns none, and other tools return all. */
function FieldsField(props: {
  known: readonly string[] | undefined
  value: string[] | undefined
  onChange: (fields: string[] | undefined) => void
  isInsideCheck: boolean
  error: string | undefined
}) {
  const { known, value, onChange } = props
  const help = t(props.isInsideCheck ? 'toolApis.fieldsHelpInside' : 'toolApis.fieldsHelp')
  if (known === undefined || known.length === 0)
    return (
      <TextField
        label={t('toolApis.fields')}
        help={
          <>
            {help} {t('toolApis.fieldsTyped')}
          </>
        }
        value={(value ?? []).join(', ')}
        onInput={(text) => {
          const names = text
            .split(/[,،]/)
            .map((name) => name.trim())
            .filter((name) => name !== '')
          onChange(names.length === 0 ? undefined : [...new Set(names)])
        }}
        error={props.error}
      />
    )
  return (
    <fieldset class="saved-fields">
      <legend>{t('toolApis.fields')}</legend>
      <p class="field-help">{help}</p>
      <ul>
        {known.map((name) => (
          <li key={name}>
            <label class="check">
              <input
                type="checkbox"
                checked={value?.includes(name) ?? false}
                onChange={(event) => {
                  const others = (value ?? []).filter((one) => one !== name)
                  const next = event.currentTarget.checked ? [...others, name] : others
                  onChange(next.length === 0 ? undefined : next)
                }}
              />
              <bdi>{name}</bdi>
            </label>
          </li>
        ))}
      </ul>
      {props.error !== undefined && (
        <div class="field-error" role="alert">
          {props.error}
        </div>
      )}
    </fieldset>
  )
}
