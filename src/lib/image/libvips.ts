/**
 * Operations of libvips that sharp does not offer. They run in the copy of the library that sharp has loaded, under what
 * `loadSharp` set: the number of threads, the blocked loaders and no cache.
 */
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { KoffiFunc, LibraryHandle } from 'koffi'
import { loadSharp } from './image.ts'

type Koffi = typeof import('koffi')
/** Address of an object of libvips. */
type Address = bigint
/** Address of an image, of which the caller owns one reference. */
export type VipsImage = Address
/** Named as in libvips; names of choices are texts. */
type Inputs = Record<string, VipsImage | string | number | boolean>

export type Libvips = {
  /** @param pixels sRGB with alpha, which must stay in memory until everything made of them is released */
  imageOf(pixels: Uint8Array, width: number, height: number): VipsImage
  /** Prepares an operation with one image as its result. Its pixels are computed when another one needs them. */
  image(operation: string, inputs: Inputs): VipsImage
  /** Runs an operation without a result on another thread. */
  run(operation: string, inputs: Inputs): Promise<void>
  release(image: VipsImage): void
}

/** libvips works on the stack that Koffi makes for a call, which is small by default. */
const STACK_BYTES = 1024 * 1024
/** Stacks that are kept for further calls. */
const KEPT_STACKS = 1
/** Size of a `GValue`. */
const VALUE_BYTES = 24
const UNSIGNED_BYTES = 0

let loading: Promise<Libvips | undefined> | undefined

/** @returns undefined where the library of sharp, or what calls it, cannot be loaded */
export function loadLibvips(): Promise<Libvips | undefined> {
  loading ??= openLibrary()
  return loading
}

async function openLibrary(): Promise<Libvips | undefined> {
  await loadSharp()
  try {
    const koffi = await import('koffi')
    const path = loadedLibrary(readFileSync('/proc/self/maps', 'utf8'))
    if (path === undefined) return undefined
    koffi.config({ async_stack_size: STACK_BYTES, resident_async_pools: KEPT_STACKS })
    return operationsOf(functionsOf(koffi, koffi.load(path)))
  } catch {
    return undefined
  }
}

/**
 * A second copy of the library would have none of sharp's settings, so only the file that is already loaded will do.
 * @param maps what Linux says about the memory of this process
 */
export const loadedLibrary = (maps: string): string | undefined => /\/.*\/libvips-cpp\.so[.\d]*$/m.exec(maps)?.[0]

type Functions = ReturnType<typeof functionsOf>

/** None has a variable number of arguments, because Koffi cannot call such functions on another thread. */
function functionsOf(koffi: Koffi, library: LibraryHandle) {
  const of = <Call extends (...args: never[]) => unknown>(declaration: string) =>
    library.func(declaration) as unknown as KoffiFunc<Call>
  const free = of<(text: Address) => void>('void g_free(void *memory)')
  const text = koffi.disposable(null, 'str', free)
  const build = of<(operation: Address) => number>('int vips_object_build(void *object)')
  return {
    imageType: of<() => number | bigint>('size_t vips_image_get_type()')(),
    newImage: of<(data: Uint8Array, size: number, ...numbers: number[]) => Address | null>(
      'void *vips_image_new_from_memory(void *data, size_t size, int width, int height, int bands, int format)',
    ),
    newOperation: of<(name: string) => Address | null>('void *vips_operation_new(const char *name)'),
    setText: of<(operation: Address, name: string, value: string) => number>(
      'int vips_object_set_argument_from_string(void *object, const char *name, const char *value)',
    ),
    initValue: of<(value: Buffer, type: number | bigint) => void>('void g_value_init(void *value, size_t type)'),
    setObject: of<(value: Buffer, object: Address) => void>('void g_value_set_object(void *value, void *object)'),
    copyObject: of<(value: Buffer) => Address | null>('void *g_value_dup_object(void *value)'),
    clearValue: of<(value: Buffer) => void>('void g_value_unset(void *value)'),
    setProperty: of<(operation: Address, name: string, value: Buffer) => void>(
      'void g_object_set_property(void *object, const char *name, void *value)',
    ),
    getProperty: of<(operation: Address, name: string, value: Buffer) => void>(
      'void g_object_get_property(void *object, const char *name, void *value)',
    ),
    build,
    buildElsewhere: promisify(build.async) as (operation: Address) => Promise<number>,
    dropOutputs: of<(operation: Address) => void>('void vips_object_unref_outputs(void *object)'),
    drop: of<(object: Address) => void>('void g_object_unref(void *object)'),
    /** Also clears them. */
    errors: library.func('vips_error_buffer_copy', text, []) as () => string | null,
  }
}

function operationsOf(c: Functions): Libvips {
  const failure = (what: string): Error => new Error(`${what}: ${c.errors()?.trim()}`)

  /** Uses a value that can hold an image. */
  function withValue<T>(use: (value: Buffer) => T): T {
    const value = Buffer.alloc(VALUE_BYTES)
    c.initValue(value, c.imageType)
    try {
      return use(value)
    } finally {
      c.clearValue(value)
    }
  }

  function setImage(operation: Address, name: string, image: VipsImage): void {
    withValue((value) => {
      c.setObject(value, image)
      c.setProperty(operation, name, value)
    })
  }

  function resultOf(operation: Address): VipsImage {
    return withValue((value) => {
      c.getProperty(operation, 'out', value)
      const image = c.copyObject(value)
      if (image === null) throw new Error('An operation of libvips has no result')
      return image
    })
  }

  function prepare(name: string, inputs: Inputs): Address {
    const operation = c.newOperation(name)
    if (operation === null) throw failure(name)
    for (const [key, value] of Object.entries(inputs))
      if (typeof value === 'bigint') setImage(operation, key, value)
      else if (c.setText(operation, key, String(value)) !== 0) {
        c.drop(operation)
        throw failure(name)
      }
    return operation
  }

  function dropOperation(operation: Address): void {
    // an operation and its result refer to each other
    c.dropOutputs(operation)
    c.drop(operation)
  }

  return {
    imageOf(pixels, width, height) {
      const image = c.newImage(pixels, pixels.byteLength, width, height, 4, UNSIGNED_BYTES)
      if (image === null) throw failure('image')
      return image
    },
    image(name, inputs) {
      const operation = prepare(name, inputs)
      try {
        if (c.build(operation) !== 0) throw failure(name)
        return resultOf(operation)
      } finally {
        dropOperation(operation)
      }
    },
    async run(name, inputs) {
      const operation = prepare(name, inputs)
      try {
        if ((await c.buildElsewhere(operation)) !== 0) throw failure(name)
      } finally {
        dropOperation(operation)
      }
    },
    release: (image) => c.drop(image),
  }
}
