/** Tool APIs in every state that a page can show, with calls of today. */

import type { Instance } from '../server/instance.ts'
import { collection, feature, toolApisOf } from '../server/tool-apis.ts'
import { box, point } from '../workers/engine.ts'

/** @returns the id of a Tool API that was called */
export async function portalToolApis(instance: Instance, ownerId: string): Promise<string> {
  const { layer, save, run, call } = toolApisOf(() => instance)
  const zones = await layer(
    ownerId,
    feature(box(31.19, 30.08, 31.22, 30.12), { zone: 'North', manager: 'Amal' }),
    feature(box(31.22, 30.08, 31.25, 30.12), { zone: 'الجنوب', manager: 'Sami' }),
  )
  const binding = { kind: 'layer', id: zones.id }
  const check = await save(ownerId, 'vector.inside-check', {
    name: 'Delivery zones',
    binding,
    referenceFields: ['zone'],
    rule: { kind: 'percent', percent: 50 },
  })
  const long = `Buffer around pipes, requested by the harbour office for its own map ${'x'.repeat(80)}`
  const others = [
    await save(ownerId, 'vector.clip', { name: 'قص المباني بحدود الميناء', binding }),
    await save(ownerId, 'vector.buffer', { name: long, settings: { distance_m: 25, unit: 'm' } }),
    await save(ownerId, 'vector.centroids', { name: 'Centres' }),
  ]
  const gone = await layer(ownerId, feature(box(0, 0, 1, 1)))
  const broken = await save(ownerId, 'vector.erase', { name: 'Erase old', binding: { kind: 'layer', id: gone.id } })
  await instance.manage('DELETE', `/owners/${ownerId}/layers/${gone.id}`)
  const inputs = [
    collection(feature(point(31.2, 30.1)), feature(box(31.18, 30.09, 31.2, 30.1))),
    collection(feature(box(31.24, 30.1, 31.3, 30.11))),
    point(200, 95),
  ]
  for (let i = 0; i < 12; i++) await run(check, { input: inputs[i % 3] })
  await run({ ...check, key: 'svcapi_old' }, { input: point(0, 0) })
  await run(others[0] ?? check, { input: box(31.2, 30.1, 31.3, 30.2) })
  await run(broken, { input: box(0, 0, 1, 1) })
  await call('PATCH', `/tool-apis/${others[1]?.id}`, { enabled: false })
  await call('PATCH', `/tool-apis/${others[2]?.id}`, { held: true, heldReason: 'Unusual load since Monday' })
  return check.id
}
