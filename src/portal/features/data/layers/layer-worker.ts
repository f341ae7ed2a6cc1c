/** The worker that keeps the features of a layer: it loads, edits, filters and saves them, so that the page stays quick. */
import { createPainter } from '../../../ui/picture/painter.ts'
import { type Asked, isRefusal, reply, request } from '../../../workers/reply.ts'
import { type LayerDraft, readDraft, writeDraft } from './drafts.ts'
import { boxOfGeometries } from './geometry-box.ts'
import { inspect } from './inspect.ts'
import { createLayerRows } from './layer-rows.ts'
import { createLayerStore, type LayerFeature } from './layer-store.ts'
import type { Answers, Base, Opened, Progress, Question, Summary } from './protocol.ts'
import { readFeatures } from './read-features.ts'

/** The largest page that the API returns. */
const PAGE = 1_000
/** A layer that loads faster than this shows no progress, and is drawn once. */
const PROGRESS_MS = 100
/** Differences made by others, loaded to resolve a conflict. */
const MAX_DIFFERENCES = 20_000

const store = createLayerStore()
const rows = createLayerRows(store)
let address = ''
let draft = ''
let base: Base = { version: 0, etag: '', fields: [] }
let painted = -1
/** Set while a layer is loaded for the first time: the features so far. */
let arriving: LayerFeature[] | undefined
const painter = createPainter(() => store.features().map(({ geometry }) => geometry))

async function get<T>(path: string, headers: Record<string, string>): Promise<T> {
  return ((await (await request(address + path, { headers })).json()) as { data: T }).data
}

/**
 * A version does not change while it is read, even if somebody edits the layer meanwhile.
 * @param arrived is called with features as they arrive
 */
async function load(
  from: Base,
  headers: Record<string, string>,
  arrived?: (features: readonly LayerFeature[]) => void,
): Promise<void> {
  const features: LayerFeature[] = []
  let saidMs = performance.now()
  for await (const piece of readFeatures(address, from.version, headers)) {
    for (const feature of piece) features.push(feature)
    arrived?.(piece)
    if (performance.now() - saidMs < PROGRESS_MS) continue
    saidMs = performance.now()
    postMessage({ loaded: features.length } satisfies Progress)
  }
  base = from
  store.load(features, from.fields)
}

/** The first load of a layer: its features are drawn while they arrive. */
async function loadFirst(from: Base, headers: Record<string, string>): Promise<void> {
  painter.forget()
  arriving = []
  try {
    await load(from, headers, (features) => {
      for (const feature of features) arriving?.push(feature)
      painter.add(features.map(({ geometry }) => geometry))
    })
    // the same features in the same order
    painted = store.version()
  } finally {
    arriving = undefined
  }
}

function summary(): Summary {
  const { added, changed, removed, isReshaped } = store.counts()
  return {
    count: store.count(),
    columns: store.columns(),
    mayUndo: store.mayUndo(),
    mayRedo: store.mayRedo(),
    added,
    changed,
    removed,
    hasChanges: added + changed + removed > 0 || isReshaped,
  }
}

/**
 * The next reload starts with these changes. If the browser has no room to store them, they last as long as the page.
 */
async function keep(): Promise<void> {
  const commands = store.commands()
  await writeDraft(draft, commands.length === 0 ? undefined : { base, commands }).catch(() => undefined)
}

async function open(question: Extract<Question, { kind: 'open' }>): Promise<Opened> {
  const { headers } = question
  address = question.address
  draft = question.draft
  const kept: LayerDraft | undefined = await readDraft(draft).catch(() => undefined)
  try {
    await loadFirst(kept?.base ?? question.base, headers)
    for (const command of kept?.commands ?? []) store.apply(command)
  } catch (error) {
    if (kept === undefined || !isRefusal(error) || error.status !== 404) throw error
    // the edited version is no longer kept
    await writeDraft(draft, undefined)
    await loadFirst(question.base, headers)
  }
  return { summary: summary(), base, isDraft: store.mayUndo() }
}

async function save({ headers }: Extract<Question, { kind: 'save' }>): Promise<Answers['save']> {
  const { upsert, remove, fields } = store.changes()
  const response = await request(`${address}/features`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json', 'if-match': base.etag },
    body: JSON.stringify({ upsert, delete: remove, ...(fields && { fields }) }),
  })
  const { data } = (await response.json()) as { data: { version: number; fields: string[] } }
  base = { version: data.version, fields: data.fields, etag: response.headers.get('etag') ?? '' }
  store.saved(data.fields)
  await keep()
  return { summary: summary(), base }
}

type Difference = { featureId: string; after: LayerFeature | null }

async function conflict({ headers, to }: Extract<Question, { kind: 'conflict' }>): Promise<Answers['conflict']> {
  const theirs = new Map<string, LayerFeature | null>()
  for (let cursor = ''; theirs.size < MAX_DIFFERENCES; ) {
    const page = await get<{ items: Difference[]; nextCursor: string | null }>(
      `/versions/compare?from=${base.version}&to=${to}&limit=${PAGE}${cursor}`,
      headers,
    )
    for (const { featureId, after } of page.items) theirs.set(featureId, after)
    if (page.nextCursor === null) break
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
  const { upsert, remove } = store.changes()
  const mine = new Map<string, LayerFeature | null>([
    ...upsert.map((feature) => [feature.id, feature] as const),
    ...remove.map((id) => [id, null] as const),
  ])
  const clashes = [...mine]
    .filter(([id, feature]) => theirs.has(id) && (feature !== null || theirs.get(id) !== null))
    .map(([id, feature]) => ({ id, mine: feature, theirs: theirs.get(id) ?? null }))
  return { clashes, theirs: theirs.size, mine: mine.size }
}

/** Rebases the changes on the version that somebody else has stored, without the discarded features. */
async function rebase(question: Extract<Question, { kind: 'rebase' }>): Promise<Opened> {
  const { upsert, remove, fields } = store.changes()
  const givenUp = new Set(question.theirs)
  await load(question.base, question.headers)
  const mine = upsert.filter(({ id }) => !givenUp.has(id))
  const gone = remove.filter((id) => !givenUp.has(id) && store.find(id) !== undefined)
  const names = fields ?? question.base.fields
  const added = question.base.fields.filter((name) => !names.includes(name))
  if (mine.length > 0 || gone.length > 0 || fields !== undefined)
    store.apply({ kind: 'merge', upsert: mine, remove: gone, fields: [...names, ...added] })
  await keep()
  return { summary: summary(), base, isDraft: store.mayUndo() }
}

/** Shapes of the current features. */
function current(): typeof painter {
  if (arriving !== undefined) return painter
  if (painted !== store.version()) painter.forget()
  painted = store.version()
  return painter
}

async function edited(change: () => void): Promise<Summary> {
  change()
  await keep()
  return summary()
}

function answerOf(question: Question): Answers[keyof Answers] | Promise<Answers[keyof Answers]> {
  switch (question.kind) {
    case 'open':
      return open(question)
    case 'rows':
      return rows.page(question.query, question.offset, question.limit)
    case 'index':
      return rows.indexOf(question.query, question.id)
    case 'features':
      return question.ids.flatMap((id) => store.find(id) ?? [])
    case 'apply':
      return edited(() => store.apply(question.command))
    case 'undo':
      return edited(() => store.undo())
    case 'redo':
      return edited(() => store.redo())
    case 'discard':
      return edited(() => {
        while (store.undo() !== undefined);
      })
    case 'box':
      return boxOfGeometries((arriving ?? store.features()).map(({ geometry }) => geometry))
    case 'picture':
      return current().picture(question.view, question.look)
    case 'at': {
      const index = current().at(question.touch)
      return index === undefined ? undefined : store.features()[index]?.id
    }
    case 'save':
      return save(question)
    case 'conflict':
      return conflict(question)
    case 'rebase':
      return rebase(question)
    case 'inspect':
      return inspect(question.file, question.feature)
  }
}

/** Answered from the features so far, while the rest of a layer loads. */
const isEarly = ({ kind }: Question): boolean => arriving !== undefined && (kind === 'picture' || kind === 'box')

// one after the other: an edit that follows a save must not overtake it
let last: Promise<void> = Promise.resolve()
addEventListener('message', ({ data }: MessageEvent<Asked<Question>>) => {
  if (isEarly(data)) void reply(data, answerOf)
  else last = last.then(() => reply(data, answerOf))
})
