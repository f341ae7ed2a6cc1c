/** The changes of a record, field by field. */

export type FieldChange = {
  /** Names from the outermost to the innermost, such as `keys`, `Gateway`, `revokedAt`. */
  path: string[]
  before: Value | undefined
  after: Value | undefined
}
export type Scalar = string | number | boolean
export type Value = Scalar | Scalar[]

type Record = { [field: string]: unknown } | null

/** Fields that change with every edit and are not shown. */
const SILENT = new Set(['updatedAt', 'number', 'nextOrdinal', 'historyBytes', 'completeSince'])

/** @returns only the differences; all fields for a record that was made or deleted */
export function changesBetween(before: Record, after: Record): FieldChange[] {
  const [old, now] = [flattened(before), flattened(after)]
  const keys = new Set([...old.keys(), ...now.keys()])
  return [...keys].flatMap((key) => {
    const [a, b] = [old.get(key), now.get(key)]
    if (String(a?.value) === String(b?.value)) return []
    return [{ path: (b ?? a)?.path ?? [], before: a?.value, after: b?.value }]
  })
}

type Leaf = { path: string[]; value: Value }

function flattened(record: Record): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>()
  function add(path: string[], value: unknown): void {
    if (value === null || value === undefined || SILENT.has(path[0] as string)) return
    if (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null)) {
      for (const [i, item] of value.entries()) add([...path, nameOf(item, i)], item)
      return
    }
    if (typeof value === 'object' && !Array.isArray(value)) {
      for (const [field, item] of Object.entries(value)) add([...path, field], item)
      return
    }
    leaves.set(JSON.stringify(path), { path, value: value as Value })
  }
  for (const [field, value] of Object.entries(record ?? {})) add([field], value)
  return leaves
}

/** Items of a list are distinguished by their names. */
function nameOf(item: unknown, index: number): string {
  const { name, id, number } = (item ?? {}) as { name?: unknown; id?: unknown; number?: unknown }
  if (typeof number === 'number') return `${typeof name === 'string' ? name : ''} ${number}`.trim()
  if (typeof id === 'string') return typeof name === 'string' ? `${name} (${id.slice(-6)})` : id
  return typeof name === 'string' ? name : String(index + 1)
}
