/** The worker that keeps the live assets: it loads them, applies changes, and answers the page's queries. */
import { type Asked, reply, request } from '../../../workers/reply.ts'
import { areaOf } from './area.ts'
import { type AssetValues, type Columns, createAssetIndex } from './asset-index.ts'
import type { Answers, Question } from './worker-protocol.ts'

const index = createAssetIndex()
/** Changes that arrive while the assets are being loaded, and are applied afterwards. */
let waiting: (() => void)[] | undefined

async function dataAt<T>(url: string, headers: Record<string, string>): Promise<T> {
  return ((await (await request(url, { headers })).json()) as { data: T }).data
}

async function load({ url, headers }: Extract<Question, { kind: 'load' }>): Promise<Answers['load']> {
  waiting ??= []
  try {
    index.load(await dataAt<Columns>(url, headers))
  } finally {
    const held = waiting ?? []
    waiting = undefined
    for (const apply of held) apply()
  }
  return index.summary()
}

/** Of two requests, the later one wins. */
let limitsAsked = 0
async function limit({ url, headers }: Extract<Question, { kind: 'limit' }>): Promise<Answers['limit']> {
  const asked = ++limitsAsked
  const found = url === undefined ? undefined : await dataAt<Columns>(url, headers)
  if (asked === limitsAsked) index.setLimit(found?.ids)
  return index.summary()
}

let valuesAsked = 0
async function values({ url, headers }: Extract<Question, { kind: 'values' }>): Promise<Answers['values']> {
  const asked = ++valuesAsked
  const found = url === undefined ? undefined : await dataAt<AssetValues>(url, headers)
  if (asked === valuesAsked) index.setValues(found)
  return index.summary()
}

function change({ moved, removed, states }: Extract<Question, { kind: 'change' }>): Answers['change'] {
  const apply = (): void => {
    index.move(moved)
    index.remove(removed)
    index.setStates(states)
  }
  if (waiting === undefined) apply()
  else waiting.push(apply)
  return index.summary()
}

function answerOf(question: Question): Answers[keyof Answers] | Promise<Answers['load']> {
  switch (question.kind) {
    case 'load':
      return load(question)
    case 'change':
      return change(question)
    case 'filter':
      index.setFilter(question.filter)
      return index.summary()
    case 'limit':
      return limit(question)
    case 'values':
      return values(question)
    case 'clusters':
      return index.clusters(question.view)
    case 'rows':
      return index.rows(question.from, question.to)
    case 'find': {
      const asset = index.find(question.id)
      return asset && { asset, row: index.rowOf(question.id), drawnAs: index.drawnAs(question.id) }
    }
    case 'box':
      return index.box()
    case 'inside':
      return index.inside(areaOf(question.polygons), question.most)
  }
}

addEventListener('message', ({ data }: MessageEvent<Asked<Question>>) => void reply(data, answerOf))
