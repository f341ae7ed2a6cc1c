/** Rewrites a GeoTIFF as a Cloud Optimized GeoTIFF: tiles, overviews, compression, and the directories first. */
import { constants, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { cogIssues, overviewsOf } from '../../lib/raster/cog-layout.ts'
import { compressionOf } from '../../lib/raster/describe.ts'
import { readThrough } from '../../lib/raster/detect-truncation.ts'
import { type OpenRaster, openRaster } from '../../lib/raster/open-raster.ts'
import { compressionFor, isLossy, writeCog } from '../../lib/raster/optimise.ts'
import { type Warning, warning } from '../../warnings/warning.ts'
import { described, file, flagResult, integerResult, textResult } from '../params.ts'
import { withRaster } from '../rasters.ts'
import { defineTool, type RunContext } from '../tool.ts'

export default defineTool({
  id: 'raster.cog-optimize',
  route: '/cog-optimize',
  version: '1.2.0',
  title: { en: 'Cloud-optimise GeoTIFF', ar: 'تهيئة للسحابة' },
  description: {
    en: 'Converts a GeoTIFF to a Cloud Optimized GeoTIFF and lists what the file lacked. Lossless; nodata, masks, colour tables, CRS and tags are kept. JPEG, WebP, ZSTD and LERC stay so, and omitted tiles stay omitted. A compressed file that is already a COG is returned unchanged.',
    ar: 'يحوّل ملف GeoTIFF إلى Cloud Optimized GeoTIFF ويذكر ما كان ينقصه. بلا فقد، مع الحفاظ على قيمة انعدام البيانات والأقنعة وجداول الألوان ونظام الإحداثيات والوسوم؛ ويبقى الضغط JPEG وWebP وZSTD وLERC كما هو، وتبقى البلاطات المحذوفة محذوفة. ويُعاد ملف COG المضغوط كما هو.',
  },
  keywords: ['cog', 'cloud optimized geotiff', 'overviews', 'tiles', 'compression'],
  credits: 2,
  lane: 'node',
  async: true,
  inputKind: 'raster',
  outputKind: 'raster',
  input: Type.Object({
    file: file('raster', {
      title: { en: 'File', ar: 'الملف' },
      en: 'The raster: GeoTIFF (.tif, .tiff, .geotiff)',
      ar: 'البيانات النقطية: GeoTIFF ‏(.tif، .tiff، .geotiff)',
    }),
  }),
  output: Type.Object({
    wasAlreadyCog: flagResult('Whether the file was already a COG', 'هل كان الملف بصيغة COG من قبل'),
    issues: described(Type.Array(Type.String()), { en: 'What the file lacked', ar: 'ما كان ينقصه' }),
    width: integerResult('Columns', 'عدد الأعمدة'),
    height: integerResult('Rows', 'عدد الصفوف'),
    bandCount: integerResult('Bands', 'عدد النطاقات'),
    originalTiled: flagResult('Whether the file had tiles', 'هل كان الملف مقسمًا إلى بلاطات'),
    originalOverviewCount: integerResult('Overviews of the file', 'عدد النسخ المصغرة في الملف'),
    originalCompression: textResult('Compression of the file, NONE for none', 'ضغط الملف، أو NONE'),
    optimizedOverviewCount: integerResult('Overviews of the result', 'عدد النسخ المصغرة في النتيجة'),
    optimizedCompression: textResult('Compression of the result', 'ضغط النتيجة'),
  }),
  examples: [{ name: 'an elevation model', input: { file: 'dem.tif' } }],
  async run({ file }, context) {
    const path = join(context.scratch, 'optimised.tif')
    return withRaster(file, 'file', context, async (raster) => {
      const issues = cogIssues(raster.layout)
      const wasAlreadyCog = issues.length === 0
      const originalCompression = compressionOf(raster.dataset)
      const warnings: Warning[] = []
      if (wasAlreadyCog && originalCompression !== 'NONE') {
        // a correct layout does not prove that the cells are readable
        await readThrough(raster)
        copyFileSync(file.path, path, constants.COPYFILE_FICLONE)
      } else {
        const compression = compressionFor(raster)
        if (isLossy(compression)) warnings.push(warning('encodedWithLoss', { compression }))
        await writeCog(raster, path, compression, context.progress)
      }
      const optimised = await overviewsAndCompression(path, context)
      const filename = `${stemOf(file.filename, 'raster')}_cog.tif`
      return {
        data: {
          wasAlreadyCog,
          issues,
          width: raster.width,
          height: raster.height,
          bandCount: raster.bandCount,
          originalTiled: raster.layout.directories[0]?.tiled ?? false,
          originalOverviewCount: overviewsOf(raster.layout).length,
          originalCompression,
          ...optimised,
        },
        files: [{ role: 'output', path, filename, mediaType: 'image/tiff', crs: raster.crs?.code }],
        warnings,
      }
    })
  },
})

async function overviewsAndCompression(path: string, { limits }: RunContext) {
  const written: OpenRaster = await openRaster(path, limits.maxSamples)
  try {
    const optimizedOverviewCount = overviewsOf(written.layout).length
    return { optimizedOverviewCount, optimizedCompression: compressionOf(written.dataset) }
  } finally {
    written.close()
  }
}
