/**
 * Reads GML with GDAL. It compares each element of a feature with every column, so the attributes of files with many columns
 * are read here, by the same rules, and GDAL reads a copy of the file with the geometries only.
 */

import { basename, join } from 'node:path'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError } from '../../../input-error.ts'
import type { Layer } from '../../layers/layer.ts'
import { type ReadOptions, readWithGdal } from '../gdal/gdal-read.ts'
import { OWN_RULES, separateAttributes } from './gml-attributes.ts'
import { declaredTypes, withTypes } from './gml-schema.ts'
import { GmlTags } from './gml-tags.ts'

/** Number of different elements above which GDAL's comparisons take most of the time; geometries contribute few. */
const MANY_ELEMENTS = 128

/**
 * @param path of a file without document type, entities and schema locations
 * @param schemaPath the application schema, if it is known
 */
export async function readGml(
  path: string,
  name: string,
  options: ReadOptions,
  schemaPath: string | undefined,
): Promise<Layer> {
  const tags = new GmlTags(path)
  const layer = await readTexts(path, name, options, tags)
  const declared = schemaPath === undefined ? new Map() : declaredTypes(schemaPath)
  return { ...layer, fields: withTypes(layer, declared), warnings: [...layer.warnings, ...tags.warnings] }
}

async function readTexts(path: string, name: string, options: ReadOptions, { names }: GmlTags): Promise<Layer> {
  if (names.size <= MANY_ELEMENTS || OWN_RULES.some((own) => names.has(own)))
    return readWithGdal(path, name, 'GML', options)
  const copyPath = join(options.scratch, `geometries-${basename(path)}`)
  const tables = separateAttributes(path, copyPath, options.maxFeatures)
  // responses of catalogues and routing services, whose features have different parent elements
  if (tables.size === 0) return readWithGdal(path, name, 'GML', options)
  return readWithGdal(copyPath, name, 'GML', options, (layerName, count) => {
    const { columns, rows } = tables.get(layerName.toLowerCase()) ?? {}
    if (columns === undefined || rows?.length !== count)
      throw new InputError('unreadable', fieldText('unreadPast', { count }))
    return { fields: columns.fields, rowValues: rows.map((row) => columns.values(row)) }
  })
}
