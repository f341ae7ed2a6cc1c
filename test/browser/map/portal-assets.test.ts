/** The live assets of the portal's map, compared with plain loops over the same assets. */
import { expect, test } from 'bun:test'
import { areaOf, containsPosition } from '../../../src/portal/features/map/engine/area.ts'
import { type Columns, createAssetIndex } from '../../../src/portal/features/map/engine/asset-index.ts'
import { scaleOf } from '../../../src/portal/features/map/value-scale.ts'
import { seeded } from '../../support/random.ts'

const STATES = ['refused', 'silent', 'late', 'sending']
const WORLD = { west: 0, north: 0, east: 0.999999, south: 1 }

function fleet(count: number): Columns {
  const random = seeded(5)
  const each = <T>(make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
  return {
    states: STATES,
    base: 1_000,
    ids: each((i) => `ast_${i}`),
    sensorIds: each((i) => `sen_${i}`),
    names: each((i) => (i % 10 === 0 ? `شاحنة ${i}` : `Truck ${i}`)),
    // far from the antimeridian, beyond which the map shows the world again
    lon: each(() => random() * 60 - 30),
    lat: each(() => random() * 150 - 75),
    state: each(() => Math.floor(random() * STATES.length)),
    at: each((i) => i),
  }
}

test('every asset is in one cluster, with its state, at every zoom', () => {
  const columns = fleet(3_000)
  const index = createAssetIndex()
  index.load(columns)
  for (const zoom of [0, 2.5, 7, 15.9]) {
    const { count, shares, kinds } = index.clusters({ ...WORLD, zoom })
    expect(count.reduce((a, b) => a + b, 0)).toBe(3_000)
    for (const [state] of STATES.entries()) {
      const inClusters = count.reduce((sum, _, i) => sum + (shares[i * kinds.length + state] ?? 0), 0)
      expect(inClusters).toBe(columns.state.filter((one) => one === state).length)
    }
  }
})

test('the list is in the order of states and names, filtered by text and state', () => {
  const columns = fleet(500)
  const index = createAssetIndex()
  index.load(columns)
  const { compare } = new Intl.Collator(['en', 'ar'], { numeric: true })
  const expected = columns.ids
    .map((id, i) => ({ id, name: columns.names[i] as string, state: columns.state[i] as number }))
    .sort((a, b) => a.state - b.state || compare(a.name, b.name))
  expect(index.rows(0, 500).map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
  index.setFilter({ text: 'شَاحِنة', states: ['late'] })
  const wanted = expected.filter(({ name, state }) => name.startsWith('شاحنة') && STATES[state] === 'late')
  expect(index.rows(0, 500).map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
  expect(index.summary()).toMatchObject({ total: 500, matching: wanted.length })
})

test('changes move, add and remove assets, and an older position changes nothing', () => {
  const index = createAssetIndex()
  index.load(fleet(10))
  const moved = { id: 'ast_3', sensorId: 'sen_3', name: 'Truck 3', longitude: 1, latitude: 2, at: 2_000_000 }
  index.move([moved, { ...moved, id: 'ast_new', name: 'New' }])
  index.move([{ ...moved, longitude: 50, at: 1_500_000 }])
  index.remove(['ast_0', 'ast_9'])
  index.setStates([{ assetId: 'ast_new', state: 'refused' }])
  expect(index.find('ast_3')).toMatchObject({ longitude: 1, latitude: 2 })
  expect(index.find('ast_new')).toMatchObject({ state: 'refused' })
  expect(index.find('ast_0')).toBeUndefined()
  const rows = index.rows(0, 100)
  expect(rows.map(({ id }) => id).sort()).toEqual(
    ['ast_new', ...[1, 2, 3, 4, 5, 6, 7, 8].map((i) => `ast_${i}`)].sort(),
  )
  for (const { id } of rows) expect(index.find(id)?.id).toBe(id)
})

test('with values, every asset is of the class of its current value, and late and missing values are of none', () => {
  const columns = fleet(2_000)
  const index = createAssetIndex()
  const random = seeded(7)
  const some = columns.ids.flatMap((id, i) => (i % 7 === 0 ? [] : [{ id, value: random() * 100, isLate: i % 5 === 0 }]))
  // the fault of one sensor
  ;(some[1] as { value: number }).value = -9_999
  index.setValues({
    measurements: ['number'],
    units: ['°C'],
    ids: some.map(({ id }) => id),
    values: some.map(({ value }) => value),
    lateIn: some.map(({ isLate }) => (isLate ? -1 : 600)),
  })
  index.load(columns)
  const current = some.filter(({ isLate }) => !isLate).map(({ value }) => value)
  const limits = [25, 50, 75]
  expect(index.summary().colouring).toEqual({
    scale: { limits, lowest: Math.min(...current), highest: Math.max(...current) },
    units: ['°C'],
    isBoolean: false,
  })
  const classes = [0, 1, 2, 3].map((i) => current.filter((value) => Math.floor(Math.max(0, value) / 25) === i).length)
  const totals = (): Record<string, number> => {
    const { kinds, shares } = index.clusters({ ...WORLD, zoom: 3 })
    const sums = kinds.map((_, kind) => shares.reduce((sum, n, i) => (i % kinds.length === kind ? sum + n : sum), 0))
    return Object.fromEntries(kinds.map((kind, i) => [kind, sums[i] as number]))
  }
  // four classes have four of the five colours, from the first to the last
  expect(totals()).toEqual({
    'value-1': classes[0] as number,
    'value-2': classes[1] as number,
    'value-3': 0,
    'value-4': classes[2] as number,
    'value-5': classes[3] as number,
    'value-none': 2_000 - current.length,
  })
  expect(index.drawnAs('ast_0')).toBe('value-none')
  index.remove(columns.ids.slice(0, 1_000))
  const left = some.filter(({ id, isLate }) => !isLate && Number(id.slice(4)) >= 1_000)
  expect(totals()['value-none']).toBe(1_000 - left.length)
  index.setValues(undefined)
  expect(Object.keys(totals())).toEqual(STATES)
})

test.each([
  [[], false, undefined],
  [[5, 5, 5], false, []],
  [[0, 1], false, [0.25, 0.5, 0.75]],
  [[-0.3, 0.5], false, [-0.2, 0, 0.2, 0.4]],
  [[1_012.2, 1_013.1], false, [1_012.25, 1_012.5, 1_012.75, 1_013]],
  [[0, 0, 1], true, [0.5]],
] as [number[], boolean, number[] | undefined][])(
  'values %j (boolean: %p) have the round limits %j',
  (values, isBoolean, limits) => {
    expect(scaleOf(values, isBoolean)?.limits).toEqual(limits as number[])
  },
)

test('edges belong to the inside of a zone, and holes do not', () => {
  const square = (a: number, b: number) => [
    [a, a],
    [b, a],
    [b, b],
    [a, b],
    [a, a],
  ]
  const area = areaOf([[square(0, 10), square(4, 6)]])
  const inside = (x: number, y: number): boolean => containsPosition(area, x, y)
  expect([inside(0, 5), inside(10, 10), inside(2, 2), inside(4, 5)]).toEqual([true, true, true, true])
  expect([inside(5, 5), inside(-0.001, 5), inside(11, 11)]).toEqual([false, false, false])
})
