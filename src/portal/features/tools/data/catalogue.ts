/**
 * The tools that the owner may use. Their titles are loaded in both languages, so that a tool is found in either; the
 * description of a tool is loaded before it is needed, and kept.
 */
import { signal } from '@preact/signals'
import { send } from '../../../api/client.ts'
import { language } from '../../../shell/preferences.ts'
import { ownerId } from '../../../shell/session.ts'
import type { DataKind, ProcessDescription, ProcessSummary } from '../process-form/process.ts'

type Language = 'en' | 'ar'
const PROCESSES = '/enterprise/v1/gis/processes'

export const GROUPS = ['vector', 'raster', 'measure', 'convert', 'image', 'document', 'export'] as const
export type Group = (typeof GROUPS)[number]

export type ToolEntry = {
  id: string
  group: Group
  /** The tool in each language. */
  en: ProcessSummary
  ar: ProcessSummary
}

export const groupOf = (id: string): Group =>
  (GROUPS as readonly string[]).find((one) => id.startsWith(`${one}.`)) as Group

/** Answers by owner and address: plans, tiers and grants differ between owners. */
const loaded = new Map<string, Promise<unknown>>()

function load<T>(address: string): Promise<T> {
  const key = `${ownerId.peek() ?? ''} ${address}`
  const known = loaded.get(key)
  if (known !== undefined) return known as Promise<T>
  const answer = send(address).then((response) => response.json() as Promise<T>)
  loaded.set(key, answer)
  // a failure is not kept
  answer.catch(() => loaded.delete(key))
  return answer
}

/** @throws ApiError */
export async function loadCatalogue(): Promise<ToolEntry[]> {
  const list = (lang: Language) => load<{ processes: ProcessSummary[] }>(`${PROCESSES}?lang=${lang}`)
  const [{ processes: english }, { processes: arabic }] = await Promise.all([list('en'), list('ar')])
  const inArabic = new Map(arabic.map((tool) => [tool.id, tool]))
  return english.map((tool) => ({
    id: tool.id,
    group: groupOf(tool.id),
    en: tool,
    ar: inArabic.get(tool.id) ?? tool,
  }))
}

/** The tools that take a kind of data as their main input, such as the result of another tool. @throws ApiError */
export async function toolsAccepting(kind: DataKind): Promise<ToolEntry[]> {
  const tools = await loadCatalogue()
  return tools.filter(({ en: { svc } }) => svc.input === kind && svc.execution === 'multipart/form-data')
}

/** The tool in the person's language. */
export const shownIn = (tool: ToolEntry): ProcessSummary => tool[language.value]

const descriptions = signal<ReadonlyMap<string, ProcessDescription>>(new Map())
const keyOf = (id: string): string => `${ownerId.value ?? ''} ${language.value} ${id}`

/** The description of a tool in the person's language, if it is loaded already. */
export const knownProcess = (id: string): ProcessDescription | undefined => descriptions.value.get(keyOf(id))

/** @throws ApiError */
export async function loadProcess(id: string): Promise<ProcessDescription> {
  const key = keyOf(id)
  const process = await load<ProcessDescription>(`${PROCESSES}/${encodeURIComponent(id)}?lang=${language.peek()}`)
  if (!descriptions.peek().has(key)) descriptions.value = new Map(descriptions.peek()).set(key, process)
  return process
}

/** Preloads the description before a tool is opened, so that its form appears at once. */
export function prefetchProcess(id: string): void {
  // opening the tool reports the failure
  loadProcess(id).catch(() => undefined)
}
