/** Reprojects the coordinates of a CSV file. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import Papa from 'papaparse'
import { unreadable } from '../../errors.ts'
import { inPlace } from '../../field-texts/bilingual.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { stemOf } from '../../lib/file-name.ts'
import { coordinateColumns, positionAt, readTable } from '../../lib/geo/formats/csv/csv-read.ts'
import { csvOptions } from '../../lib/geo/formats/csv/csv-write.ts'
import { distinctNames } from '../../lib/geo/layers/layer.ts'
import { warning } from '../../warnings/warning.ts'
import { ofField } from '../layers.ts'
import { escapeFormulas, file, integerResult } from '../params.ts'
import { reprojectionOf, sourceCrs, targetCrs } from '../reproject-fields.ts'
import { defineTool } from '../tool.ts'

const TARGETS = ['target_x', 'target_y']

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

export default defineTool({
  id: 'convert.transform-crs-csv',
  route: '/transform-crs/csv',
  version: '1.2.0',
  title: { en: 'Reproject a CSV', ar: 'إسقاط ملف CSV' },
  description: {
    en: 'Reprojects the coordinates of a CSV file with PROJ and adds them as the columns target_x and target_y. All other columns are kept unchanged.',
    ar: 'يحوّل إحداثيات ملف CSV بواسطة PROJ ويضيفها في عمودي target_x وtarget_y؛ تبقى بقية الأعمدة كما هي.',
  },
  keywords: ['reproject', 'crs', 'epsg', 'csv', 'transform'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'table',
  outputKind: 'table',
  input: Type.Object({
    file: file(
      'vector',
      {
        title: { en: 'File', ar: 'الملف' },
        en: 'CSV in UTF-8 with a header; coordinates in columns named longitude, lon, lng, x or easting, and latitude, lat, y or northing',
        ar: 'ملف CSV بترميز UTF-8 وصف عناوين؛ الإحداثيات في أعمدة باسم longitude أو lon أو lng أو x أو easting وlatitude أو lat أو y أو northing',
      },
      { mediaType: 'text/csv' },
    ),
    source_crs: sourceCrs(),
    target_crs: targetCrs(),
    escape_formulas: escapeFormulas(),
  }),
  output: Type.Object({
    pointCount: integerResult('Points that were reprojected', 'عدد النقاط المحوّلة'),
  }),
  examples: [
    { name: 'cities in Web Mercator', input: { file: 'cities.csv', source_crs: 'EPSG:4326', target_crs: 'EPSG:3857' } },
  ],
  async run({ file, source_crs, target_crs, escape_formulas }, context) {
    const reproject = await reprojectionOf(source_crs, target_crs)
    let text: string
    try {
      text = strictUtf8.decode(await readFile(file.path))
    } catch (cause) {
      throw unreadable('file', 'encoding', fieldText('mustBeUtf8'), cause)
    }
    const table = await ofField('file', () => readTable(text, context.limits.maxFeatures))
    const xy = await ofField('file', () => coordinateColumns(table))
    const { header, warnings } = table
    const withoutPosition: number[] = []
    const positions = await ofField('file', () => table.rows.map((row, i) => positionAt(row, xy, i)))
    const rows = table.rows.map((row, i) => {
      if (i % 1024 === 0) context.progress(i / table.rows.length)
      const position = positions[i]
      if (position === undefined) {
        withoutPosition.push(i + 1)
        return [...row, '', '']
      }
      const moved = reproject(position.east, position.north)
      if (moved === undefined) throw unreadable('file', 'reach', inPlace({ row: i + 1 }, fieldText('outsideCrsUse')))
      return [...row, String(moved[0]), String(moved[1])]
    })
    if (withoutPosition.length > 0)
      warnings.push(warning('rowsWithoutCoordinates', { n: withoutPosition.length, row: withoutPosition[0] as number }))
    // the columns of the file keep their names
    const distinct = distinctNames({ taken: header.map((name) => name.trim()) })
    const targets = TARGETS.map((name) => distinct(name))
    const renamed = TARGETS.flatMap((name, i) => (name === targets[i] ? [] : [`${name} → ${targets[i]}`]))
    if (renamed.length > 0) warnings.push(warning('resultColumnsRenamed', { names: renamed }))
    const fields = [...header, ...targets]
    const filename = `${stemOf(file.filename)}_${target_crs.replace(/[^A-Za-z0-9]+/g, '_')}.csv`
    const path = join(context.scratch, `output-${filename}`)
    await writeFile(
      path,
      `${Papa.unparse([fields, ...rows], { delimiter: table.delimiter, ...csvOptions(escape_formulas) })}\r\n`,
    )
    return {
      data: { pointCount: rows.length - withoutPosition.length },
      files: [{ role: 'output', path, filename, mediaType: 'text/csv; charset=utf-8', crs: undefined }],
      warnings,
    }
  },
})
