/**
 * One rule for all tools: if an input holds several things, a tool uses all of them, names the omitted ones in a
 * warning, or refuses the file. New tools and new file fields are covered automatically.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { AppError } from '../../../src/errors.ts'
import { fileKindOf, isFileField, isFilesField } from '../../../src/tools/check.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'
import { picture } from '../../support/formats/images.ts'
import { outputOf } from '../../support/program.ts'
import { runTool } from '../../support/workers/engine.ts'
import { FIXTURES } from '../../support/workers/tools.ts'

type Sent = { name: string; content: Uint8Array }
const home = mkdtempSync(join(tmpdir(), 'groundwave-first-'))
afterAll(() => rmSync(home, { recursive: true }))
const fixture = (name: string): string => join(FIXTURES, name)

function layers(): Sent {
  const path = join(home, 'layers.gpkg')
  outputOf('ogr2ogr', ['-q', path, fixture('districts.geojson'), '-nln', 'one'])
  outputOf('ogr2ogr', ['-q', '-update', path, fixture('zones.geojson'), '-nln', 'two'])
  return { name: 'layers.gpkg', content: readFileSync(path) }
}
function bands(): Sent {
  const path = join(home, 'bands.tif')
  outputOf('gdal_translate', ['-q', '-b', '1', '-b', '1', fixture('dem.tif'), path])
  return { name: 'bands.tif', content: readFileSync(path) }
}
const apng = (): Sent => ({
  name: 'animated.png',
  content: readFileSync(join(import.meta.dir, '../../fixtures/field-cases/46-animated.png')),
})
const SEVERAL: Record<string, Sent[]> = {
  image: [
    picture('moving.gif', '-size', '60x40', 'xc:red', 'xc:green'),
    picture('pages.tif', '-size', '60x40', 'xc:red', 'xc:green'),
    apng(),
  ],
  vector: [layers()],
  raster: [bands()],
}

/** Tools that use all bands or frames, by tool and name of the file. Their own tests show that. */
const USES_ALL: [RegExp, RegExp][] = [
  // a row for each band, all bands in the result
  [/raster-inspect|cog-optimize/, /bands/],
  // pages of text; the format of the example keeps animations
  [/document\.ocr|convert-format/, /pages\.tif|moving\.gif/],
]
const LEFT_OUT = /\b(first|only|layers?|bands?)\b/i

const { tools } = await loadRegistry()
const cases = tools.flatMap((tool) =>
  Object.entries(tool.input.properties as Record<string, TSchema>)
    .filter(([, schema]) => isFileField(schema))
    .flatMap(([field, schema]) => {
      // OCR accepts images in a field for documents
      const kinds = tool.id === 'document.ocr' ? ['image'] : [fileKindOf(schema)]
      return kinds.flatMap((kind) =>
        (SEVERAL[kind] ?? []).map((file) => [tool.id, field, file.name, tool, file] as const),
      )
    }),
)

test('the tools have inputs of every kind', () => expect(cases.length).toBeGreaterThan(70))

describe('several things in one file', () => {
  test.each(cases)('%s, field %s: %s', async (id, field, name, tool, file) => {
    const schema = tool.input.properties[field] as TSchema
    const marks = field === 'logo' && id.endsWith('watermark') ? { wm_mode: 'image', text: undefined } : {}
    const spec = id === 'export.map-export' && field === 'image' ? { spec: { maps: [] } } : {}
    const example = { ...tool.examples[0]?.input, ...marks, ...spec }
    const input = { ...example, [field]: isFilesField(schema) ? [file, file] : file }
    const parsed = Object.fromEntries(
      Object.entries(input).map(([key, value]) => [
        key,
        key === 'reference_fields' && typeof value === 'string' ? (JSON.parse(value) as unknown) : value,
      ]),
    )
    let warnings: string[]
    try {
      ;({ warnings } = await runTool(id, parsed))
    } catch (error) {
      // refused because of the file, not for another reason
      expect(error).toBeInstanceOf(AppError)
      expect((error as AppError).errors?.[0]?.field).toStartWith(field)
      return
    }
    if (USES_ALL.some(([ids, names]) => ids.test(id) && names.test(name))) return
    expect(warnings.filter((text) => LEFT_OUT.test(text))).not.toEqual([])
  })
})
