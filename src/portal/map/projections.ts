/** Reference systems by their EPSG codes. A separate chunk: proj4 is large, and few people need it. */
import proj4 from 'proj4'

const ETRS = '+ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs'

/** From the EPSG registry, for the places where readers of this page are likely to work. */
const NATIONAL: Record<number, string> = {
  2154: `+proj=lcc +lat_0=46.5 +lon_0=3 +lat_1=49 +lat_2=44 +x_0=700000 +y_0=6600000 ${ETRS}`,
  2180: `+proj=tmerc +lat_0=0 +lon_0=19 +k=0.9993 +x_0=500000 +y_0=-5300000 ${ETRS}`,
  2193: `+proj=tmerc +lat_0=0 +lon_0=173 +k=0.9996 +x_0=1600000 +y_0=10000000 ${ETRS}`,
  3006: `+proj=utm +zone=33 ${ETRS}`,
  3031: '+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=0 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
  3034: `+proj=lcc +lat_0=52 +lon_0=10 +lat_1=35 +lat_2=65 +x_0=4000000 +y_0=2800000 ${ETRS}`,
  3035: `+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 ${ETRS}`,
  3067: `+proj=utm +zone=35 ${ETRS}`,
  3395: '+proj=merc +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
  3577: `+proj=aea +lat_0=0 +lon_0=132 +lat_1=-18 +lat_2=-36 +x_0=0 +y_0=0 ${ETRS}`,
  3857: '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +no_defs',
  4326: '+proj=longlat +datum=WGS84 +no_defs',
  5070: `+proj=aea +lat_0=23 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +x_0=0 +y_0=0 ${ETRS}`,
  6933: '+proj=cea +lat_ts=30 +lon_0=0 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs',
  22992:
    '+proj=tmerc +lat_0=30 +lon_0=31 +k=1 +x_0=615000 +y_0=810000 +ellps=helmert +towgs84=-130,110,-13,0,0,0,0 +units=m +no_defs',
  27700:
    '+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996012717 +x_0=400000 +y_0=-100000 +ellps=airy +towgs84=446.448,-125.157,542.06,0.15,0.247,0.842,-20.489 +units=m +no_defs',
  28992:
    '+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 +ellps=bessel +towgs84=565.4171,50.3319,465.5524,1.9342,-1.6677,9.1019,4.0725 +units=m +no_defs',
  2056: '+proj=somerc +lat_0=46.9524055555556 +lon_0=7.43958333333333 +k_0=1 +x_0=2600000 +y_0=1200000 +ellps=bessel +towgs84=674.374,15.056,405.346,0,0,0,0 +units=m +no_defs',
}

/** Codes that are offered beside the usual ones. */
export const CODES = Object.keys(NATIONAL).map(Number)

/** UTM zones of WGS 84 and ETRS89 follow a rule. */
export function definitionOf(code: number): string | undefined {
  if (NATIONAL[code] !== undefined) return NATIONAL[code]
  const zone = code % 100
  const isZone = zone >= 1 && zone <= 60
  if (isZone && code - zone === 32_600) return `+proj=utm +zone=${zone} +datum=WGS84 +units=m +no_defs`
  if (isZone && code - zone === 32_700) return `+proj=utm +zone=${zone} +south +datum=WGS84 +units=m +no_defs`
  if (zone >= 28 && zone <= 38 && code - zone === 25_800) return `+proj=utm +zone=${zone} ${ETRS}`
  return undefined
}

/** @returns undefined where the system has no coordinates for a place */
export function project(
  code: number,
  longitude: number,
  latitude: number,
): [x: number, y: number, isGeographic: boolean] | undefined {
  const definition = definitionOf(code)
  if (definition === undefined) return undefined
  const [x = Number.NaN, y = Number.NaN] = proj4(definition, [longitude, latitude])
  return Number.isFinite(x) && Number.isFinite(y) ? [x, y, definition.startsWith('+proj=longlat')] : undefined
}
