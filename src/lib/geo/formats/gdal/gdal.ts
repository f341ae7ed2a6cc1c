/**
 * Loads GDAL on first use and restricts it: files are opened only with the drivers that match their content, and GDAL
 * neither uses the network nor reads other files that the opened file refers to. Runs in Node only.
 */

import type * as Gdal from 'gdal-async'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError } from '../../../input-error.ts'
import { type Crs, WGS84 } from '../../layers/layer.ts'
import { safeWkt } from '../../projection/safe-crs.ts'
import { newReference } from '../../projection/spatial-reference.ts'

export type GdalModule = typeof Gdal

const SETTINGS: Record<string, string> = {
  // never resolve the schemas and linked features that a GML names
  GML_SKIP_RESOLVE_ELEMS: 'ALL',
  GML_DOWNLOAD_SCHEMA: 'NO',
  // gml-schema.ts finds the types of columns
  GML_FIELDTYPES: 'ALWAYS_STRING',
  GML_SAVE_RESOLVED_TO: '',
  // anything that still tries the network gets a refused connection
  GDAL_HTTP_PROXY: 'http://127.0.0.1:9',
  GDAL_HTTP_TIMEOUT: '1',
  PROJ_NETWORK: 'OFF',
  SHAPE_RESTORE_SHX: 'YES',
  GDAL_CACHEMAX: '128',
  // do not read or write .aux.xml files beside a raster
  GDAL_PAM_ENABLED: 'NO',
  // output files are discarded after a crash, so durability is not needed
  OGR_SQLITE_SYNCHRONOUS: 'OFF',
  OGR_SQLITE_JOURNAL: 'OFF',
  OSR_DEFAULT_AXIS_MAPPING_STRATEGY: 'TRADITIONAL_GIS_ORDER',
}

/** GDAL's binding is not installed, or it does not load. */
export class GdalMissing extends Error {}

let loading: Promise<GdalModule> | undefined

/** @throws GdalMissing */
export function loadGdal(): Promise<GdalModule> {
  loading ??= import('gdal-async').then(
    (loaded) => {
      const gdal = loaded.default as GdalModule
      for (const [name, value] of Object.entries(SETTINGS)) gdal.config.set(name, value)
      return gdal
    },
    (cause) => {
      throw new GdalMissing(`GDAL cannot be loaded: ${cause instanceof Error ? cause.message : cause}`, { cause })
    },
  )
  return loading
}

/**
 * Returns the CRS of a GDAL spatial reference; undefined for an empty one.
 * @throws InputError `crs` for a damaged one
 */
export function describeCrs(srs: Gdal.SpatialReference | null): Crs | undefined {
  if (srs === null || srs.isLocal()) return undefined
  const code = codeOf(srs)
  // programs write WGS 84 under many names
  if (code === WGS84.code) return WGS84
  try {
    return { wkt: srs.toWKT(), code, geographic: srs.isGeographic() }
  } catch (cause) {
    throw new InputError('crs', fieldText('crsUnread'), cause)
  }
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
    // not in the EPSG registry; its WKT identifies it
    return undefined
  }
}

const AUTHORITY_CODE = /^(EPSG|ESRI|OGC|IGNF|IAU_2015):([A-Za-z0-9_.]{1,40})$/i

/**
 * The notations of a code: URNs of OGC 07-092r1 and of the drafts before it, URLs of OGC 09-048, the URL of GML 2, and
 * WMS's name for longitude and latitude.
 */
const CODE_FORMS: [form: RegExp, code: string][] = [
  [/^urn:(?:x-)?(?:ogc|opengis):(?:def:)?crs:(\w+)(?::[\w.]*)?:(\w+)$/i, '$1:$2'],
  [/^https?:\/\/(?:www\.)?opengis\.net\/def\/crs\/(\w+)\/[\w.]+\/(\w+)$/i, '$1:$2'],
  [/^https?:\/\/(?:www\.)?opengis\.net\/gml\/srs\/(epsg)\.xml#(\d+)$/i, '$1:$2'],
  [/^CRS(?::84|84)$/i, 'OGC:CRS84'],
  [/^(\d{3,6})$/, 'EPSG:$1'],
]

/**
 * Extracts `EPSG:25833` from a code, a bare number, a URN or an OGC URL; undefined for other text, which could be a
 * file name.
 */
export function crsCodeIn(text: string): string | undefined {
  const code = CODE_FORMS.reduce((found, [form, written]) => found.replace(form, written), text.trim())
  return AUTHORITY_CODE.test(code) ? code.toUpperCase() : undefined
}

/** @param text a code, a bare EPSG number or a URN. @throws Error when it is not a known CRS */
export function parseCrs(gdal: GdalModule, text: string): Crs {
  const code = crsCodeIn(text)
  const known =
    code === undefined ? undefined : describeCrs(newReference(() => gdal.SpatialReference.fromUserInput(code)))
  if (known === undefined) throw new Error('is not a known coordinate reference system')
  return known
}

/** @param text must not refer to files. @returns undefined when it defines no CRS */
export function definedBy(gdal: GdalModule, text: string): Crs | undefined {
  try {
    const crs = describeCrs(newReference(() => gdal.SpatialReference.fromUserInput(text)))
    if (crs === undefined || crs.code !== undefined) return crs
    return { ...crs, wkt: safeWkt(crs.wkt) }
  } catch {
    return undefined
  }
}

export const toSrs = (gdal: GdalModule, crs: Crs): Gdal.SpatialReference =>
  newReference(() =>
    crs.code === undefined ? gdal.SpatialReference.fromWKT(crs.wkt) : gdal.SpatialReference.fromUserInput(crs.code),
  )

/** @throws InputError `crs` when PROJ finds no transformation, as for a damaged CRS */
export function transformationBetween(gdal: GdalModule, from: Crs, to: Crs): Gdal.CoordinateTransformation {
  try {
    return new gdal.CoordinateTransformation(toSrs(gdal, from), toSrs(gdal, to))
  } catch (cause) {
    throw new InputError('crs', fieldText('crsUntransformed'), cause)
  }
}
