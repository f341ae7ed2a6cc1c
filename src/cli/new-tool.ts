/** `bun run new-tool <group>.<name> "<English title>" "<Arabic title>"`: the file of a tool and that of its test. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const GROUPS = ['convert', 'vector', 'measure', 'raster', 'image', 'document', 'export']

const [id = '', title = '', arabic = ''] = process.argv.slice(2)
const [group = '', name = ''] = id.split('.')

function fail(message: string): never {
  process.stderr.write(`${message}\nusage: bun run new-tool <group>.<name> "<English title>" "<Arabic title>"\n`)
  process.exit(2)
}
if (!GROUPS.includes(group)) fail(`the group must be one of ${GROUPS.join(', ')}`)
if (!/^[a-z][a-z0-9-]*$/.test(name)) fail('the name must be lower case letters, digits and hyphens')
if (title === '' || arabic === '') fail('both titles are needed')

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const tool = `/** ${title}. */
import { Type } from '@sinclair/typebox'
import { withFeatures } from '../../lib/geo/layer.ts'
import { inputFeatureCount, layerOutput, layerResult, readLayer, targetFormat, vectorFile } from '../layers.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: '${id}',
  route: '/${name}',
  version: '1.0.0',
  title: { en: ${quoted(title)}, ar: ${quoted(arabic)} },
  description: { en: ${quoted(`${title}.`)}, ar: ${quoted(`${arabic}.`)} },
  keywords: ['${name}'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'vector',
  input: Type.Object({ file: vectorFile(), target_format: targetFormat() }),
  output: Type.Object({ ...layerOutput, inputFeatureCount }),
  examples: [{ name: 'stations', input: { file: 'stations.geojson', target_format: 'geojson' } }],
  async run({ file, target_format }, context) {
    const layer = await readLayer(file, 'file', context)
    const features = layer.features.map((feature) => feature)
    const data = { inputFeatureCount: layer.features.length }
    return layerResult(withFeatures(layer, features), target_format, file, '${name}', context, data)
  },
})
`
const test = `/** ${title}, held against a truth of its own. */
import { expect, test } from 'bun:test'
import { runTool } from '../../support/engine.ts'

test('what goes in comes out', async () => {
  const { data, geojson } = await runTool('${id}', { file: 'stations.geojson', target_format: 'geojson' })
  expect(data.inputFeatureCount).toBe(5)
  expect(geojson().features).toHaveLength(5)
})
`
const files = { [`src/tools/${group}/${name}.ts`]: tool, [`test/tools/${group}/${name}.test.ts`]: test }
for (const path of Object.keys(files)) if (existsSync(join(ROOT, path))) fail(`${path} is there already`)
for (const [path, content] of Object.entries(files)) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true })
  writeFileSync(join(ROOT, path), content)
  process.stdout.write(`${path}\n`)
}
