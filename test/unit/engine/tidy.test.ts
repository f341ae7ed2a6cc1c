/** Processes after runs that needed much memory. */
import { expect, test } from 'bun:test'
import { star } from '../../support/formats/geometries.ts'
import { seeded } from '../../support/random.ts'
import { geojson, replacedDuring, replaceWorkers, runTool } from '../../support/workers/engine.ts'

test('a process that can release the memory of a large layer is kept', async () => {
  const random = seeded(1)
  const rows = Array.from({ length: 140_000 }, (_, i): [Record<string, unknown>, unknown] => [
    { i, name: `parcel ${i}` },
    { type: 'Polygon', coordinates: [star(random, (i % 300) / 10, Math.floor(i / 300) / 10, 0.05, 14)] },
  ])
  const file = geojson(rows)
  // a process keeps memory of other test files, whose native parts cannot be released
  await replaceWorkers()
  const replaced = await replacedDuring(async () => {
    for (let round = 0; round < 2; round++) {
      const { data } = await runTool('export.workspace-export', { file, target_format: 'kml' })
      expect(data.featureCount).toBe(rows.length)
    }
  })
  expect(replaced).toEqual([])
})
