/** The programs that raster and image tools are compared with, and the list of all media comparisons. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { documentContests, exportContests } from './document-rivals.ts'
import type { MediaContest } from './media-contest.ts'
import { writeImageData, writeRasterData } from './media-data.ts'

const FONT = join(
  import.meta.dir,
  '../../node_modules/@expo-google-fonts/ibm-plex-sans-arabic/600SemiBold/IBMPlexSansArabic_600SemiBold.ttf',
)

const SHADED = [
  'TILED=YES',
  'BLOCKXSIZE=512',
  'BLOCKYSIZE=512',
  'COMPRESS=DEFLATE',
  'PREDICTOR=2',
  'ZLEVEL=3',
  'NUM_THREADS=ALL_CPUS',
]

/** Writes the input files of the selected comparisons and returns them. */
export async function mediaContests(dir: string, only: string): Promise<MediaContest[]> {
  const wants = (group: string): boolean => only === '' || only.startsWith(group) || group.startsWith(only)
  return [
    ...(wants('raster.') ? rasterContests(dir) : []),
    ...(wants('image.') ? await imageContests(dir) : []),
    ...(wants('document.') ? await documentContests(dir) : []),
    ...(wants('export.') ? await exportContests(dir) : []),
  ]
}

function rasterContests(dir: string): MediaContest[] {
  const { dem, packed, part, packedPart, zones } = writeRasterData(dir)
  const out = join(dir, 'rival.tif')
  const figures = ['gdalinfo', '-stats', '-hist', '--config', 'GDAL_PAM_ENABLED', 'NO']
  const deflate = [
    'COMPRESS=DEFLATE',
    'PREDICTOR=YES',
    'LEVEL=3',
    'NUM_THREADS=ALL_CPUS',
    'OVERVIEW_RESAMPLING=AVERAGE',
  ]
  const cog = (file: string, ...options: string[]): string[][] => [
    ['gdal_translate', '-q', '-of', 'COG', ...options.flatMap((option) => ['-co', option]), file, out],
  ]
  const inspect = {
    tool: 'raster.raster-inspect',
    route: '/raster-inspect',
    fields: {},
    beside: 'gdalinfo -stats -hist',
  }
  const optimise = { tool: 'raster.cog-optimize', route: '/cog-optimize', fields: {} }
  const zonal = { tool: 'raster.zonal-stats', route: '/zonal-stats' }
  const shade = (file: string): Pick<MediaContest, 'tool' | 'route' | 'fields' | 'files' | 'beside' | 'commands'> => ({
    tool: 'raster.hillshade',
    route: '/hillshade',
    fields: {},
    files: { file },
    beside: 'gdaldem hillshade, the same output options',
    commands: [['gdaldem', 'hillshade', '-q', ...SHADED.flatMap((option) => ['-co', option]), file, out]],
  })
  const hasRasterio = spawnSync('/usr/bin/python3', ['-c', 'import rasterio']).status === 0
  const loop = (file: string): string[][] | undefined =>
    hasRasterio
      ? [['/usr/bin/python3', join(import.meta.dir, 'zonal-loop.py'), zones, file, join(dir, 'rival-zones.geojson')]]
      : undefined
  const streamed = { target_format: 'geojson', stats: '["count","mean","min","max","sum"]' }
  const ordered = { target_format: 'geojson', stats: '["median","majority","variety"]' }
  const plain = 'float DEM, 100 MP, plain'
  const tiled = 'float DEM, 100 MP, DEFLATE'
  return [
    { ...inspect, files: { file: dem }, on: plain, commands: [[...figures, dem]] },
    { ...inspect, files: { file: packed }, on: tiled, commands: [[...figures, packed]] },
    { ...inspect, files: { file: part }, on: 'float DEM, 20 MP, plain', commands: [[...figures, part]] },
    { ...inspect, files: { file: packedPart }, on: 'float DEM, 20 MP, DEFLATE', commands: [[...figures, packedPart]] },
    { ...optimise, files: { file: dem }, on: plain, beside: 'gdal_translate -of COG', commands: cog(dem) },
    { ...optimise, files: { file: packed }, on: tiled, beside: 'gdal_translate -of COG', commands: cog(packed) },
    {
      ...optimise,
      files: { file: packed },
      on: tiled,
      beside: 'the same with the options of Groundwave',
      commands: cog(packed, ...deflate),
    },
    { ...shade(dem), on: plain },
    { ...shade(packed), on: tiled },
    {
      ...zonal,
      fields: streamed,
      files: { file: zones, raster: packed },
      on: `10,000 zones, ${tiled}`,
      beside: 'rasterio, zone by zone',
      commands: loop(packed),
    },
    {
      ...zonal,
      fields: streamed,
      files: { file: zones, raster: dem },
      on: `10,000 zones, ${plain}`,
      beside: 'rasterio, zone by zone',
      commands: loop(dem),
    },
    {
      ...zonal,
      fields: ordered,
      files: { file: zones, raster: packed },
      on: '10,000 zones, median, majority, variety',
      beside: '–',
      commands: undefined,
    },
  ]
}

async function imageContests(dir: string): Promise<MediaContest[]> {
  const { photo, png, large, half, logo } = await writeImageData(dir)
  const out = (extension: string): string => join(dir, `rival.${extension}`)
  const mark = join(dir, 'mark.png')
  const on = '12 MP JPEG'
  return [
    ...fromJpeg(dir, photo, logo, '12 MP JPEG'),
    // Groundwave writes WebP and GIF of up to 60 megapixels
    ...fromJpeg(dir, large, logo, '100 MP JPEG').filter(
      ({ fields }) => !['webp', 'gif'].includes(fields.target_format ?? ''),
    ),
    {
      tool: 'image.convert-format',
      route: '/convert-format',
      fields: { target_format: 'jpeg' },
      files: { file: png },
      on: '12 MP PNG to JPEG',
      beside: 'vips copy',
      commands: [['vips', 'copy', png, `${out('jpg')}[Q=90,no-subsample]`]],
    },
    {
      tool: 'image.image-watermark',
      route: '/image-watermark',
      fields: { text: 'Groundwave · قراءة', position: 'bottom-right' },
      files: { file: photo },
      on: `${on}, text`,
      beside: 'vips text, composite2',
      commands: [
        [
          'vips',
          'text',
          mark,
          'Groundwave · قراءة',
          '--font',
          'IBM Plex Sans Arabic 150',
          '--fontfile',
          FONT,
          '--rgba',
        ],
        ['vips', 'composite2', photo, mark, `${out('jpg')}[Q=90,no-subsample]`, 'over', '--x', '2000', '--y', '2700'],
      ],
    },
    ...(
      [
        [photo, on],
        [half, '50 MP JPEG'],
      ] as const
    ).map(([file, of]) => ({
      tool: 'image.merge-images',
      route: '/merge-images',
      fields: {},
      files: { files: [file, file] },
      on: `two of ${of}`,
      beside: 'vips join',
      commands: [['vips', 'join', file, file, `${out('jpg')}[Q=90,no-subsample]`, 'vertical']],
    })),
    {
      tool: 'image.remove-background',
      route: '/remove-background',
      fields: {},
      files: { file: photo },
      on,
      beside: '–',
      commands: undefined,
    },
  ]
}

/** Comparisons on a photo of any size. */
function fromJpeg(dir: string, photo: string, logo: string, on: string): MediaContest[] {
  const out = (extension: string): string => join(dir, `rival.${extension}`)
  const to = (format: string, name: string, beside: string, ...command: string[]): MediaContest => ({
    tool: 'image.convert-format',
    route: '/convert-format',
    fields: { target_format: format },
    files: { file: photo },
    on: `${on} to ${name}`,
    beside,
    commands: [command],
  })
  return [
    to('png', 'PNG', 'vips copy', 'vips', 'copy', photo, out('png')),
    to('webp', 'WebP', 'vips copy', 'vips', 'copy', photo, `${out('webp')}[Q=90]`),
    to('tiff', 'TIFF', 'vips copy', 'vips', 'copy', photo, `${out('tif')}[compression=deflate,predictor=horizontal]`),
    to('gif', 'GIF', 'vips copy', 'vips', 'copy', photo, out('gif')),
    to('bmp', 'BMP', 'convert', '/usr/bin/convert', photo, out('bmp')),
    {
      tool: 'image.enhance-quality',
      route: '/enhance-quality',
      fields: {},
      files: { file: photo },
      on,
      beside: 'vips hist_equal, sharpen',
      commands: [
        ['vips', 'hist_equal', photo, join(dir, 'equal.v')],
        ['vips', 'copy', join(dir, 'equal.v'), join(dir, 'labelled.v'), '--interpretation', 'srgb'],
        ['vips', 'sharpen', join(dir, 'labelled.v'), `${out('jpg')}[Q=92]`, '--sigma', '1', '--m2', '1.6'],
      ],
    },
    {
      tool: 'image.image-watermark',
      route: '/image-watermark',
      fields: { wm_mode: 'image', position: 'center' },
      files: { file: photo, logo },
      on: `${on}, logo`,
      beside: 'vips composite2',
      commands: [
        ['vips', 'composite2', photo, logo, `${out('jpg')}[Q=90,no-subsample]`, 'over', '--x', '1900', '--y', '1400'],
      ],
    },
  ]
}
