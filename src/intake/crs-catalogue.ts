/** Reference systems by name or code. The list is read once, in a worker process; definitions are kept as they are asked for. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import { AppError, invalidField } from '../errors.ts'
import { inTurns } from '../event-loop-yield.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { newId } from '../stores/postgres/ids.ts'
import task, { type Crs, type CrsDefinition } from './crs.ts'

export type CrsCatalogue = {
  /**
   * Systems whose name, area or code contains every word of a text; an exact code match first.
   * @throws AppError VALIDATION_FAILED
   */
  search(query: {
    q: string
    limit: number
    cursor: string | undefined
  }): Promise<{ items: Crs[]; nextCursor: string | null }>
  /** @throws AppError NOT_FOUND */
  get(code: number): Promise<Crs & CrsDefinition>
}
type Listed = Crs & { searched: string }

/** Maximum cached definitions, of some 6,000 systems. */
const MAX_CACHED_DEFINITIONS = 1_000

export function createCrsCatalogue(deps: { engine: Engine; scratchDir: string; timeoutMs: number }): CrsCatalogue {
  let listing: Promise<Map<number, Listed>> | undefined
  const definitions = new Map<number, Promise<CrsDefinition>>()

  async function run(input: { code?: number }): Promise<Record<string, unknown>> {
    const scratch = join(deps.scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const options = { deadlineMs: deps.timeoutMs, plan: 'max', tenant: 'reference-systems' } as const
      const { data } = await deps.engine.run(task, input, { ...options, scratch, signal: new AbortController().signal })
      return data as Record<string, unknown>
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  async function list(): Promise<Map<number, Listed>> {
    const { systems } = (await run({})) as { systems: Crs[] }
    const all = new Map<number, Listed>()
    await inTurns(systems.length, (i) => {
      const system = systems[i] as Crs
      const searched = `epsg:${system.code} ${system.name} ${system.area ?? ''}`.toLowerCase()
      all.set(system.code, { ...system, searched })
    })
    return all
  }
  /** Failures are not cached. */
  function listed(): Promise<Map<number, Listed>> {
    listing ??= list().catch((error: unknown) => {
      listing = undefined
      throw error
    })
    return listing
  }

  function definitionOf(code: number): Promise<CrsDefinition> {
    let found = definitions.get(code)
    if (found === undefined) {
      const [oldest] = definitions.keys()
      if (definitions.size >= MAX_CACHED_DEFINITIONS && oldest !== undefined) definitions.delete(oldest)
      found = run({ code }).then(({ definition }) => definition as CrsDefinition)
      found.catch(() => definitions.delete(code))
      definitions.set(code, found)
    }
    return found
  }

  const shown = ({ searched: _, ...system }: Listed): Crs => system
  return {
    async search({ q, limit, cursor }) {
      if (cursor !== undefined && !/^o\d{1,5}$/.test(cursor))
        throw invalidField('query.cursor', 'cursor', fieldText('aPreviousPage'))
      const words = q.toLowerCase().split(/\s+/).filter(Boolean)
      const all = [...(await listed()).values()]
      const exact = Number(/^(?:epsg:)?\s*(\d+)$/i.exec(q.trim())?.[1])
      const found = all
        .filter(({ searched }) => words.every((word) => searched.includes(word)))
        .sort((a, b) => Number(b.code === exact) - Number(a.code === exact))
      const start = Number(cursor?.slice(1) ?? 0)
      const items = found.slice(start, start + limit)
      const end = start + items.length
      return { items: items.map(shown), nextCursor: end < found.length ? `o${end}` : null }
    },
    async get(code) {
      const system = (await listed()).get(code)
      if (system === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noCrs', { code }) })
      return { ...shown(system), ...(await definitionOf(code)) }
    },
  }
}
