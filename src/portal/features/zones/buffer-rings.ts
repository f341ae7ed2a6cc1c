/** Outlines at a distance around zones: approximate, for the eye. The server measures on the ellipsoid. */
import { buffer } from '@turf/turf'
import type { Feature, MultiPolygon, Polygon } from 'geojson'

/** Corners of a quarter of a circle. */
const STEPS = 16

export function bufferRings(zones: readonly Feature<Polygon | MultiPolygon>[], metres: number): Feature[] {
  return zones.flatMap(({ geometry }): Feature[] => {
    const around = buffer(geometry, metres, { units: 'meters', steps: STEPS })?.geometry
    if (around === undefined) return []
    const polygons = around.type === 'Polygon' ? [around.coordinates] : around.coordinates
    return polygons.map(([ring = []]) => ({
      type: 'Feature',
      properties: { enabled: true, selected: false, isBuffer: true },
      geometry: { type: 'LineString', coordinates: ring },
    }))
  })
}
