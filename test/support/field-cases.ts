/** Small files that other programs were reported to read wrong, in test/fixtures/field-cases. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ZipFile } from 'yazl'
import { type Given, type Ran, runTool } from './workers/engine.ts'

const DIR = join(import.meta.dir, '../fixtures/field-cases')

export const fieldCase = (name: string): Given => ({ name, content: readFileSync(join(DIR, name)) })

export const text = (name: string, content: string): Given => ({ name, content })

/** The features of a file as the product reads them: properties and geometry. */
export async function readFeatures(file: Given) {
  const ran = await convert(file, 'geojson')
  const { features } = ran.geojson()
  return {
    ...ran,
    properties: features.map((feature) => feature.properties),
    geometries: features.map(({ geometry }) => geometry),
  }
}

export const convert = (file: Given, target_format: string): Promise<Ran> =>
  runTool('convert.validate-convert', { file, target_format })

/** The content that a format keeps: the file converted to it and read again. */
export async function through(file: Given, target_format: string) {
  const written = await convert(file, target_format)
  const again = await readFeatures({ name: written.filename, content: readFileSync(written.path) })
  return { ...again, warnings: [...written.warnings, ...again.warnings], written }
}

export async function zipOf(files: Record<string, string | Buffer>): Promise<Given> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content as Buffer), name)
  zip.end()
  return { name: 'files.zip', content: await new Response(zip.outputStream as never).bytes() }
}
