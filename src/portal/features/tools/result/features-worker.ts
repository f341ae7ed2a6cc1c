/** The worker that reads the features of a result, so that a large file does not block the page. */
import { createPainter } from '../../../ui/picture/painter.ts'
import { type Asked, type Refusal, reply, request } from '../../../workers/reply.ts'
import { classify } from './classes.ts'
import { createFeatureTable, type FeatureTable } from './feature-table.ts'
import { type Answers, type Question, UNREADABLE } from './features-protocol.ts'
import { featuresOf } from './geojson.ts'

const unreadable: Refusal = { status: 200, code: UNREADABLE, text: '' }
let table: FeatureTable | undefined
const painter = createPainter(() => [])

async function load(url: string): Promise<Answers['load']> {
  const text = await (await request(url)).text()
  painter.forget()
  try {
    table = createFeatureTable(featuresOf(text), (geometry) => painter.add([geometry]))
  } catch {
    throw unreadable
  }
  // the map loads meanwhile, and its first picture finds the features ready
  setTimeout(painter.prepare)
  return table.summary
}

function answerOf(question: Question): Answers[keyof Answers] | Promise<Answers['load']> {
  if (question.kind === 'load') return load(question.url)
  if (table === undefined) throw unreadable
  switch (question.kind) {
    case 'rows':
      return table.rows(question.offset, question.limit, question.sorting)
    case 'place':
      return table.place(question.index, question.sorting)
    case 'picture':
      return painter.picture(question.view, question.look)
    case 'at':
      return painter.at(question.touch)
    case 'classify': {
      const found = question.field === undefined ? undefined : classify(table.numbers(question.field), question.classes)
      painter.classify(found?.classOf)
      return found?.classes ?? []
    }
  }
}

addEventListener('message', ({ data }: MessageEvent<Asked<Question>>) => void reply(data, answerOf))
