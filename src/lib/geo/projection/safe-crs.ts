/**
 * Rebuilds coordinate reference systems of untrusted files, given as well-known text (ISO 19162 and its older forms).
 * PROJ opens grid files named by a definition, and init files of PROJ strings inside it, so an attacker could have any
 * path opened. The rebuilt definition describes the same system without grid shifts.
 */
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'

type Node = { keyword: string; items: (Node | string)[] }

const MAX_LENGTH = 100_000
const MAX_DEPTH = 40
/** A quoted text in which quotes are doubled, a bracket or comma, or a keyword or number. */
const TOKEN = /\s*(?:("(?:[^"]|"")*")|([[\](),])|([^\s[\](),"]+))/y
const ROOTS =
  /^(PROJCS|GEOGCS|GEOCCS|VERT_CS|VERTCS|COMPD_CS|LOCAL_CS|FITTED_CS|(PROJ|GEOG|GEOD|GEODETIC|GEOGRAPHIC|PROJECTED|VERT|VERTICAL|COMPOUND|ENG|ENGINEERING|BOUND|DERIVEDPROJ)(CRS)?|LOCALCRS)$/
/** The projection as a PROJ string, or the name of a method that stands for one. */
const PROJ_METHOD = /^"\s*(PROJ\b|custom_proj4)/i

/** Parameters that do not refer to files. */
const PROJ_PARAMETERS =
  /^(proj|a|b|rf|f|R|ellps|datum|pm|lat_\w+|lon_\w+|lonc|alpha|gamma|k|k_0|x_0|y_0|units|to_meter|zone|south|axis|h|towgs84|over|wktext|no_defs|type)$/
const FILE_PROJECTIONS = /^(.*shift|pipeline|deformation|defmodel|tinshift|horner|affine|push|pop|set)$/

const invalid = (): InputError => new InputError('crs', fieldText('crsUnread'))
const unsupported = (): InputError => new InputError('crs', fieldText('crsByFile'))

/**
 * @returns the definition without extensions, grids and init strings; the text itself if it has none
 * @throws InputError `crs`
 */
export function safeWkt(text: string): string {
  if (text.length > MAX_LENGTH) throw invalid()
  const roots = parse(text)
  const kept = roots.map(rebuilt)
  if (!kept.every((root) => root !== undefined && ROOTS.test(root.keyword.toUpperCase()))) throw invalid()
  const [before, after] = [roots, kept as Node[]].map((all) => all.map(written).join(','))
  return before === after ? text : (after as string)
}

/**
 * Rejects a definition that `safeWkt` would change, for formats in which it cannot be replaced.
 * @throws InputError `crs`
 */
export function rejectUnsafeCrs(definition: unknown): void {
  if (typeof definition !== 'string' || definition === '' || definition === 'undefined') return
  if (safeWkt(definition) !== definition) throw unsupported()
}

/** Whether a text that contains a definition, among other bytes, contains anything that `safeWkt` would change. */
const mayNameFiles = (text: string): boolean =>
  /\bEXTENSION\s*[[(]|\bPARAMETERFILE\s*[[(]\s*"[^"]*"\s*,\s*"(?!@null")|\b(METHOD|PROJECTION)\s*[[(]\s*"\s*(PROJ\b|custom_proj4)|\+(proj|init|\w*grids)\s*=|"BoundCRS"|"name"\s*:\s*"\s*(PROJ\b|custom_proj4)|"value"\s*:\s*"/i.test(
    text,
  )

/** Rejects a definition among other bytes that refers to files. @throws InputError `crs` */
export function rejectFiles(text: string): void {
  if (mayNameFiles(text)) throw unsupported()
}

/** One definition; ESRI writes a horizontal and a vertical one with a comma between them. */
function parse(text: string): Node[] {
  let at = 0
  const next = (): string | undefined => {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)
    if (token === null) {
      if (text.slice(at).trim() === '') return undefined
      throw invalid()
    }
    at = TOKEN.lastIndex
    return token[1] ?? token[2] ?? token[3]
  }
  const node = (keyword: string, depth: number): Node => {
    const items: Node['items'] = []
    if (depth > MAX_DEPTH) throw invalid()
    for (;;) {
      const item = next()
      if (item === undefined || /^[[\](),]$/.test(item)) throw invalid()
      let after = next()
      if (after === '[' || after === '(') {
        items.push(node(item, depth + 1))
        after = next()
      } else items.push(item)
      if (after === ']' || after === ')') return { keyword, items }
      if (after !== ',') throw invalid()
    }
  }
  const roots: Node[] = []
  for (;;) {
    const [keyword, open] = [next(), next()]
    if (keyword === undefined || (open !== '[' && open !== '(')) throw invalid()
    roots.push(node(keyword, 0))
    const after = next()
    if (after === undefined) return roots
    if (after !== ',') throw invalid()
  }
}

/** @returns undefined for a removed node */
function rebuilt(node: Node): Node | undefined {
  const keyword = node.keyword.toUpperCase()
  if (keyword === 'PARAMETERFILE') throw unsupported()
  if (keyword === 'EXTENSION') return isSafeExtension(node) ? node : undefined
  if ((keyword === 'METHOD' || keyword === 'PROJECTION') && PROJ_METHOD.test(String(node.items[0]))) throw unsupported()
  if (keyword === 'BOUNDCRS') {
    const source = node.items.find((item): item is Node => isNode(item) && item.keyword.toUpperCase() === 'SOURCECRS')
    const [inner] = source?.items ?? []
    if (!isNode(inner)) throw invalid()
    return rebuilt(inner)
  }
  const items = node.items.map((item) => (isNode(item) ? rebuilt(item) : item)).filter((item) => item !== undefined)
  return { keyword: node.keyword, items }
}

const isNode = (item: Node | string | undefined): item is Node => typeof item === 'object'

/**
 * Whether an extension is safe, such as Web Mercator's: without it, the same definition would mean an ellipsoidal
 * Mercator.
 */
function isSafeExtension({ items }: Node): boolean {
  const [kind, value] = items.map(String)
  if (kind === '"PROJ4_GRIDS"') return value === '"@null"'
  if (kind !== '"PROJ4"' || items.length !== 2) return false
  const parameters = (value ?? '').slice(1, -1).trim().split(/\s+/)
  return parameters.every((parameter) => {
    const [, name = '', own = ''] = /^\+?(\w+)(?:=([\w.,+-]*|@null))?$/.exec(parameter) ?? []
    if (name === 'nadgrids') return own === '@null'
    return PROJ_PARAMETERS.test(name) && !own.startsWith('@') && !(name === 'proj' && FILE_PROJECTIONS.test(own))
  })
}

const written = ({ keyword, items }: Node): string =>
  `${keyword}[${items.map((item) => (isNode(item) ? written(item) : item)).join(',')}]`
