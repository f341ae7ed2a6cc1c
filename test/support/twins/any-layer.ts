/** Generated layers with everything that vector formats can hold. */
import { type AnyGeometry, type Position, wkbOf } from '../formats/any-geometry.ts'
import { type Random, whole } from '../random.ts'
import type { PlainLayer } from './vector-layers.ts'

export const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T

type FieldType = PlainLayer['fields'][number][1]
export const TEXTS = [
  '',
  ' ',
  'a',
  'ä',
  'عقدة',
  '日本',
  '007',
  '1',
  '-2.5',
  '1e5',
  'x y',
  "it's",
  '<&>"',
  'a\nb',
  'a\tb',
  '😀',
  'true',
  '2024-02-29',
  ' lead',
  'trail ',
  '\u00a0',
  ']]>',
  '%s',
  'null',
  '{"a":1}',
  'x'.repeat(250),
]
export const LATIN_TEXTS = ['', 'a', 'ä', 'ß', 'É', '007', 'x y']
const VALUES: Record<string, (random: Random) => unknown> = {
  integer: (random) => some(random, [0, -1, 2 ** 31 - 1, -(2 ** 31), whole(random, 1e6)]),
  integer64: (random) => some(random, [0, 2 ** 31, -(2 ** 40), 2 ** 53 - 1, -(2 ** 53) + 1]),
  real: (random) => some(random, [0, 0.1, -1.25, 1e-7, 123456.789, 1e15, (random() - 0.5) * 1000]),
  string: (random) => some(random, TEXTS),
  boolean: (random) => random() < 0.5,
  date: (random) => `${some(random, ['2024', '1900', '1000', '2999'])}-0${1 + whole(random, 9)}-1${whole(random, 10)}`,
  datetime: (random) =>
    `2024-02-29T0${whole(random, 10)}:3${whole(random, 10)}:59${some(random, ['', '.5', '.123'])}${some(random, ['', 'Z', '+02:00', '-09:30'])}`,
}

export const KINDS = [
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
  'Unknown',
] as const
type Kind = (typeof KINDS)[number]

type Where = { random: Random; axes: 2 | 3; crs: number; empties?: boolean }

function position({ random, axes, crs }: Where): Position {
  const decimals = 10 ** whole(random, 10)
  const at = (from: number, to: number) => Math.round((from + random() * (to - from)) * decimals) / decimals || 0
  const xy = crs === 4326 ? [at(-170, 170), at(-80, 80)] : [at(300_000, 700_000), at(5_200_000, 6_000_000)]
  return axes === 2 ? xy : [...xy, at(-100, 9000)]
}

/** Boxes in a row, which do not touch, with a hole in some. */
function boxes(where: Where, count: number): Position[][][] {
  const { random, axes } = where
  const [x = 0, y = 0, ...z] = position(where)
  const box = (at: number, size: number): Position[] =>
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ].map(([dx = 0, dy = 0]) => [x + at + dx * size, y + dy * size, ...(axes === 3 ? z : [])])
  return Array.from({ length: count }, (_, i) =>
    random() < 0.3 ? [box(2 * i, 1), box(2 * i + 0.25, 0.5).reverse()] : [box(2 * i, 1)],
  )
}

function shape(where: Where, kind: Kind): AnyGeometry {
  const { random } = where
  const list = <T>(least: number, item: () => T): T[] => Array.from({ length: least + whole(random, 3) }, item)
  const line = () => list(2, () => position(where))
  if (where.empties && kind !== 'Point' && random() < 0.05)
    return kind === 'GeometryCollection'
      ? { type: kind, geometries: [] }
      : kind === 'Unknown'
        ? shape(where, 'MultiPoint')
        : { type: kind, coordinates: [] }
  switch (kind) {
    case 'Point':
      return { type: kind, coordinates: position(where) }
    case 'LineString':
      return { type: kind, coordinates: line() }
    case 'Polygon':
      return { type: kind, coordinates: boxes(where, 1)[0] as Position[][] }
    case 'MultiPoint':
      return { type: kind, coordinates: list(1, () => position(where)) }
    case 'MultiLineString':
      return { type: kind, coordinates: list(1, line) }
    case 'MultiPolygon':
      return { type: kind, coordinates: boxes(where, 1 + whole(random, 3)) }
    case 'GeometryCollection':
      return {
        type: kind,
        geometries: list(1, () => shape({ ...where, empties: false }, some(random, KINDS.slice(0, 6)))),
      }
    default:
      return shape(where, some(random, KINDS.slice(0, 6)))
  }
}

export type Rules = {
  kinds?: readonly Kind[]
  types: readonly string[]
  names: readonly string[]
  crs?: readonly number[]
  texts?: readonly string[]
  values?: readonly string[]
  hasM?: boolean
  empties?: boolean
  nulls?: boolean
}

export function anyLayer(random: Random, rules: Rules): { layer: PlainLayer; kind: Kind; axes: 2 | 3; m: boolean } {
  const kind = some(random, rules.kinds ?? KINDS)
  const axes = random() < 0.6 ? 2 : 3
  const crs = some(random, rules.crs ?? [4326, 25832])
  const m = rules.hasM === true && random() < 0.2
  const names = rules.names.filter(() => random() < 0.5)
  const typeOf = (name: string) => (rules.texts?.includes(name) ? 'string' : some(random, rules.types))
  const fields = names.map((name): [string, FieldType] => [name, typeOf(name) as FieldType])
  const anyValue = (type: string) =>
    type === 'string' && rules.values ? some(random, rules.values) : VALUES[type]?.(random)
  const features = Array.from({ length: 1 + whole(random, 6) }, () => ({
    values: fields.map(([, type]) => (random() < 0.15 ? null : anyValue(type))),
    geometry:
      rules.nulls !== false && random() < 0.1
        ? null
        : Buffer.from(
            wkbOf(shape({ random, axes, crs, empties: rules.nulls !== false && rules.empties !== false }, kind), axes, {
              little: true,
              z: 'iso',
              m,
              srid: false,
            }),
          ).toString('hex'),
  }))
  return { layer: { fields, features, crs }, kind, axes, m }
}

export const NAMES = [
  'name',
  'description',
  'a',
  'B',
  'b c',
  'اسم',
  'Straße',
  'x-1',
  'fid',
  'id',
  'geom',
  'a_rather_long_name',
]
export const XML_NAMES = ['name', 'a', 'B', 'اسم', 'Straße', 'x_1', 'id', 'a_rather_long_name']
export const SHORT_NAMES = ['name', 'a', 'B', 'اسم', 'Straße', 'x_1', 'id', 'geom']
export const ALL_TYPES = ['integer', 'integer64', 'real', 'string', 'boolean', 'date', 'datetime']
