/** Describes a GeoTIFF: its georeferencing, structure, bands and statistics. */

import type * as Gdal from 'gdal-async'
import { newReference } from '../geo/projection/spatial-reference.ts'
import { bandReader } from './band-reader.ts'
import { overviewsOf } from './cog-layout.ts'
import { mapBounds, type OpenRaster, wgs84Bounds } from './open-raster.ts'
import type { BandSummary } from './statistics.ts'

const rounded = (value: number): number => Number(value.toPrecision(12))

/** @param summaries of all bands, in order */
export async function describeRaster(raster: OpenRaster, summaries: readonly BandSummary[]) {
  const { transform, width, height, bandCount, dataset, layout, controlPoints } = raster
  const crs = raster.crs ?? controlPoints?.crs
  const placed = transform ?? controlPoints?.transform
  const [main] = layout.directories
  return {
    crs: crs === undefined ? null : (crs.code ?? crs.wkt),
    width,
    height,
    bandCount,
    resolution:
      transform === undefined
        ? null
        : {
            x: rounded(Math.hypot(transform[1], transform[4])),
            y: rounded(Math.hypot(transform[2], transform[5])),
            unit: crs === undefined ? null : crs.geographic ? 'degree' : unitOf(newReference(() => dataset.srs)),
          },
    bounds: placed === undefined ? null : mapBounds(raster, placed),
    boundsWgs84: (placed && crs && (await wgs84Bounds(raster, crs, placed))) ?? null,
    compression: compressionOf(dataset),
    tiled: main?.tiled ?? false,
    overviewCount: overviewsOf(layout).length,
    bands: summaries.map((summary, i) => describeBand(raster, i + 1, summary)),
  }
}

/** The name that GDAL uses for the compression; `NONE` for none. */
export function compressionOf(dataset: Gdal.Dataset): string {
  const { COMPRESSION } = dataset.getMetadata('IMAGE_STRUCTURE') as { COMPRESSION?: string }
  return COMPRESSION ?? 'NONE'
}

function unitOf(srs: Gdal.SpatialReference | null): string | null {
  try {
    return srs === null ? null : srs.getLinearUnits().units.toLowerCase()
  } catch {
    // the CRS has no linear unit
    return null
  }
}

function describeBand({ dataset, width, height }: OpenRaster, index: number, { statistics }: BandSummary) {
  const { band, dataType, masked } = bandReader(dataset, index)
  const { noDataValue: nodata } = band
  return {
    band: index,
    description: band.description || null,
    dataType,
    colorInterpretation: band.colorInterpretation ?? 'Undefined',
    // JSON cannot represent NaN as a number
    nodata: nodata !== null && Number.isNaN(nodata) ? 'NaN' : nodata,
    masked,
    scale: band.scale ?? 1,
    offset: band.offset ?? 0,
    unit: band.unitType || null,
    colorTable: band.colorTable?.count() ?? null,
    validCount: statistics?.validCount ?? 0,
    validPercent: rounded((100 * (statistics?.validCount ?? 0)) / (width * height)),
    min: statistics?.min ?? null,
    max: statistics?.max ?? null,
    mean: statistics?.mean ?? null,
    stdDev: statistics?.stdDev ?? null,
    histogram: statistics?.histogram ?? null,
  }
}
