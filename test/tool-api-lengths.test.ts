/** Bodies and results of Tool APIs that travel in messages, and those that are too long for it. */
import { beforeAll, expect, test } from 'bun:test'
import { box, point } from './support/engine.ts'
import { sharedInstance } from './support/shared-instance.ts'
import { collection, feature, toolApisOf } from './support/tool-apis.ts'

let owner: string
const { layer, save, run } = toolApisOf(() => instance)

const instance = await sharedInstance()
beforeAll(async () => {
  const enterprise = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'business' })
  owner = enterprise.id
}, 120_000)

test('short and long bodies and results give the same answer', async () => {
  const boxes = Array.from({ length: 900 }, (_, i) => feature(box(i % 30, i / 30, (i % 30) + 1.2, i / 30 + 1.2), { i }))
  const zones = await layer(owner, ...boxes)
  const binding = { kind: 'layer', id: zones.id }
  const join = await save(owner, 'vector.intersect', { binding })
  const check = await save(owner, 'vector.inside-check', {
    ...{ binding, rule: { kind: 'partly' }, referenceFields: ['i'] },
  })
  const spot = collection(feature(box(0.1, 0.1, 0.2, 0.2)))
  const wide = collection(feature(box(0, 0, 29, 29)))
  const many = collection(...Array.from({ length: 650 }, (_, i) => feature(point((i % 30) + 0.5, i / 30))))
  for (const [api, input, isLong] of [
    [join, spot, false],
    [join, wide, true],
    [check, spot, false],
    [check, many, true],
  ] as const) {
    const body = JSON.stringify({ input })
    expect(body.length).toBeLessThan(64 * 1024)
    const [short, padded] = [await run(api, body), await run(api, body + ' '.repeat(70_000))]
    expect(short.status).toBe(200)
    expect(short.data).toEqual(padded.data)
    expect(JSON.stringify(short.data).length > 64 * 1024).toBe(isLong)
  }
})
