/**
 * GEOS 3.13 as WebAssembly. Geometries live in its memory, are addressed by pointers and must be freed; `run` and the
 * functions that take well-known binary free their own.
 */
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'
import { wellFormed } from './well-formed.ts'
import type { Wkb } from './wkb.ts'
import { copyOf } from './wkb-pool.ts'
import { normalised } from './wkb-variants.ts'

export type Pointer = number

export type GeosExports = Record<string, (...args: number[]) => number>
export type GeosModule = {
  HEAPU8: Uint8Array
  HEAPU32: Uint32Array
  HEAPF64: Float64Array
  _malloc(bytes: number): number
  _free(pointer: number): void
  UTF8ToString(pointer: number): string
  addFunction(handler: (...args: number[]) => void, signature: string): number
}

/**
 * Methods of GEOSMakeValid: `linework` builds polygons from all lines, `structure` keeps the roles of shells and holes.
 */
const REPAIR_METHODS = { linework: 0, structure: 1 } as const
export type RepairMethod = keyof typeof REPAIR_METHODS
/** GEOS_PREC_NO_TOPO */
const POINTWISE = 1

/** The memory of GEOS, with the functions for repairing geometries and snapping them to a grid. */
export class GeosMemory {
  private readonly raw: GeosExports
  protected readonly module: GeosModule
  private readonly context: number
  private readonly reader: Pointer
  private readonly writer: Pointer
  protected readonly size: Pointer
  private input: Pointer
  private inputBytes = 1 << 16
  /** Reason of the last failure. */
  lastMessage = ''

  constructor(raw: GeosExports, module: GeosModule, context: number) {
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

  protected call(name: string, ...args: number[]): number {
    return (this.raw[name] as (...all: number[]) => number)(this.context, ...args)
  }

  protected checked(pointer: Pointer, operation: string): Pointer {
    if (pointer === 0) throw new Error(`${operation} failed: ${this.lastMessage || 'unknown reason'}`)
    return pointer
  }

  /** Size of GEOS' memory, which only grows. */
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
    const geometry = this.call('GEOSWKBReader_read_r', this.reader, this.input, wkb.length)
    if (geometry === 0) throw new InputError('geometry', fieldText('geometryUnread', { reason: this.lastMessage }))
    return geometry
  }

  write(geometry: Pointer): Wkb {
    const bytes = this.checked(this.call('GEOSWKBWriter_write_r', this.writer, geometry, this.size), 'writing')
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

  isValid(geometry: Pointer): boolean {
    return this.call('GEOSisValid_r', geometry) === 1
  }

  /** Why and where a geometry is invalid, such as `Self-intersection[3 4]`; `Valid Geometry` when it is valid. */
  validReason(geometry: Pointer): string {
    const text = this.call('GEOSisValidReason_r', geometry)
    const reason = this.module.UTF8ToString(text)
    this.call('GEOSFree_r', text)
    return reason
  }

  /** One attempt of GEOS; make-valid.ts combines them. @returns 0 when it fails */
  tryMakeValid(method: RepairMethod, geometry: Pointer): Pointer {
    const params = this.call('GEOSMakeValidParams_create_r')
    this.call('GEOSMakeValidParams_setMethod_r', params, REPAIR_METHODS[method])
    this.call('GEOSMakeValidParams_setKeepCollapsed_r', params, 0)
    const valid = this.call('GEOSMakeValidWithParams_r', geometry, params)
    this.call('GEOSMakeValidParams_destroy_r', params)
    return valid
  }

  /** Moves all positions of a valid geometry to a grid and keeps it valid. @returns 0 when it fails */
  rounded(geometry: Pointer, cell: number): Pointer {
    return this.call('GEOSGeom_setPrecision_r', geometry, cell, 0)
  }

  /** Moves each position to a grid separately, which may make the geometry invalid. @returns 0 when it fails */
  roundedPointwise(geometry: Pointer, cell: number): Pointer {
    return this.call('GEOSGeom_setPrecision_r', geometry, cell, POINTWISE)
  }
}
