/** Exports a layer of the workspace as a file. */

import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { fieldText } from '../../field-texts/field-text.ts'
import { stemOf } from '../../lib/file-name.ts'
import { shortNames } from '../../lib/geo/formats/column-names.ts'
import { withDecimals } from '../../lib/geo/formats/coordinate-precision.ts'
import { writeCsv } from '../../lib/geo/formats/csv/csv-write.ts'
import { withFormatIds } from '../../lib/geo/formats/feature-ids.ts'
import { reproject } from '../../lib/geo/formats/gdal/gdal-read.ts'
import { recognise } from '../../lib/geo/formats/vector-formats.ts'
import { writeVector } from '../../lib/geo/formats/vector-write.ts'
import { WGS84 } from '../../lib/geo/layers/layer.ts'
import { InputError } from '../../lib/input-error.ts'
import { append } from '../../lists.ts'
import { coordinatePrecision, FORMAT_TITLES, ofField, ofSetting, readLayer } from '../layers.ts'
import { choice, described, escapeFormulas, file, integerResult, named, text } from '../params.ts'
import { defineTool } from '../tool.ts'

const FORMATS = ['shp', 'kml', 'csv', 'geojson'] as const

export default defineTool({
  id: 'export.workspace-export',
  route: '/workspace-export',
  version: '1.2.0',
  title: { en: 'Export a layer', ar: 'تصدير طبقة' },
  description: {
    en: 'Writes a layer of the workspace as a zipped shapefile, KML, CSV or GeoJSON. CSV contains points as longitude and latitude, and all other geometries as WKT. A shapefile keeps ten characters of a column name; shortened columns are listed.',
    ar: 'يكتب طبقة من مساحة العمل بصيغة shapefile مضغوط أو KML أو CSV أو GeoJSON. يحفظ CSV النقاط بخط الطول والعرض وما عداها بصيغة WKT. ويحتفظ shapefile بعشرة أحرف من اسم العمود، وتُذكر الأعمدة المختصرة.',
  },
  keywords: ['export', 'shapefile', 'kml', 'csv', 'geojson', 'download'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'vector',
  input: Type.Object({
    file: file('vector', { title: { en: 'File', ar: 'الملف' }, en: 'The layer: GeoJSON', ar: 'الطبقة بصيغة GeoJSON' }),
    target_format: choice(
      FORMATS,
      {
        title: { en: 'Format', ar: 'الصيغة' },
        en: 'Format of the result',
        ar: 'صيغة النتيجة',
      },
      { titles: { shp: FORMAT_TITLES.shp, kml: FORMAT_TITLES.kml, csv: named('CSV'), geojson: FORMAT_TITLES.geojson } },
    ),
    base_name: Type.Optional(
      text(
        {
          title: { en: 'File name', ar: 'اسم الملف' },
          en: 'File name without extension: letters, digits, spaces and _ . ( ) -',
          ar: 'اسم الملف بلا امتداد: حروف وأرقام ومسافات و_ . ( ) -',
        },
        { maxLength: 80 },
      ),
    ),
    coordinate_precision: coordinatePrecision(),
    escape_formulas: escapeFormulas(),
  }),
  output: Type.Object({
    featureCount: integerResult('Features in the result', 'عدد العناصر المكتوبة'),
    truncatedFields: described(Type.Array(Type.String()), {
      en: 'Columns whose names were shortened to ten characters',
      ar: 'الأعمدة التي اختُصرت أسماؤها إلى عشرة أحرف',
    }),
  }),
  examples: [
    { name: 'a shapefile', input: { file: 'plots.geojson', target_format: 'shp', base_name: 'plots 2026' } },
    { name: 'a table', input: { file: 'plots.geojson', target_format: 'csv' } },
  ],
  async run({ file, target_format, base_name, coordinate_precision, escape_formulas }, context) {
    const stem = base_name ?? stemOf(file.filename)
    await ofSetting('base_name', () => {
      if (stemOf(`${stem}.x`) !== stem || stem.trim() === '') throw new InputError('pattern', fieldText('entryName'))
    })
    await ofField('file', () => {
      if (recognise(file.path, file.filename) !== 'geojson') throw new InputError('format', fieldText('mustBeGeojson'))
    })
    const layer = await readLayer(file, 'file', context)
    const names = layer.fields.map(({ name }) => name)
    const written = shortNames(names)
    const truncatedFields = target_format === 'shp' ? names.filter((name, i) => name !== written[i]) : []
    const data = { featureCount: layer.features.length, truncatedFields }
    if (target_format === 'csv') {
      const filename = `${stem}.csv`
      const path = join(context.scratch, `output-${filename}`)
      const warnings = [...layer.warnings]
      const exact = withFormatIds(await reproject(layer, WGS84), 'csv', warnings)
      const out = coordinate_precision === undefined ? exact : await withDecimals(exact, coordinate_precision, warnings)
      append(warnings, await writeCsv(out, path, escape_formulas))
      const output = { role: 'output' as const, path, filename, mediaType: 'text/csv; charset=utf-8', crs: WGS84.code }
      return { data, files: [output], warnings }
    }
    const {
      path,
      filename,
      mediaType,
      layer: out,
    } = await ofField('target_format', () =>
      writeVector(layer, target_format, stem, context.scratch, { decimals: coordinate_precision }),
    )
    return { data, files: [{ role: 'output', path, filename, mediaType, crs: out.crs.code }], warnings: out.warnings }
  },
})
