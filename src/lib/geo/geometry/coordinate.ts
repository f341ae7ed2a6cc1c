import { fieldText } from '../../../field-texts/field-text.ts'

/**
 * Valid range of coordinates. GEOS multiplies differences of coordinates; if the products overflow, repairing a polygon
 * of a few points may never terminate. That happens from about 1e100 on, and no coordinate reference system has
 * coordinates above 1e9.
 */
const MAX_COORDINATE = 1e30

/** Whether a value is a number in the valid range. */
export const isCoordinate = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE

export const COORDINATES_RULE = fieldText('coordinates', { least: -MAX_COORDINATE, most: MAX_COORDINATE })
