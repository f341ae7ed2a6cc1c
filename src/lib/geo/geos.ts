/**
 * GEOS 3.13 as WebAssembly: planar geometry in the units of its input. Geometries live in the memory of GEOS, are
 * addressed by pointers and must be freed; `run` and the functions that take well-known binary free their own.
 */
import { InputError } from '../input-error.ts'
import { wellFormed } from './well-formed.ts'
import { emptyEnvelope, type Wkb, widen } from './wkb.ts'
import { copyOf } from './wkb-pool.ts'
import { normalised } from './wkb-variants.ts'

export type Pointer = number

type Exports = Record<string, (...args: number[]) => number>
type Module = {
  HEAPU8: Uint8Array
  HEAPU32: Uint32Array
  HEAPF64: Float64Array
  _malloc(bytes: number): number
  _free(pointer: number): void
  UTF8ToString(pointer: number): string
  addFunction(handler: (...args: number[]) => void, signature: string): number
}

export const CAP_STYLES = { round: 1, flat: 2, square: 3 } as const
export type CapStyle = keyof typeof CAP_STYLES

export const PREDICATES = ['intersects', 'within', 'contains', 'crosses', 'touches', 'overlaps'] as const
export type Predicate = (typeof PREDICATES)[number]

type Cover = 'covers' | 'coveredBy'

const PREDICATE_NAMES: Record<Predicate | Cover, string> = {
  intersects: 'Intersects',
  within: 'Within',
  contains: 'Contains',
  crosses: 'Crosses',
  touches: 'Touches',
  overlaps: 'Overlaps',
  covers: 'Covers',
  coveredBy: 'CoveredBy',
}

const OPERATIONS = { intersection: 'GEOSIntersection', union: 'GEOSUnion', difference: 'GEOSDifference' } as const
export type Overlay = keyof typeof OPERATIONS

/** Cells of the grids for a second attempt, as shares of the largest coordinate: 0.1 mm and 10 mm for degrees. */
const GRID_SHARES = [1e-11, 1e-9]
/** Coordinates beyond this are no place on Earth in any unit. */
const MAX_COORDINATE = 1e9

type GridAttempt = (valid: readonly Pointer[], cell: number) => Pointer
/** Methods of GEOSMakeValid: `linework` builds polygons from all lines, `structure` respects which rings are shells and holes. */
const REPAIR_METHODS = { linework: 0, structure: 1 } as const
export type RepairMethod = keyof typeof REPAIR_METHODS

export class Geos {
  private readonly raw: Exports
  private readonly module: Module
  private readonly context: number
  private readonly reader: Pointer
  private readonly writer: Pointer
  private readonly size: Pointer
  private input: Pointer
  private inputBytes = 1 << 16
  private lastMessage = ''

  constructor(raw: Exports, module: Module, context: number) {
    this.raw = raw
    this.module = module
    this.context = context
    this.reader = this.call('GEOSWKBReader_create_r')
    this.writer = this.call('GEOSWKBWriter_create_r')
    this.call('GEOSWKBReader_setFixStructure_r', this.reader, 1)
    this.call('GEOSWKBWriter_setOutputDimension_r', this.writer, 3)
    this.call('GEOSWKBWriter_setFlavor_r', this.writer, 2)
    this.size = module._malloc(8)
    this.input = module._malloc(this.inputBytes)
    const storeMessage = module.addFunction((message) => {
      this.lastMessage = module.UTF8ToString(message as number)
    }, 'vii')
    this.call('GEOSContext_setErrorMessageHandler_r', storeMessage, 0)
    // without a custom handler, every invalid geometry would print a line to the console
    const ignoreNotice = module.addFunction(() => undefined, 'vii')
    this.call('GEOSContext_setNoticeMessageHandler_r', ignoreNotice, 0)
  }

  private call(name: string, ...args: number[]): number {
    return (this.raw[name] as (...all: number[]) => number)(this.context, ...args)
  }

  private checked(pointer: Pointer, operation: string): Pointer {
    if (pointer === 0) throw new InputError('geometry', `${operation} failed: ${this.lastMessage || 'unknown reason'}`)
    return pointer
  }

  /** Size of its memory, which grows and never shrinks. */
  get heapBytes(): number {
    return this.module.HEAPU8.length
  }

  /** @throws InputError when GEOS cannot read the bytes as a geometry */
  read(given: Wkb): Pointer {
    const wkb = wellFormed(given)
    if (wkb.length > this.inputBytes) {
      this.module._free(this.input)
      this.inputBytes = wkb.length * 2
      this.input = this.module._malloc(this.inputBytes)
    }
    this.module.HEAPU8.set(wkb, this.input)
    return this.checked(this.call('GEOSWKBReader_read_r', this.reader, this.input, wkb.length), 'reading a geometry')
  }

  write(geometry: Pointer): Wkb {
    const bytes = this.call('GEOSWKBWriter_write_r', this.writer, geometry, this.size)
    const length = this.module.HEAPU32[this.size >> 2] as number
    const wkb = copyOf(this.module.HEAPU8, bytes, bytes + length)
    this.call('GEOSFree_r', bytes)
    return normalised(wkb)
  }

  free(geometry: Pointer): void {
    this.call('GEOSGeom_destroy_r', geometry)
  }

  /** Reads a geometry, applies `make` to it, writes the result and frees both. */
  run(wkb: Wkb, make: (geometry: Pointer) => Pointer): Wkb {
    const geometry = this.read(wkb)
    let result = 0
    try {
      result = make(geometry)
      return this.write(result)
    } finally {
      if (result !== 0 && result !== geometry) this.free(result)
      this.free(geometry)
    }
  }

  private toBoolean(answer: number, operation: string): boolean {
    if (answer === 2) throw new InputError('geometry', `${operation} failed: ${this.lastMessage}`)
    return answer === 1
  }

  isValid(geometry: Pointer): boolean {
    return this.call('GEOSisValid_r', geometry) === 1
  }

  isEmpty(geometry: Pointer): boolean {
    return this.toBoolean(this.call('GEOSisEmpty_r', geometry), 'isEmpty')
  }

  /** Why and where a geometry is invalid, such as `Self-intersection[3 4]`; `Valid Geometry` when it is valid. */
  validReason(geometry: Pointer): string {
    const text = this.call('GEOSisValidReason_r', geometry)
    const reason = this.module.UTF8ToString(text)
    this.call('GEOSFree_r', text)
    return reason
  }

  /** Makes a geometry valid, by default with the structure method, which keeps all input vertices and drops parts that collapse. */
  makeValid(geometry: Pointer, method: RepairMethod = 'structure'): Pointer {
    if (method === 'linework') return this.checked(this.makeValidWith('linework', geometry), 'repair')
    // for some rings that touch themselves, the first round fails or returns parts that share an edge
    let valid = this.makeValidWith('structure', geometry)
    if (valid !== 0 && !this.isValid(valid)) {
      const parts = valid
      valid = this.makeValidWith('structure', parts)
      this.free(parts)
    }
    if (valid !== 0 && this.isValid(valid)) return valid
    if (valid !== 0) this.free(valid)
    return this.checked(this.makeValidWith('linework', geometry), 'repair')
  }

  /** @returns 0 when it fails */
  private makeValidWith(method: RepairMethod, geometry: Pointer): Pointer {
    const params = this.call('GEOSMakeValidParams_create_r')
    this.call('GEOSMakeValidParams_setMethod_r', params, REPAIR_METHODS[method])
    this.call('GEOSMakeValidParams_setKeepCollapsed_r', params, 0)
    const valid = this.call('GEOSMakeValidWithParams_r', geometry, params)
    this.call('GEOSMakeValidParams_destroy_r', params)
    return valid
  }

  buffer(geometry: Pointer, distance: number, cap: CapStyle, quadrantSegments: number): Pointer {
    const params = this.call('GEOSBufferParams_create_r')
    this.call('GEOSBufferParams_setEndCapStyle_r', params, CAP_STYLES[cap])
    this.call('GEOSBufferParams_setQuadrantSegments_r', params, quadrantSegments)
    const buffered = this.call('GEOSBufferWithParams_r', geometry, params, distance)
    this.call('GEOSBufferParams_destroy_r', params)
    return this.checked(buffered, 'buffer')
  }

  simplify(geometry: Pointer, tolerance: number, preserveTopology: boolean): Pointer {
    const name = preserveTopology ? 'GEOSTopologyPreserveSimplify_r' : 'GEOSSimplify_r'
    return this.checked(this.call(name, geometry, tolerance), 'simplify')
  }

  convexHull(geometry: Pointer): Pointer {
    return this.checked(this.call('GEOSConvexHull_r', geometry), 'convex hull')
  }

  centroid(geometry: Pointer): Pointer {
    return this.checked(this.call('GEOSGetCentroid_r', geometry), 'centroid')
  }

  pointOnSurface(geometry: Pointer): Pointer {
    return this.checked(this.call('GEOSPointOnSurface_r', geometry), 'point on surface')
  }

  overlay(operation: Overlay, a: Pointer, b: Pointer): Pointer {
    const exact = this.call(`${OPERATIONS[operation]}_r`, a, b)
    if (exact !== 0) return exact
    return this.onGrid(operation, [a, b], ([validA, validB], cell) =>
      this.call(`${OPERATIONS[operation]}Prec_r`, validA as Pointer, validB as Pointer, cell),
    )
  }

  /**
   * Repeats an operation that failed: with valid geometries and all positions on a grid, where lines that almost
   * coincide do coincide.
   * @throws Error when it fails again, which is no fault of the input
   */
  private onGrid(operation: string, inputs: readonly Pointer[], attempt: GridAttempt): Pointer {
    const reason = this.lastMessage
    const valid = inputs.map((geometry) => this.makeValid(geometry))
    try {
      const extent = emptyEnvelope()
      for (const geometry of valid) widen(extent, this.write(geometry))
      const largest = Math.max(...extent.map(Math.abs))
      if (largest > MAX_COORDINATE)
        throw new InputError('geometry', `${operation} failed: coordinates must be within ±${MAX_COORDINATE}`)
      for (const share of GRID_SHARES) {
        const result = attempt(valid, 10 ** Math.ceil(Math.log10(largest * share)))
        if (result !== 0) return result
      }
      throw new Error(`${operation} failed: ${reason}; then, on a grid: ${this.lastMessage}`)
    } finally {
      for (const geometry of valid) this.free(geometry)
    }
  }

  area(geometry: Pointer): number {
    this.call('GEOSArea_r', geometry, this.size)
    return this.module.HEAPF64[this.size >> 3] as number
  }

  length(geometry: Pointer): number {
    this.call('GEOSLength_r', geometry, this.size)
    return this.module.HEAPF64[this.size >> 3] as number
  }

  test(predicate: Predicate, a: Pointer, b: Pointer): boolean {
    return this.toBoolean(this.call(`GEOS${PREDICATE_NAMES[predicate]}_r`, a, b), predicate)
  }

  /** Prepares a geometry for many tests against others; free it with `unprepare` before the geometry itself. */
  prepare(geometry: Pointer): Pointer {
    return this.checked(this.call('GEOSPrepare_r', geometry), 'preparing a geometry')
  }

  unprepare(prepared: Pointer): void {
    this.call('GEOSPreparedGeom_destroy_r', prepared)
  }

  testPrepared(predicate: Predicate | Cover, prepared: Pointer, other: Pointer): boolean {
    return this.toBoolean(this.call(`GEOSPrepared${PREDICATE_NAMES[predicate]}_r`, prepared, other), predicate)
  }

  /** Whether a prepared geometry intersects a point. */
  holds(prepared: Pointer, x: number, y: number): boolean {
    return this.toBoolean(this.call('GEOSPreparedIntersectsXY_r', prepared, x, y), 'intersects')
  }

  /** The collection owns its members: freeing it frees them. */
  collection(type: number, members: readonly Pointer[]): Pointer {
    const list = this.module._malloc(Math.max(4, members.length * 4))
    this.module.HEAPU32.set(members, list >> 2)
    const created = this.call('GEOSGeom_createCollection_r', type, list, members.length)
    this.module._free(list)
    return this.checked(created, 'collecting geometries')
  }

  unaryUnion(geometry: Pointer): Pointer {
    const exact = this.call('GEOSUnaryUnion_r', geometry)
    if (exact !== 0) return exact
    return this.onGrid('union', [geometry], ([valid], cell) =>
      this.call('GEOSUnaryUnionPrec_r', valid as Pointer, cell),
    )
  }

  clone(geometry: Pointer): Pointer {
    return this.checked(this.call('GEOSGeom_clone_r', geometry), 'copy')
  }

  /** The union of any number of geometries. */
  unionOf(wkbs: readonly Wkb[]): Wkb {
    const members: Pointer[] = []
    for (const wkb of wkbs) members.push(this.read(wkb))
    const all = this.collection(7, members)
    let union = 0
    try {
      union = this.unaryUnion(all)
      return this.write(union)
    } finally {
      if (union !== 0) this.free(union)
      this.free(all)
    }
  }
}

let loading: Promise<Geos> | undefined

export function loadGeos(): Promise<Geos> {
  loading ??= import('geos-wasm').then(async ({ default: init }) => {
    const geos = (await init()) as unknown as Exports & { Module: Module; _ctx: number }
    return new Geos(geos, geos.Module, geos._ctx)
  })
  return loading
}
