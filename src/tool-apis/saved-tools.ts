/** Validates a saved tool: its settings, its binding, and the rule and fields of its second input. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mayRunTool, mayUseToolApis } from '../access/plans.ts'
import type { Engine } from '../engine/engine.ts'
import { AppError, type FieldError, fieldsFailure, invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import checkFile from '../intake/binding.ts'
import type { FileStore } from '../stores/files/client.ts'
import type { Owner } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import { findCleanVersion } from '../stores/postgres/files/owner-files.ts'
import { newId } from '../stores/postgres/ids.ts'
import { findLayer, hasPolygons } from '../stores/postgres/layers/layers.ts'
import type { Binding, InsideRule } from '../stores/postgres/runs/tool-apis.ts'
import { checkInput } from '../tools/check.ts'
import type { Registry } from '../tools/registry.ts'
import { returnsSecondFields, settingsSchema } from '../tools/saved.ts'
import type { SecondInput, Tool } from '../tools/tool.ts'

/** Services to open the layer or file that a tool is bound to. */
export type SavedToolDeps = {
  db: Database
  engine: Engine
  fileStore: FileStore
  /** Folder for temporary files. */
  scratchDir: string
  limits: { toolTimeoutMs: number }
}

export type SavedToolInput = {
  settings?: Record<string, unknown> | undefined
  binding?: Binding | null | undefined
  rule?: InsideRule | null | undefined
  referenceFields?: string[] | null | undefined
}
export type CheckedSettings = {
  settings: Record<string, unknown>
  binding: Binding | null
  rule: InsideRule | null
  referenceFields: string[] | null
}

/** @throws AppError VALIDATION_FAILED naming the tools that can be saved */
export function eligibleTool({ tools }: Pick<Registry, 'tools'>, id: string): Tool {
  const eligible = tools.filter(({ saved }) => saved !== undefined)
  const tool = eligible.find((candidate) => candidate.id === id)
  if (tool !== undefined) return tool
  throw invalidField(
    'body.tool',
    'enum',
    fieldText('oneOf', { values: eligible.map((candidate) => candidate.id).join(', ') }),
  )
}

/** @throws AppError VALIDATION_FAILED naming the field; TOOL_API_PLAN, GIS_TIER_REQUIRED */
export async function checkSaved(
  deps: SavedToolDeps,
  owner: Owner,
  tool: Tool,
  input: SavedToolInput,
): Promise<CheckedSettings> {
  if (!mayUseToolApis(owner)) throw new AppError('TOOL_API_PLAN')
  if (!mayRunTool(owner, tool.tier)) throw new AppError('GIS_TIER_REQUIRED')
  const settings = checkSettings(tool, input.settings ?? {})
  const rule = checkRule(tool, input.rule ?? null)
  const { fields, binding } = await checkBinding(deps, owner, tool, input.binding ?? null)
  const referenceFields = checkFields(tool, input.referenceFields ?? null, fields)
  return { settings, binding, rule, referenceFields }
}

function checkSettings(tool: Tool, settings: Record<string, unknown>): Record<string, unknown> {
  try {
    return checkInput({ input: settingsSchema(tool) }, settings)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const errors = (error.errors ?? []).map((one): FieldError => ({ ...one, field: `body.settings.${one.field}` }))
    throw fieldsFailure('VALIDATION_FAILED', errors)
  }
}

function checkRule(tool: Tool, rule: InsideRule | null): InsideRule | null {
  if (tool.saved?.rule === undefined) {
    if (rule === null) return null
    throw invalidField('body.rule', 'forbidden', fieldText('noRule', { tool: tool.id }))
  }
  const { kind, percent } = rule ?? { kind: 'inside' as const }
  if (kind === 'percent' && percent === undefined)
    throw invalidField('body.rule.percent', 'required', fieldText('requiredWhen', { field: 'kind', value: 'percent' }))
  if (kind !== 'percent' && percent !== undefined)
    throw invalidField('body.rule.percent', 'forbidden', fieldText('allowedWhen', { field: 'kind', value: 'percent' }))
  return { kind, ...(percent !== undefined && { percent }) }
}

async function checkBinding(
  deps: SavedToolDeps,
  owner: Owner,
  tool: Tool,
  binding: Binding | null,
): Promise<{ binding: Binding | null; fields: string[] }> {
  const second = tool.saved?.second
  if (second === undefined) {
    if (binding === null) return { binding, fields: [] }
    throw invalidField('body.binding', 'forbidden', fieldText('noSecondInput', { tool: tool.id }))
  }
  if (binding === null)
    throw invalidField('body.binding', 'required', fieldText('bindingRequired', { field: second.field, tool: tool.id }))
  const { kind, id, version } = binding
  if (kind === 'file-version' && version === undefined)
    throw invalidField(
      'body.binding.version',
      'required',
      fieldText('requiredWhen', { field: 'kind', value: 'file-version' }),
    )
  if (kind !== 'file-version' && version !== undefined)
    throw invalidField(
      'body.binding.version',
      'forbidden',
      fieldText('allowedWhen', { field: 'kind', value: 'file-version' }),
    )
  const fields =
    kind === 'layer' ? await layerFields(deps, owner, id, second) : await fileFields(deps, owner, id, version, second)
  return { binding: { kind, id, ...(version !== undefined && { version }) }, fields }
}

async function layerFields({ db }: SavedToolDeps, owner: Owner, id: string, second: SecondInput): Promise<string[]> {
  const layer = await findLayer(db, id)
  if (layer?.ownerId !== owner.id) throw invalidField('body.binding.id', 'exists', fieldText('layerOfOwner'))
  if (second.kind === 'raster')
    throw invalidField('body.binding.kind', 'raster', fieldText('bindingOfRaster', { field: second.field }))
  if (second.kind === 'polygons' && !hasPolygons(layer))
    throw invalidField('body.binding.id', 'polygons', fieldText('bindingOfPolygons', { field: second.field }))
  return layer.fields
}

/** Opens the file to check that it can be used, and returns its fields. */
async function fileFields(
  { db, fileStore, engine, scratchDir, limits }: SavedToolDeps,
  owner: Owner,
  id: string,
  version: number | undefined,
  { kind }: SecondInput,
): Promise<string[]> {
  const found = await findCleanVersion(db, id, version)
  if (found === undefined || found.ownerId !== owner.id)
    throw invalidField('body.binding.id', 'exists', fieldText('cleanFileOfOwner'))
  const scratch = join(scratchDir, newId('run'))
  await mkdir(scratch)
  try {
    const path = join(scratch, 'file')
    const { id: key, filename, bytes } = found.version
    await fileStore.fetch(key, path)
    const { data } = await engine.run(
      checkFile,
      { file: { path, filename, bytes }, kind },
      { scratch, deadlineMs: limits.toolTimeoutMs, plan: 'max', tenant: owner.id },
    )
    return data.fields as string[]
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function checkFields(tool: Tool, names: string[] | null, fields: readonly string[]): string[] | null {
  if (names === null) return null
  if (!returnsSecondFields(tool))
    throw invalidField('body.referenceFields', 'forbidden', fieldText('noReferenceFields', { tool: tool.id }))
  const unknown = names.findIndex((name) => !fields.includes(name))
  if (unknown >= 0)
    throw invalidField(
      `body.referenceFields.${unknown}`,
      'enum',
      fields.length === 0
        ? fieldText('boundWithoutFields')
        : fieldText('oneOf', { values: fields.slice(0, 100).join(', ') }),
    )
  return names
}
