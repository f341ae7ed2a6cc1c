/**
 * Makes test/fixtures/producers: small files as other programs write them. `bun run fixtures:producers` installs the programs
 * as root, and writes the files again. They are committed, so that tests need none of the programs. With SCALE and a folder
 * as an argument, it writes larger ones there, for `bun run bench producers`.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputOf, runProgram } from '../support/program.ts'

const FOLDER = process.argv[2] ?? join(import.meta.dir, '../fixtures/producers')
const SCALE = Number(process.env.SCALE ?? 1)
const MAX_BYTES = 5 * 2 ** 20
const PACKAGES = [
  'python3-reportlab',
  'python3-cairo',
  'python3-pil',
  'python3-geopandas',
  'python3-rasterio',
  'img2pdf',
  'libreoffice-writer-nogui',
  'chromium-headless-shell',
  'ghostscript',
  'texlive-latex-base',
  'inkscape',
  'imagemagick',
  'libimage-exiftool-perl',
  'gdal-bin',
  'qpdf',
  'fonts-dejavu-core',
  'python3-qgis',
  'r-cran-sf',
  'python3-pip',
]
/** Its dependencies compile only for databases, which are not used. */
const MAPSHAPER = 'mapshaper@0.6.113'
/** Debian does not package it. */
const PYOGRIO = 'pyogrio==0.13.0'

const work = mkdtempSync(join(tmpdir(), 'groundwave-producers-'))
const group = (name: string): string => join(FOLDER, name)
const [pdf, image, vector, raster] = ['pdf', 'image', 'vector', 'raster'].map(group) as [string, string, string, string]
const put = (name: string, content: string): string => {
  const path = join(work, name)
  writeFileSync(path, content)
  return path
}
const python = (library: string): void => {
  outputOf('/usr/bin/python3', [join(import.meta.dir, 'make.py'), library, work])
}
/** The files of a shapefile, in a folder with the name of the program. */
const zipped = (program: string): void => {
  const files = readdirSync(join(work, program)).map((name) => join(work, program, name))
  outputOf('zip', ['-qj', join(work, `${program}-shp.zip`), ...files])
}
/** Moves written files to the folders of their group. */
const GROUPS: [RegExp, string][] = [
  [/\.pdf$/, pdf],
  [/^(rasterio|gdal-raster).*\.tif$/, raster],
  [/\.(png|jpg|webp|bmp|tif|gif)$/, image],
  [/\.(geojson|json|gpkg|fgb|zip|csv|kml|gml|parquet)$/, vector],
]

const LINES = Array.from(
  { length: 20 * SCALE },
  (_, i) => `Line ${i + 1}: The quick brown fox jumps over the lazy dog.`,
)
const HTML = `<html><head><meta charset="utf-8"></head><body><h1>Report</h1><p>${LINES.join('</p><p>')}</p><table border="1"><tr><td>1</td><td>قراءة</td></tr></table></body></html>`
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><defs><linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue" stop-opacity="0.3"/></linearGradient></defs><rect width="300" height="100" fill="url(#g)"/><text x="20" y="150" font-family="DejaVu Sans" font-size="20">Inkscape text</text></svg>`
const TEX = `\\documentclass{article}\\begin{document}\\section{Report}\\noindent ${LINES.join('\\\\')}\\newpage $x^2 + y^2 = z^2$\\end{document}`
const POSTSCRIPT = `%!PS
/Helvetica findfont 12 scalefont setfont
${LINES.map((line, i) => `60 ${750 - 18 * i} moveto (${line}) show`).join('\n')}
showpage
`

/** Each producer; the names of its files begin with the program's name. */
const PRODUCERS: Record<string, () => void> = {
  reportlab: () => python('reportlab'),
  cairo: () => python('cairo'),
  pillow: () => python('pillow'),
  geopandas: () => python('geopandas'),
  rasterio: () => python('rasterio'),
  pyogrio: () => {
    outputOf('/usr/bin/python3', [
      '-m',
      'pip',
      'install',
      '-q',
      '--no-deps',
      '--target',
      join(work, 'pyogrio'),
      PYOGRIO,
    ])
    python('pyogrio')
  },
  qgis: () => python('qgis'),
  sf: () => {
    const script = [
      `layer <- sf::st_read('${work}/geopandas.gpkg', quiet = TRUE)`,
      ...['sf.gpkg', 'sf.geojson'].map((name) => `sf::st_write(layer, '${work}/${name}', quiet = TRUE)`),
      // columns of R's types
      `layer$day <- as.Date('2024-05-06') + seq_len(nrow(layer)); layer$kind <- factor(rep(c('a', 'b', 'a', 'b', 'a'), nrow(layer) / 5)); layer$is <- layer$count > 2`,
      `dir.create('${work}/sf'); sf::st_write(sf::st_transform(layer, 25833), '${work}/sf/sf.shp', quiet = TRUE)`,
    ]
    outputOf('Rscript', ['-e', script.join('\n')])
    zipped('sf')
  },
  libreoffice: () => {
    const source = put('libreoffice.html', HTML)
    outputOf('soffice', [
      `-env:UserInstallation=file://${work}/profile`,
      '--headless',
      '--convert-to',
      'pdf:writer_web_pdf_Export',
      '--outdir',
      work,
      source,
    ])
  },
  chromium: () => {
    const source = put('chromium.html', HTML)
    const shell = ['--no-sandbox', '--disable-gpu', `--user-data-dir=${work}/chromium`]
    outputOf('chromium-headless-shell', [...shell, `--print-to-pdf=${work}/chromium.pdf`, `file://${source}`])
    outputOf('chromium-headless-shell', [
      ...shell,
      '--window-size=300,200',
      `--screenshot=${work}/chromium.png`,
      `file://${source}`,
    ])
  },
  ghostscript: () => {
    const source = put('ghostscript.ps', POSTSCRIPT)
    outputOf('ps2pdf', [source, join(work, 'ghostscript.pdf')])
    for (const [device, name] of [
      ['pngalpha', 'ghostscript.png'],
      ['jpeg', 'ghostscript.jpg'],
      ['tiffg4', 'ghostscript-g4.tif'],
    ])
      outputOf('gs', [
        '-q',
        '-dBATCH',
        '-dNOPAUSE',
        '-r40',
        `-sDEVICE=${device}`,
        `-sOutputFile=${join(work, name as string)}`,
        source,
      ])
  },
  pdftex: () => {
    outputOf('pdflatex', ['-interaction=batchmode', '-jobname=pdftex', put('pdftex.tex', TEX)], { cwd: work })
  },
  inkscape: () => {
    const source = put('inkscape.svg', SVG)
    for (const type of ['pdf', 'png'])
      outputOf('inkscape', [source, `--export-filename=${join(work, `inkscape.${type}`)}`])
  },
  imagemagick: () => {
    const at = (name: string): string => join(work, name)
    for (const type of ['png', 'jpg', 'webp', 'gif', 'bmp', 'tif'])
      outputOf('/usr/bin/convert', [
        '-size',
        `${90 * SCALE}x${60 * SCALE}`,
        'gradient:tomato-steelblue',
        '-depth',
        '8',
        at(`imagemagick.${type}`),
      ])
    outputOf('/usr/bin/convert', [
      '-size',
      `${90 * SCALE}x${60 * SCALE}`,
      'gradient:black-white',
      '-depth',
      '16',
      at('imagemagick-16.tif'),
    ])
  },
  img2pdf: () => {
    outputOf('img2pdf', [
      join(work, 'pillow.jpg'),
      join(work, 'pillow-grey.jpg'),
      '--nodate',
      '-o',
      join(work, 'img2pdf.pdf'),
    ])
  },
  qpdf: () => {
    const source = join(work, 'ghostscript.pdf')
    outputOf('qpdf', ['--object-streams=generate', '--linearize', source, join(work, 'qpdf-linearized.pdf')])
    outputOf('qpdf', ['--encrypt', '', 'owner', '256', '--', source, join(work, 'qpdf-encrypted.pdf')])
  },
  exiftool: () => {
    const tags = [
      '-GPSLatitude=33.8568',
      '-GPSLatitudeRef=S',
      '-GPSLongitude=151.2153',
      '-GPSLongitudeRef=E',
      '-GPSAltitude=12',
      '-GPSAltitudeRef=above',
    ]
    outputOf('exiftool', [
      ...tags,
      '-DateTimeOriginal=2024:05:06 07:08:09',
      '-Make=Canon',
      '-Model=Canon EOS R5',
      '-o',
      join(work, 'exiftool.jpg'),
      join(work, 'pillow.jpg'),
    ])
  },
  gdal: () => {
    const source = join(work, 'geopandas.gpkg')
    for (const [format, name, ...more] of [
      ['KML', 'gdal.kml'],
      ['GML', 'gdal.gml', '-dsco', 'FORMAT=GML3'],
      ['FlatGeobuf', 'gdal.fgb'],
      ['GeoJSON', 'gdal.geojson', '-lco', 'RFC7946=YES'],
      ['CSV', 'gdal.csv', '-lco', 'GEOMETRY=AS_WKT'],
      ['GPKG', 'gdal.gpkg', '-t_srs', 'EPSG:3035'],
    ] as const)
      outputOf('ogr2ogr', ['-f', format, join(work, name), source, ...more])
    const cells = join(work, 'rasterio.tif')
    outputOf('gdal_translate', ['-q', '-of', 'COG', cells, join(work, 'gdal-raster-cog.tif')])
    outputOf('gdal_translate', [
      '-q',
      '-ot',
      'Byte',
      '-co',
      'NBITS=4',
      '-scale',
      '0',
      '250',
      '0',
      '15',
      '-a_nodata',
      'none',
      cells,
      join(work, 'gdal-raster-nbits.tif'),
    ])
    outputOf('gdal_translate', ['-q', '-of', 'PDF', join(work, 'rasterio-rgb.tif'), join(work, 'gdal.pdf')])
  },
  mapshaper: () => {
    outputOf('npm', [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--prefix',
      work,
      MAPSHAPER,
    ])
    const source = join(work, 'geopandas.geojson')
    const program = join(work, 'node_modules/.bin/mapshaper')
    outputOf(program, [source, '-o', join(work, 'mapshaper.geojson')])
    mkdirSync(join(work, 'mapshaper'))
    outputOf(program, [source, '-o', join(work, 'mapshaper/mapshaper.shp'), 'encoding=utf-8'])
    zipped('mapshaper')
  },
}

if (process.getuid?.() === 0 && process.argv[2] === undefined) {
  const env = { DEBIAN_FRONTEND: 'noninteractive', PATH: process.env.PATH ?? '' }
  runProgram('apt-get', ['install', '-y', '--no-install-recommends', ...PACKAGES], { env })
}
rmSync(FOLDER, { recursive: true, force: true })
for (const folder of [pdf, image, vector, raster]) mkdirSync(folder, { recursive: true })
for (const [name, make] of Object.entries(PRODUCERS)) {
  const startedMs = performance.now()
  try {
    make()
    process.stdout.write(`${name}: ${Math.round(performance.now() - startedMs)} ms\n`)
  } catch (error) {
    process.stdout.write(`${name} failed: ${String(error).slice(0, 400)}\n`)
    process.exitCode = 1
  }
}
let total = 0
for (const name of readdirSync(work)) {
  const folder = GROUPS.find(([pattern]) => pattern.test(name))?.[1]
  if (folder === undefined || !statSync(join(work, name)).isFile()) continue
  outputOf('cp', [join(work, name), join(folder, name)])
  total += statSync(join(work, name)).size
}
rmSync(work, { recursive: true, force: true })
process.stdout.write(`${total} bytes\n`)
if (SCALE === 1 && total > MAX_BYTES) throw new Error(`the files must have at most ${MAX_BYTES} bytes together`)
