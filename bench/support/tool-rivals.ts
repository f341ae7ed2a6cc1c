/**
 * The programs that vector tools are compared with: GDAL's command line on the same file, with SpatiaLite's SQL where
 * needed, and PostGIS on indexed tables for joins and overlays of many features.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolData } from './tool-data.ts'

export type Rival =
  /** Command lines from input files to files in an empty folder. */
  | { kind: 'gdal'; command(data: ToolData, out: string): string[][] }
  /** A statement on the tables parcels, others and mask with GiST indexes; its result is stored as a table. */
  | { kind: 'postgis'; select: string }

export type Contest = {
  tool: string
  /** Where one tool is compared on several inputs. */
  on?: string
  route: string
  fields(data: ToolData): Record<string, string>
  files(data: ToolData): Record<string, string | string[]>
  rival: Rival
  /** Replaces `rival` for the largest size, where the command line would take minutes. */
  large?: Rival
}

const layerOf = (path: string): string => path.replace(/^.*\//, '').replace(/\.\w+$/, '')
const ogr = (options: (data: ToolData) => string[], from: keyof ToolData = 'parcels'): Rival => ({
  kind: 'gdal',
  command: (data, out) => [['ogr2ogr', '-f', 'GeoJSON', ...options(data), join(out, 'out.geojson'), data[from]]],
})
const sqlite = (select: (layer: string, data: ToolData) => string, from: keyof ToolData = 'parcels'): Rival =>
  ogr((data) => ['-dialect', 'sqlite', '-sql', select(layerOf(data[from]), data)], from)

const geojson = { target_format: 'geojson' }
const parcels = ({ parcels: file }: ToolData) => ({ file })

export const CONTESTS: Contest[] = [
  {
    tool: 'convert.validate-convert',
    route: '/validate-convert',
    fields: () => geojson,
    files: parcels,
    rival: ogr(() => ['-makevalid']),
  },
  {
    tool: 'convert.transform-crs-csv',
    route: '/transform-crs/csv',
    fields: () => ({ source_crs: 'EPSG:4326', target_crs: 'EPSG:25832' }),
    files: ({ csv }) => ({ file: csv }),
    rival: {
      kind: 'gdal',
      command: ({ csv }, out) => [
        [
          'ogr2ogr',
          '-f',
          'CSV',
          '-lco',
          'GEOMETRY=AS_XY',
          '-oo',
          'X_POSSIBLE_NAMES=lon',
          '-oo',
          'Y_POSSIBLE_NAMES=lat',
          '-s_srs',
          'EPSG:4326',
          '-t_srs',
          'EPSG:25832',
          join(out, 'out.csv'),
          csv,
        ],
      ],
    },
  },
  {
    tool: 'vector.simplify',
    route: '/simplify',
    fields: () => ({ ...geojson, tolerance: '0.001' }),
    files: parcels,
    rival: ogr(() => ['-simplify', '0.001']),
  },
  {
    tool: 'vector.convex-hull',
    route: '/convex-hull',
    fields: () => geojson,
    files: parcels,
    rival: sqlite((layer) => `SELECT ST_ConvexHull(ST_Collect(geometry)) FROM ${layer}`),
  },
  {
    tool: 'vector.centroids',
    route: '/centroids',
    fields: () => geojson,
    files: parcels,
    rival: sqlite((layer) => `SELECT ST_Centroid(geometry) AS geometry, id, name, region, value FROM ${layer}`),
  },
  {
    tool: 'vector.buffer',
    route: '/buffer',
    fields: () => ({ ...geojson, distance_m: '100' }),
    files: parcels,
    rival: sqlite(
      (layer) =>
        `SELECT ST_Transform(ST_Buffer(ST_Transform(geometry, 32632), 100, 24), 4326) AS geometry, id, name, region, value FROM ${layer}`,
    ),
  },
  {
    tool: 'vector.dissolve',
    route: '/dissolve',
    fields: () => ({ ...geojson, by: 'region' }),
    files: parcels,
    rival: sqlite(
      (layer) => `SELECT ST_Union(geometry) AS geometry, region, count(*) AS n FROM ${layer} GROUP BY region`,
    ),
  },
  {
    tool: 'vector.clip',
    route: '/clip',
    fields: () => geojson,
    files: ({ parcels: file, mask }) => ({ file, mask }),
    rival: ogr(({ mask }) => ['-clipsrc', mask]),
  },
  {
    tool: 'vector.erase',
    route: '/erase',
    fields: () => geojson,
    files: ({ parcels: file, mask }) => ({ file, mask }),
    rival: sqlite(
      (layer, { mask }) =>
        `SELECT ST_Difference(geometry, (SELECT geometry FROM '${mask}'.${layerOf(mask)})) AS geometry, id, name, region, value FROM ${layer}`,
    ),
  },
  {
    tool: 'vector.explode',
    route: '/explode',
    fields: () => geojson,
    files: ({ pairs: file }) => ({ file }),
    rival: ogr(() => ['-explodecollections'], 'pairs'),
  },
  { tool: 'vector.repair', route: '/repair', fields: () => geojson, files: parcels, rival: ogr(() => ['-makevalid']) },
  {
    tool: 'vector.validate',
    route: '/validate',
    fields: () => geojson,
    files: parcels,
    rival: sqlite(
      (layer) => `SELECT *, ST_IsValid(geometry) AS is_valid, ST_IsValidReason(geometry) AS reason FROM ${layer}`,
    ),
  },
  {
    tool: 'vector.area-length',
    route: '/area-length',
    fields: () => geojson,
    files: parcels,
    rival: sqlite(
      (layer) => `SELECT *, ST_Area(geometry, 1) AS area_m2, ST_Perimeter(geometry, 1) AS perimeter_m FROM ${layer}`,
    ),
  },
  {
    tool: 'vector.merge',
    route: '/merge',
    fields: () => geojson,
    files: ({ parcels: a, others: b }) => ({ files: [a, b] }),
    rival: {
      kind: 'gdal',
      command: (data, out) => {
        const both = join(out, 'both.gpkg')
        return [
          ['ogr2ogr', '-f', 'GPKG', '-nln', 'both', both, data.parcels],
          ['ogr2ogr', '-f', 'GPKG', '-nln', 'both', '-append', both, data.others],
          ['ogr2ogr', '-f', 'GeoJSON', join(out, 'out.geojson'), both],
        ]
      },
    },
  },
  {
    tool: 'vector.line-to-polygon-file',
    route: '/line-to-polygon/file',
    fields: () => ({}),
    files: ({ lines: file }) => ({ file }),
    rival: sqlite(
      (layer) =>
        `SELECT ST_MakePolygon(ST_AddPoint(geometry, ST_StartPoint(geometry))) AS geometry, ST_Area(ST_MakePolygon(ST_AddPoint(geometry, ST_StartPoint(geometry))), 1) AS area_m2, id, name, region, value FROM ${layer}`,
      'lines',
    ),
  },
  {
    tool: 'vector.concave-hull',
    route: '/concave-hull',
    fields: () => geojson,
    files: parcels,
    rival: sqlite((layer) => `SELECT ST_ConcaveHull(ST_Collect(geometry)) AS geometry FROM ${layer}`),
    large: { kind: 'postgis', select: 'SELECT ST_ConcaveHull(ST_Points(ST_Collect(geom)), 0.3) FROM parcels' },
  },
  {
    tool: 'vector.grid',
    route: '/grid',
    fields: () => ({ ...geojson, cell_size_m: '5000' }),
    files: parcels,
    rival: sqlite((layer) => `SELECT ST_SquareGrid(Extent(geometry), 0.05) AS geometry FROM ${layer}`),
    large: {
      kind: 'postgis',
      select:
        'SELECT (g).* FROM (SELECT ST_SquareGrid(5000, ST_Transform(ST_SetSRID(ST_Extent(geom)::geometry, 4326), 32632)) AS g FROM parcels) AS cells',
    },
  },
  {
    tool: 'vector.intersect',
    route: '/intersect',
    fields: () => geojson,
    files: ({ parcels: file, others: overlay }) => ({ file, overlay }),
    rival: sqlite(
      (layer, { others }) =>
        `SELECT a.id, a.name, b.id AS id_2, b.name AS name_2, ST_Intersection(a.geometry, b.geometry) AS geometry FROM ${layer} a JOIN '${others}'.${layerOf(others)} b ON ST_Intersects(a.geometry, b.geometry)`,
    ),
    large: {
      kind: 'postgis',
      select:
        'SELECT a.id, a.name, b.id AS id_2, b.name AS name_2, ST_Intersection(a.geom, b.geom) AS geom FROM parcels a JOIN others b ON ST_Intersects(a.geom, b.geom)',
    },
  },
  {
    tool: 'vector.union',
    route: '/union',
    fields: () => geojson,
    files: ({ parcels: file, others: overlay }) => ({ file, overlay }),
    rival: sqlite((layer, { others }) => {
      const b = `'${others}'.${layerOf(others)}`
      return `SELECT a.id, b.id AS id_2, ST_Intersection(a.geometry, b.geometry) AS geometry FROM ${layer} a JOIN ${b} b ON ST_Intersects(a.geometry, b.geometry)
        UNION ALL SELECT a.id, NULL, ST_Difference(a.geometry, (SELECT ST_Union(b.geometry) FROM ${b} b WHERE ST_Intersects(a.geometry, b.geometry))) FROM ${layer} a`
    }),
    large: {
      kind: 'postgis',
      select: `SELECT a.id, b.id AS id_2, ST_Intersection(a.geom, b.geom) AS geom FROM parcels a JOIN others b ON ST_Intersects(a.geom, b.geom)
        UNION ALL SELECT a.id, NULL, ST_Difference(a.geom, (SELECT ST_Union(b.geom) FROM others b WHERE ST_Intersects(a.geom, b.geom))) FROM parcels a
        UNION ALL SELECT NULL, b.id, ST_Difference(b.geom, (SELECT ST_Union(a.geom) FROM parcels a WHERE ST_Intersects(a.geom, b.geom))) FROM others b`,
    },
  },
  {
    tool: 'vector.spatial-join',
    route: '/spatial-join',
    fields: () => geojson,
    files: ({ parcels: file, others: second }) => ({ file, join: second }),
    rival: {
      kind: 'gdal',
      // with the R-tree of a GeoPackage; without an index it would compare all pairs
      command: (data, out) => {
        const both = join(out, 'both.gpkg')
        const select =
          'SELECT a.*, b.id AS id_2, b.name AS name_2, b.region AS region_2, b.value AS value_2 FROM a JOIN rtree_b_geom r ON r.maxx >= ST_MinX(a.geom) AND r.minx <= ST_MaxX(a.geom) AND r.maxy >= ST_MinY(a.geom) AND r.miny <= ST_MaxY(a.geom) JOIN b ON b.fid = r.id WHERE ST_Intersects(a.geom, b.geom)'
        return [
          ['ogr2ogr', '-f', 'GPKG', '-nln', 'a', both, data.parcels],
          ['ogr2ogr', '-f', 'GPKG', '-nln', 'b', '-append', both, data.others],
          ['ogr2ogr', '-f', 'GeoJSON', join(out, 'out.geojson'), both, '-sql', select],
        ]
      },
    },
    large: {
      kind: 'postgis',
      select:
        'SELECT a.*, b.id AS id_2, b.name AS name_2, b.region AS region_2, b.value AS value_2 FROM parcels a JOIN others b ON ST_Intersects(a.geom, b.geom)',
    },
  },
  {
    tool: 'vector.inside-check',
    route: '/inside-check',
    fields: () => ({}),
    files: ({ parcels: file, others: reference }) => ({ file, reference }),
    rival: sqlite(
      (layer, { others }) =>
        `SELECT a.id, ST_Area(ST_Intersection(ST_Transform(a.geometry, 3035), ST_Transform(ST_Union(b.geometry), 3035))) / ST_Area(ST_Transform(a.geometry, 3035)) AS share FROM ${layer} a JOIN '${others}'.${layerOf(others)} b ON ST_Intersects(a.geometry, b.geometry) GROUP BY a.id`,
    ),
    large: {
      kind: 'postgis',
      select:
        'SELECT a.id, ST_Area(ST_Intersection(ST_Transform(a.geom, 3035), ST_Transform(ST_Union(b.geom), 3035))) / ST_Area(ST_Transform(a.geom, 3035)) FROM parcels a JOIN others b ON ST_Intersects(a.geom, b.geom) GROUP BY a.id, a.geom',
    },
  },
]

/** Runs commands one after the other. @param out a folder that they write to, emptied before. @returns milliseconds */
export function runCommand(commands: string[][], out: string): number {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out)
  const startedMs = performance.now()
  for (const command of commands) {
    const { exitCode, stderr } = Bun.spawnSync(command, { stdout: 'ignore', stderr: 'pipe' })
    if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
  }
  return performance.now() - startedMs
}

/** Where the other program writes. */
export const outFolder = (dir: string, tool: string): string => join(dir, `rival-${tool}`)
