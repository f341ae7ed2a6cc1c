/**
 * GDAL, loaded when first needed and fenced in: every file is opened by the drivers its content calls for, nothing is
 * fetched, nothing resolved beside the file that is opened. Runs in Node only.
 */
import type * as Gdal from 'gdal-async'
import { type Crs, WGS84 } from './layer.ts'

export type GdalModule = typeof Gdal

const SETTINGS: Record<string, string> = {
  // a schema or a linked feature named in a GML is never looked for
  GML_SKIP_RESOLVE_ELEMS: 'ALL',
  GML_DOWNLOAD_SCHEMA: 'NO',
  GML_SAVE_RESOLVED_TO: '',
  // whatever would still want the network finds a closed door
  GDAL_HTTP_PROXY: 'http://127.0.0.1:9',
  GDAL_HTTP_TIMEOUT: '1',
  PROJ_NETWORK: 'OFF',
  SHAPE_RESTORE_SHX: 'YES',
  GDAL_CACHEMAX: '128',
  // nothing is read or written beside a file
  GDAL_PAM_ENABLED: 'NO',
  // what is written here is not yet anybody's
  OGR_SQLITE_SYNCHRONOUS: 'OFF',
  OGR_SQLITE_JOURNAL: 'OFF',
  OSR_DEFAULT_AXIS_MAPPING_STRATEGY: 'TRADITIONAL_GIS_ORDER',
}

let loading: Promise<GdalModule> | undefined

export function loadGdal(): Promise<GdalModule> {
  loading ??= import('gdal-async').then((loaded) => {
    const gdal = loaded.default as GdalModule
    for (const [name, value] of Object.entries(SETTINGS)) gdal.config.set(name, value)
    return gdal
  })
  return loading
}

/** The CRS of a GDAL spatial reference; undefined when it says nothing. */
export function describeCrs(srs: Gdal.SpatialReference | null): Crs | undefined {
  if (srs === null || srs.isLocal()) return undefined
  const code = codeOf(srs)
  // the names that programs write it under are many
  if (code === WGS84.code) return WGS84
  return { wkt: srs.toWKT(), code, geographic: srs.isGeographic() }
}

function codeOf(srs: Gdal.SpatialReference): string | undefined {
  const read = (): string | undefined => {
    const authority = srs.getAuthorityName(null)
    const code = srs.getAuthorityCode(null)
    if (authority === 'OGC' && code === 'CRS84') return WGS84.code
    return authority && code ? `${authority}:${code}` : undefined
  }
  const authorityCode = read()
  if (authorityCode !== undefined) return authorityCode
  try {
    srs.autoIdentifyEPSG()
    return read()
  } catch {
    // a CRS of nobody's list goes by its definition
    return undefined
  }
}

const AUTHORITY_CODE = /^(EPSG|ESRI|OGC|IGNF|IAU_2015):([A-Za-z0-9_.]{1,40})$/i

/** `EPSG:25833` out of that, a bare number or a URN; undefined for anything else, which could name a file. */
export function crsCodeIn(text: string): string | undefined {
  const code = text
    .trim()
    .replace(/^urn:ogc:def:crs:(\w+):[\w.]*:(\w+)$/i, '$1:$2')
    .replace(/^https?:\/\/www\.opengis\.net\/def\/crs\/(\w+)\/[\w.]+\/(\w+)$/i, '$1:$2')
    .replace(/^(\d{3,6})$/, 'EPSG:$1')
  return AUTHORITY_CODE.test(code) ? code.toUpperCase() : undefined
}

/** @param text a code, a bare EPSG number or a URN. @throws Error when nobody knows it */
export function parseCrs(gdal: GdalModule, text: string): Crs {
  const code = crsCodeIn(text)
  const known = code === undefined ? undefined : describeCrs(gdal.SpatialReference.fromUserInput(code))
  if (known === undefined) throw new Error('is no coordinate reference system')
  return known
}

export const toSrs = (gdal: GdalModule, crs: Crs): Gdal.SpatialReference =>
  crs.code === undefined ? gdal.SpatialReference.fromWKT(crs.wkt) : gdal.SpatialReference.fromUserInput(crs.code)

/** Whether this GDAL was built with a driver. */
export function hasDriver(gdal: GdalModule, name: string): boolean {
  try {
    return gdal.drivers.get(name) !== null
  } catch {
    return false
  }
}
