/** Definitions of coordinate reference systems that name files: PROJ must not open them. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { safeWkt } from '../../../src/lib/geo/projection/safe-crs.ts'
import { outputOf, runProgram } from '../../support/program.ts'
import { NODE } from '../../support/workers/engine.ts'
import { FIXTURES } from '../../support/workers/tools.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-crs-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Opening it blocks forever, because it has no writer. */
const fifo = join(home, 'grid.gsb')
outputOf('mkfifo', [fifo])

const READER = join(import.meta.dir, '../../support/formats/read-crs.ts')
const WAITED = 124
/** The result of a Node process without a sandbox for a file; it reports when the process opened the FIFO. */
function read(path: string, filename: string): string {
  const { status, stdout, stderr } = runProgram('timeout', ['20', NODE, READER, path, filename])
  if (status === WAITED) return 'opened the file'
  if (status !== 0) throw new Error(stderr)
  return stdout.toString()
}

const WGS = 'SPHEROID["WGS 84",6378137,298.257223563]'
const END = 'PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]'
const GEOGCS = `GEOGCS["X",DATUM["X",${WGS}],${END}]`
const UTM = `PROJCS["U",${GEOGCS},PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",15],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]`
const GEOGCRS =
  'GEOGCRS["X",DATUM["X",ELLIPSOID["WGS 84",6378137,298.257223563]],CS[ellipsoidal,2],AXIS["lat",north],AXIS["lon",east],ANGLEUNIT["degree",0.0174532925199433]]'
const BASE = 'BASEGEOGCRS["W",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]]]'

/** Definitions that lose their file reference, with the remaining definition. */
const REBUILT: [string, string, string][] = [
  ['grids of a datum', `GEOGCS["X",DATUM["X",${WGS},EXTENSION["PROJ4_GRIDS","${fifo}"]],${END}]`, GEOGCS],
  ['grids in a PROJ string', `${UTM},EXTENSION["PROJ4","+proj=utm +zone=33 +nadgrids=${fifo}"]]`, `${UTM}]`],
  ['an init file', `${UTM},EXTENSION["PROJ4","+init=${fifo}:x"]]`, `${UTM}]`],
  ['other brackets and cases', `${UTM},extension ( "PROJ4" , "+init=${fifo}:x" )]`, `${UTM}]`],
  [
    'a bound system',
    `BOUNDCRS[SOURCECRS[${GEOGCRS}],TARGETCRS[${GEOGCRS}],ABRIDGEDTRANSFORMATION["t",METHOD["NTv2",ID["EPSG",9615]],PARAMETERFILE["Latitude and longitude difference file","${fifo}",ID["EPSG",8656]]]]`,
    GEOGCRS,
  ],
]
const REFUSED: [string, string][] = [
  [
    'a PROJ pipeline as a method',
    `GEOGCRS["D",${BASE},DERIVINGCONVERSION["c",METHOD["PROJ-based operation method: +proj=pipeline +step +proj=hgridshift +grids=${fifo}"]],CS[ellipsoidal,2],AXIS["lat",north],AXIS["lon",east],ANGLEUNIT["degree",0.0174532925199433]]`,
  ],
  [
    'a PROJ projection as a method',
    `PROJCRS["D",${BASE},CONVERSION["c",METHOD["PROJ hgridshift grids=${fifo}"]],CS[Cartesian,2],AXIS["x",east],AXIS["y",north],LENGTHUNIT["metre",1]]`,
  ],
  ['a PROJ string', `+proj=longlat +ellps=GRS80 +nadgrids=${fifo}`],
  ['no definition', fifo],
  ['a definition that does not end', UTM],
  ['a definition of a thousand levels', `${'A['.repeat(1000)}"x"${']'.repeat(1000)}`],
]

describe('definitions', () => {
  test.each(REBUILT)('%s', (_name, definition, expected) => {
    expect(safeWkt(definition)).toBe(expected)
  })
  test.each(REFUSED)('%s', (_name, definition) => {
    expect(() => safeWkt(definition)).toThrow('coordinate reference system')
  })
  test('definitions that name no file stay as they are, also Web Mercator with its extension', () => {
    const [mercator, local] = ['EPSG:3857', '+proj=laea +lat_0=1 +lon_0=2 +nadgrids=@null +ellps=GRS80'].map((crs) =>
      outputOf('gdalsrsinfo', ['-o', 'wkt1', '--single-line', crs]).toString().trim(),
    ) as [string, string]
    expect(mercator).toContain('EXTENSION["PROJ4"')
    expect(local).toContain('PROJ4_GRIDS')
    for (const wkt of [mercator, local, `${UTM}]`, GEOGCRS]) expect(safeWkt(wkt)).toBe(wkt)
  })
  test('systems of the EPSG registry stay as they are', () => {
    for (const code of [4326, 25833, 4258, 7415, 31468, 2056, 27700, 5514, 32661])
      for (const form of ['wkt1', 'wkt2_2019', 'wkt_esri']) {
        const wkt = outputOf('gdalsrsinfo', ['-o', form, `EPSG:${code}`])
          .toString()
          .trim()
        expect(safeWkt(wkt)).toBe(wkt)
      }
  })
})

describe('files', () => {
  const stations = join(FIXTURES, 'stations.geojson')
  function shapefile(definition: string): string {
    const dir = mkdtempSync(join(home, 'shape-'))
    outputOf('ogr2ogr', ['-f', 'ESRI Shapefile', join(dir, 'a.shp'), stations])
    writeFileSync(join(dir, 'a.prj'), definition)
    outputOf('sh', ['-c', 'zip -q a.zip a.*'], { cwd: dir })
    return join(dir, 'a.zip')
  }

  test.each(REBUILT.slice(0, 3))('a shapefile with %s is read without them', (_name, definition) => {
    const answer = read(shapefile(definition), 'a.zip')
    expect(answer).toStartWith('read ')
    expect(answer).not.toContain(fifo)
  })
  test.each(REFUSED.slice(0, 4))('a shapefile with %s is refused', (_name, definition) => {
    expect(read(shapefile(definition), 'a.zip')).toStartWith('InputError crs')
  })
  test('a GeoPackage', async () => {
    const path = join(home, 'a.gpkg')
    outputOf('ogr2ogr', ['-f', 'GPKG', path, stations])
    const { Database } = await import('bun:sqlite')
    const database = new Database(path)
    const definition = REBUILT[0]?.[1] as string
    // without an organization's code, so that GDAL reads the definition
    database.run("UPDATE gpkg_spatial_ref_sys SET organization='NONE', organization_coordsys_id=0, definition=?", [
      definition,
    ])
    database.close()
    expect(read(path, 'a.gpkg')).toStartWith('InputError crs')
  })
  test('a FlatGeobuf', () => {
    const [plain, path] = [join(home, 'plain.fgb'), join(home, 'a.fgb')]
    // as long as the definition that replaces it
    const marker = `X${'y'.repeat(120)}`
    const named = `${UTM.replace('"U"', `"${marker}"`)}]`
    outputOf('ogr2ogr', ['-f', 'FlatGeobuf', '-nlt', 'POINT', '-a_srs', named, plain, stations])
    const bytes = readFileSync(plain)
    const at = bytes.indexOf('PROJCRS[')
    const length = bytes.readUInt32LE(at - 4)
    const definition = REBUILT[0]?.[1] as string
    expect(length).toBeGreaterThan(definition.length)
    bytes.write(definition.padEnd(length), at, 'latin1')
    writeFileSync(path, bytes)
    expect(read(path, 'a.fgb')).toStartWith('InputError crs')
  })
  test.each(['+proj=longlat +nadgrids=FIFO', 'GEOGCS[&quot;X&quot;]', 'FIFO'])('a GML with srsName="%s"', (name) => {
    const path = join(home, 'a.gml')
    outputOf('rm', ['-f', path])
    outputOf('ogr2ogr', ['-f', 'GML', path, stations])
    const text = readFileSync(path, 'utf8').replaceAll(/srsName="[^"]*"/g, `srsName="${name.replace('FIFO', fifo)}"`)
    writeFileSync(path, text)
    expect(read(path, 'a.gml')).toStartWith('InputError crs')
  })
  test('a GeoTIFF whose keys hold a definition', () => {
    const path = join(home, 'a.tif')
    const pe = `ESRI PE String = ${REBUILT[0]?.[1]}`
    outputOf('python3', [
      '-c',
      `import struct,sys
text=sys.argv[2].encode()+b'|\\0'
keys=[1,1,0,3, 1024,0,1,1, 1025,0,1,1, 3073,34737,len(text)-1,0]
tags=[(256,3,1,1),(257,3,1,1),(258,3,1,8),(259,3,1,1),(262,3,1,1),(273,4,1,8),(277,3,1,1),(278,3,1,1),(279,4,1,1)]
base=8+2; ifd=10; n=len(tags)+4
after=ifd+2+12*n+4
extra=b''; entries=b''
def ent(tag,typ,count,val): return struct.pack('<HHII',tag,typ,count,val)
for t,ty,c,v in tags: entries+=ent(t,ty,c,v)
def put(tag,typ,count,data):
    global extra,entries
    entries+=ent(tag,typ,count,after+len(extra)); extra+=data+b'\\0'*(len(data)%2)
put(33550,12,3,struct.pack('<3d',1,1,0))
put(33922,12,6,struct.pack('<6d',0,0,0,10,50,0))
put(34735,3,len(keys),struct.pack('<%dH'%len(keys),*keys))
put(34737,2,len(text),text)
open(sys.argv[1],'wb').write(b'II*\\0'+struct.pack('<I',ifd)+b'\\0\\0'+struct.pack('<H',n)+entries+struct.pack('<I',0)+extra)`,
      path,
      pe,
    ])
    expect(read(path, 'a.tif')).toStartWith('InputError crs')
  })
  test('a FIFO shows which definitions are opened', () => {
    const script = `const gdal = (await import('gdal-async')).default
gdal.SpatialReference.fromWKT(process.argv[1])`
    const { status } = runProgram('timeout', [
      '5',
      NODE,
      '--input-type=module',
      '-e',
      script,
      REBUILT[0]?.[1] as string,
    ])
    expect(status).toBe(WAITED)
  })
})
