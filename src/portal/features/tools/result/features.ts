/** The features of a result in their worker. */
import type { Look, PictureView, Touch } from '../../../ui/picture/protocol.ts'
import { startWorker } from '../../../workers/ask.ts'
import type { Answers, Question, Sorting } from './features-protocol.ts'
import { resultFiles } from './files.ts'

/** A worker whose view is never shown ends after this time. */
const UNUSED_MS = 20_000

function startFeatures() {
  const { ask, end } = startWorker<Question, Answers>(resultFiles.features)
  return {
    load: (url: string) => ask({ kind: 'load', url }),
    rows: (offset: number, limit: number, sorting: Sorting) => ask({ kind: 'rows', offset, limit, sorting }),
    place: (index: number, sorting: Sorting) => ask({ kind: 'place', index, sorting }),
    picture: (view: PictureView, look: Look) => ask({ kind: 'picture', view, look }),
    at: (touch: Touch) => ask({ kind: 'at', touch }),
    classify: (field: number | undefined, classes: number) => ask({ kind: 'classify', field, classes }),
    end,
  }
}

export type Features = ReturnType<typeof startFeatures>

type Prepared = { url: string; features: Features; loaded: ReturnType<Features['load']> }
let prepared: Prepared | undefined
/** Files that a view shows. */
const shown = new Set<string>()

/** Starts to read a file before its view is shown: the worker needs no code of the page. */
export function prepareFeatures(url: string): void {
  if (prepared?.url === url || shown.has(url)) return
  prepared?.features.end()
  const features = startFeatures()
  const own: Prepared = { url, features, loaded: features.load(url) }
  // the view reports a failure
  own.loaded.catch(() => undefined)
  prepared = own
  setTimeout(() => {
    if (prepared !== own) return
    prepared = undefined
    features.end()
  }, UNUSED_MS)
}

/** The features of a shown file, which may be loading already. */
export function openFeatures(url: string): Features {
  const own = prepared?.url === url ? prepared : undefined
  if (own !== undefined) prepared = undefined
  const features = own?.features ?? startFeatures()
  let first = own?.loaded
  shown.add(url)
  return {
    ...features,
    load(address) {
      const answer = address === url ? first : undefined
      first = undefined
      return answer ?? features.load(address)
    },
    end() {
      shown.delete(url)
      features.end()
    },
  }
}
