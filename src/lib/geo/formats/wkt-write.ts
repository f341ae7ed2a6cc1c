/** Well-known text (OGC 06-103r4) of well-known binary, with full double precision. */
import {
  COLLECTION,
  forEachRun,
  isEmpty,
  POINT,
  POLYGON,
  partsOf,
  TYPE_NAMES,
  typeOf,
  type Wkb,
} from '../geometry/wkb.ts'

/** Like GDAL: heights are third numbers without a Z, and empty parts are omitted. */
export const wktOf = (wkb: Wkb): string => `${TYPE_NAMES[typeOf(wkb)]?.toUpperCase()} ${contentOf(wkb)}`

function contentOf(wkb: Wkb): string {
  if (isEmpty(wkb)) return typeOf(wkb) === COLLECTION ? collected(partsOf(wkb).map(wktOf)) : 'EMPTY'
  const type = typeOf(wkb)
  if (type <= POLYGON) {
    const runs = runsOf(wkb)
    return type === POLYGON ? collected(runs) : (runs[0] as string)
  }
  const parts = partsOf(wkb)
  if (type === COLLECTION) return collected(parts.map(wktOf))
  const filled = parts.filter((part) => !isEmpty(part))
  // the members of a multi-point have no brackets of their own
  if (typeOf(filled[0] as Wkb) === POINT) return collected(filled.map((part) => contentOf(part).slice(1, -1)))
  return collected(filled.map(contentOf))
}

const collected = (texts: readonly string[]): string => (texts.length === 0 ? 'EMPTY' : `(${texts.join()})`)

/** The positions of a point or line, or of each ring of a polygon. */
function runsOf(wkb: Wkb): string[] {
  const runs: string[] = []
  forEachRun(wkb, (view, offset, count, stride) => {
    let text = '('
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      text += `${i > 0 ? ',' : ''}${view.getFloat64(at, true)} ${view.getFloat64(at + 8, true)}`
      if (stride === 24) text += ` ${view.getFloat64(at + 16, true)}`
    }
    runs.push(`${text})`)
  })
  return runs
}
