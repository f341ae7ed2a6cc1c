/**
 * Finds the features of a GeoJSON FeatureCollection in its bytes while they arrive. Only their places are kept, and a
 * feature is parsed when somebody asks for it: a hundred thousand parsed features would be a million objects, whose
 * collection takes the browser longer than reading them.
 */

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const SPACE = 0x20
/** Depth inside the list of features. */
const IN_FEATURES = 2
/** Features that are parsed together. */
const BATCH = 256
const FIRST_BYTES = 1 << 20

type Parsed = { properties?: unknown; geometry?: unknown }

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Places in the file; a file is shorter than 4 GB. */
function growingPlaces() {
  let values = new Uint32Array(1024)
  let length = 0
  return {
    push(value: number): void {
      if (length === values.length) {
        const larger = new Uint32Array(length * 2)
        larger.set(values)
        values = larger
      }
      values[length++] = value
    },
    at: (index: number): number => values[index] as number,
    length: (): number => length,
    clear(): void {
      length = 0
    },
  }
}

/** @param expectedBytes of the file, if they are known */
export function createFeatureBytes(expectedBytes = FIRST_BYTES) {
  let bytes = new Uint8Array(Math.max(1, expectedBytes))
  let length = 0
  const starts = growingPlaces()
  const ends = growingPlaces()
  /** Where the elements of the list of features begin and end. */
  let [listStart, listEnd] = [-1, -1]
  let lists = 0
  let commas = 0
  /** A file that is no FeatureCollection: a feature, or a geometry. */
  let single: Parsed[] | undefined

  // the state of the scanner
  let at = 0
  let depth = 0
  let isInString = false
  let isInList = false
  let stringStart = 0
  let stringEnd = 0
  let isKey = false
  let elementStart = -1
  let elementEnd = -1

  const decoder = new TextDecoder()
  const textOf = (from: number, to: number): string => decoder.decode(bytes.subarray(from, to))

  function endElement(): void {
    if (elementStart < 0) return
    starts.push(elementStart)
    ends.push(elementEnd)
    elementStart = -1
  }

  function endString(): void {
    const [all, end] = [bytes, length]
    let i = at
    // a quote after an even number of backslashes ends a text
    for (; i < end; i++) {
      const byte = all[i] as number
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) {
        isInString = false
        stringEnd = i++
        elementEnd = i
        break
      }
    }
    at = i
  }

  /** Most bytes are inside a feature, where only brackets and texts count. Local variables halve the time of the file. */
  function skipElement(): void {
    const [all, end] = [bytes, length]
    let [i, level] = [at, depth]
    while (i < end && level > IN_FEATURES) {
      const byte = all[i++] as number
      if (byte < OPEN_LIST) {
        if (byte !== QUOTE) continue
        isInString = true
        stringStart = i
        break
      }
      if (byte === OPEN_LIST || byte === OPEN_OBJECT) level++
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) level--
    }
    at = i
    depth = level
    elementEnd = i
  }

  function openAt(byte: number): void {
    if (byte === OPEN_LIST && depth === 1 && isKey && textOf(stringStart, stringEnd) === 'features') {
      lists++
      isInList = lists === 1
      if (isInList) listStart = at + 1
    }
    isKey = false
    depth++
  }
  function close(): void {
    if (isInList && depth === IN_FEATURES) {
      endElement()
      isInList = false
      listEnd = at
    }
    depth--
  }

  function scan(): void {
    while (at < length) {
      if (isInString) {
        endString()
        continue
      }
      if (depth > IN_FEATURES) {
        skipElement()
        continue
      }
      const byte = bytes[at] as number
      if (byte <= SPACE) {
        at++
        continue
      }
      if (isInList && depth === IN_FEATURES && byte !== COMMA && byte !== CLOSE_LIST && elementStart < 0)
        elementStart = at
      if (byte === QUOTE) {
        isInString = true
        stringStart = ++at
        continue
      }
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) openAt(byte)
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) close()
      else if (byte === COLON) isKey = true
      else if (byte === COMMA) {
        isKey = false
        if (isInList && depth === IN_FEATURES) {
          endElement()
          commas++
        }
      }
      at++
      if (byte !== COMMA) elementEnd = at
    }
  }

  /** Features of which all bytes are there, parsed together. */
  function parse(from: number, to: number): Parsed[] {
    if (single !== undefined) return single.slice(from, to)
    const features = JSON.parse(`[${textOf(starts.at(from), ends.at(to - 1))}]`) as Parsed[]
    if (features.length !== to - from) throw new TypeError('no GeoJSON')
    return features
  }

  return {
    add(more: Uint8Array): void {
      if (length + more.length > bytes.length) {
        const larger = new Uint8Array(Math.max(bytes.length * 2, length + more.length))
        larger.set(bytes.subarray(0, length))
        bytes = larger
      }
      bytes.set(more, length)
      length += more.length
      scan()
    },
    /**
     * After the last bytes.
     * @returns whether they are a collection; otherwise what was found before does not count
     * @throws if they are no GeoJSON
     */
    end(): boolean {
      const isCollection = lists === 1 && listEnd >= 0 && commas === Math.max(0, starts.length() - 1)
      if (isCollection) {
        const rest = JSON.parse(textOf(0, listStart) + textOf(listEnd, length)) as unknown
        if (isObject(rest) && rest.type === 'FeatureCollection') return true
      }
      starts.clear()
      ends.clear()
      single = featuresOf(JSON.parse(textOf(0, length)))
      return false
    },
    /** Features that are complete so far. */
    count: (): number => single?.length ?? starts.length(),
    at: (index: number): Parsed | undefined => parse(index, index + 1)[0],
    /** Calls back with all features from one on, in their order. @throws if they are no JSON */
    each(from: number, to: number, found: (feature: Parsed, index: number) => void): void {
      for (let first = from; first < to; first += BATCH) {
        const features = parse(first, Math.min(to, first + BATCH))
        for (const [i, feature] of features.entries()) found(feature, first + i)
      }
    },
  }
}

export type FeatureBytes = ReturnType<typeof createFeatureBytes>

/** The types of geometries, which are GeoJSON by themselves. */
const GEOMETRY = /^(Multi)?(Point|LineString|Polygon)$|^GeometryCollection$/

/** The features of any GeoJSON. @throws if it is something else */
function featuresOf(parsed: unknown): Parsed[] {
  if (!isObject(parsed)) throw new TypeError('no GeoJSON')
  if (parsed.type === 'FeatureCollection' && Array.isArray(parsed.features)) return parsed.features as Parsed[]
  if (parsed.type === 'Feature') return [parsed]
  if (typeof parsed.type === 'string' && GEOMETRY.test(parsed.type)) return [{ properties: {}, geometry: parsed }]
  throw new TypeError('no GeoJSON')
}
