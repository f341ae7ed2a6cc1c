/**
 * The features of a layer as a person edits them: every change is a command that can be undone, and saving sends the
 * differences from the stored version. Features are replaced, never changed, so an undo keeps references only.
 */
import type { Geometry } from 'geojson'

export type LayerFeature = {
  type: 'Feature'
  id: string
  properties: Record<string, unknown>
  geometry: Geometry | null
}

export type Command =
  | { kind: 'value'; id: string; name: string; value: unknown }
  | { kind: 'geometry'; id: string; geometry: Geometry | null }
  | { kind: 'add'; features: LayerFeature[] }
  | { kind: 'remove'; ids: string[] }
  | { kind: 'add-column'; name: string; type: ColumnType }
  | { kind: 'rename-column'; name: string; to: string }
  | { kind: 'remove-column'; name: string }
  /** Changes made on another version of the layer, rebased on this one. */
  | { kind: 'merge'; upsert: LayerFeature[]; remove: string[]; fields: string[] }

export type ColumnType = 'number' | 'boolean' | 'text' | 'mixed'
export type LayerColumn = { name: string; type: ColumnType }
export type Changes = { upsert: LayerFeature[]; remove: string[]; fields: string[] | undefined }

type State = { feature: LayerFeature | undefined; id: string }
/** The inverse of a command. */
type Step = { command: Command; before: State[]; columns: LayerColumn[]; order: string[] }

export const typeOfValue = (value: unknown): ColumnType | undefined =>
  value === null || value === undefined
    ? undefined
    : typeof value === 'number'
      ? 'number'
      : typeof value === 'boolean'
        ? 'boolean'
        : typeof value === 'string'
          ? 'text'
          : 'mixed'

const has = (values: object, name: string): boolean => Object.hasOwn(values, name)
/** A property of any name, including `__proto__`; an existing one keeps its place. */
const withValue = (values: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> =>
  Object.fromEntries([...Object.entries(values), [name, value]])

const sameFeature = (a: LayerFeature, b: LayerFeature): boolean =>
  a === b || JSON.stringify([a.properties, a.geometry]) === JSON.stringify([b.properties, b.geometry])

export function createLayerStore() {
  let stored = new Map<string, LayerFeature>()
  let storedColumns: string[] = []
  const current = new Map<string, LayerFeature>()
  /** Ids of `current` in the order of the layer. */
  let order: string[] = []
  let columns: LayerColumn[] = []
  let done: Step[] = []
  let undone: Command[] = []
  let version = 0

  /** The type that most values of a column have. */
  function typeOfColumn(name: string): ColumnType {
    const counts = { number: 0, boolean: 0, text: 0, mixed: 0 }
    for (const { properties } of current.values()) {
      const type = has(properties, name) ? typeOfValue(properties[name]) : undefined
      if (type !== undefined) counts[type]++
    }
    const [most] = (Object.entries(counts) as [ColumnType, number][]).sort((a, b) => b[1] - a[1])
    return most === undefined || most[1] === 0 ? 'text' : most[0]
  }

  function changesOf(command: Command): State[] {
    const change = (id: string, next: (feature: LayerFeature) => LayerFeature): State[] => {
      const feature = current.get(id)
      return feature === undefined ? [] : [{ id, feature: next(feature) }]
    }
    const ofAll = (name: string, next: (properties: Record<string, unknown>) => Record<string, unknown>): State[] =>
      [...current.values()]
        .filter(({ properties }) => has(properties, name))
        .map((feature) => ({ id: feature.id, feature: { ...feature, properties: next(feature.properties) } }))
    switch (command.kind) {
      case 'value':
        return change(command.id, (feature) => ({
          ...feature,
          properties: withValue(feature.properties, command.name, command.value),
        }))
      case 'geometry':
        return change(command.id, (feature) => ({ ...feature, geometry: command.geometry }))
      case 'add':
        return command.features.map((feature) => ({ id: feature.id, feature }))
      case 'remove':
        return command.ids.filter((id) => current.has(id)).map((id) => ({ id, feature: undefined }))
      case 'rename-column':
        return ofAll(command.name, (properties) =>
          Object.fromEntries(
            Object.entries(properties).map(([name, value]) => [name === command.name ? command.to : name, value]),
          ),
        )
      case 'remove-column':
        return ofAll(command.name, (properties) =>
          Object.fromEntries(Object.entries(properties).filter(([name]) => name !== command.name)),
        )
      case 'merge':
        return [
          ...command.upsert.map((feature) => ({ id: feature.id, feature })),
          ...command.remove.filter((id) => current.has(id)).map((id) => ({ id, feature: undefined })),
        ]
      case 'add-column':
        return []
    }
  }

  function columnsAfter(command: Command): LayerColumn[] {
    switch (command.kind) {
      case 'add-column':
        return [...columns, { name: command.name, type: command.type }]
      case 'rename-column':
        return columns.map((column) => (column.name === command.name ? { ...column, name: command.to } : column))
      case 'remove-column':
        return columns.filter(({ name }) => name !== command.name)
      case 'merge': {
        const known = new Map(columns.map((column) => [column.name, column]))
        return command.fields.map((name) => known.get(name) ?? { name, type: typeOfColumn(name) })
      }
      default:
        return columns
    }
  }

  function put(states: readonly State[]): void {
    let isGone = false
    const added: string[] = []
    for (const { id, feature } of states) {
      if (feature === undefined) {
        isGone = current.delete(id) || isGone
        continue
      }
      if (!current.has(id)) added.push(id)
      current.set(id, feature)
    }
    if (isGone) order = order.filter((id) => current.has(id))
    if (added.length > 0) order = [...order, ...added]
    version++
  }

  function apply(command: Command): void {
    const states = changesOf(command)
    const before = states.map(({ id }) => ({ id, feature: current.get(id) }))
    done.push({ command, before, columns, order })
    put(states)
    columns = columnsAfter(command)
  }

  const hasStoredColumns = (): boolean =>
    columns.length === storedColumns.length && columns.every(({ name }, i) => name === storedColumns[i])

  return {
    /** A version as it is stored. */
    load(features: readonly LayerFeature[], fields: readonly string[]): void {
      stored = new Map(features.map((feature) => [feature.id, feature]))
      storedColumns = [...fields]
      current.clear()
      for (const feature of features) current.set(feature.id, feature)
      order = features.map(({ id }) => id)
      done = []
      undone = []
      columns = fields.map((name) => ({ name, type: typeOfColumn(name) }))
      version++
    },
    apply(command: Command): void {
      undone = []
      apply(command)
    },
    undo(): Command | undefined {
      const step = done.pop()
      if (step === undefined) return undefined
      put(step.before)
      // a restored feature takes its former place
      order = step.order
      columns = step.columns
      undone.push(step.command)
      return step.command
    },
    redo(): Command | undefined {
      const command = undone.pop()
      if (command !== undefined) apply(command)
      return command
    },
    /** How many features were touched since they were stored. */
    counts(): { added: number; changed: number; removed: number; isReshaped: boolean } {
      let [added, changed, kept] = [0, 0, 0]
      for (const feature of current.values()) {
        const before = stored.get(feature.id)
        if (before === undefined) added++
        else kept++
        if (before !== undefined && before !== feature) changed++
      }
      return { added, changed, removed: stored.size - kept, isReshaped: !hasStoredColumns() }
    },
    /** The differences from the stored version. */
    changes(): Changes {
      const upsert = [...current.values()].filter((feature) => {
        const before = stored.get(feature.id)
        return before === undefined || !sameFeature(before, feature)
      })
      const remove = [...stored.keys()].filter((id) => !current.has(id))
      return { upsert, remove, fields: hasStoredColumns() ? undefined : columns.map(({ name }) => name) }
    },
    /** The changes were stored. */
    saved(fields: readonly string[]): void {
      stored = new Map(order.map((id) => [id, current.get(id) as LayerFeature]))
      storedColumns = [...fields]
      columns = fields.map(
        (name) => columns.find((column) => column.name === name) ?? { name, type: typeOfColumn(name) },
      )
      done = []
      undone = []
      version++
    },
    isStored: (id: string): boolean => stored.has(id),
    storedFeature: (id: string): LayerFeature | undefined => stored.get(id),
    find: (id: string): LayerFeature | undefined => current.get(id),
    features: (): LayerFeature[] => order.map((id) => current.get(id) as LayerFeature),
    commands: (): Command[] => done.map(({ command }) => command),
    columns: (): LayerColumn[] => columns,
    count: (): number => order.length,
    version: (): number => version,
    mayUndo: (): boolean => done.length > 0,
    mayRedo: (): boolean => undone.length > 0,
  }
}

export type LayerStore = ReturnType<typeof createLayerStore>
