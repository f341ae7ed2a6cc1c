/**
 * Which numbers can be coordinates. GEOS multiplies differences of coordinates with each other; where the products
 * overflow, repairing a polygon of a few points may never end. That happens from some 1e100 on, and no coordinate
 * reference system has coordinates of more than 1e9.
 */
const MAX_COORDINATE = 1e30

/** Whether a value is a number that geometries can be computed with. */
export const isCoordinate = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE

export const COORDINATES_RULE = `coordinates must be finite numbers from -${MAX_COORDINATE} to ${MAX_COORDINATE}`
