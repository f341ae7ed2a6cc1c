/** The order of the last checks of a Tool API: the input, then the binding, whatever the tool does. */
import { expect, test } from 'bun:test'
import { runTool } from '../../../src/engine/run-tool.ts'
import { AppError, type Code } from '../../../src/errors.ts'
import { withOverlay } from '../../../src/tools/overlays.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'
import { inputOf } from '../../../src/tools/saved.ts'
import type { InputFile, RunContext, Tool } from '../../../src/tools/tool.ts'
import clip from '../../../src/tools/vector/clip.ts'

const { tools } = await loadRegistry()
const bound = tools.filter(({ saved }) => saved?.second !== undefined)
const MISSING: InputFile = { path: '', filename: '', bytes: 0, bound: 'missing' }
const NO_SETTINGS = { settings: {}, rule: null, referenceFields: null }
const POLYGON = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  ],
}
const OPEN_RING = { type: 'Polygon', coordinates: [POLYGON.coordinates[0]?.slice(0, 3)] }

function sent(input: unknown): InputFile {
  const base64 = Buffer.from(JSON.stringify({ input })).toString('base64')
  return { path: '', filename: 'body.json', bytes: 0, body: { maxFeatures: 10, base64 } }
}

const codeOf = (tool: Tool, input: unknown): Promise<Code | string> =>
  runTool(tool, inputOf(tool, NO_SETTINGS, sent(input), MISSING), {} as RunContext).then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  )

test('for each tool with a second input, the input is checked before the binding, and both before the tool runs', async () => {
  expect(bound.length).toBeGreaterThan(5)
  for (const tool of bound) {
    const unreached: Tool = { ...tool, run: () => Promise.reject(new Error('the tool ran')) }
    expect([tool.id, await codeOf(unreached, OPEN_RING)]).toEqual([tool.id, 'TOOL_API_INPUT_INVALID'])
    expect([tool.id, await codeOf(unreached, POLYGON)]).toEqual([tool.id, 'TOOL_API_BINDING_MISSING'])
  }
})

test('the order does not depend on the statements of a tool', async () => {
  const bindingFirst = {
    ...clip,
    run: ({ mask }: { mask: InputFile }, context: RunContext) =>
      withOverlay(mask, 'mask', context, {} as never, () => Promise.reject(new Error('opened'))),
  } as unknown as Tool
  expect(await codeOf(bindingFirst, OPEN_RING)).toBe('TOOL_API_INPUT_INVALID')
})

test('zones of a raster must be polygons, which is checked before the binding', async () => {
  const zonal = bound.find(({ id }) => id === 'raster.zonal-stats') as Tool
  // the server names the body in place of the field (surfaces/tool-api/failures.ts)
  expect(await codeOf(zonal, { type: 'Point', coordinates: [0, 0] })).toBe('INPUT_UNREADABLE')
})
