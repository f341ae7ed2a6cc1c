/** Valid positions of a layer: finite coordinates and, in degrees, within range. */
import { inPlace } from '../../../field-texts/bilingual.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'
import { COORDINATES_RULE } from '../geometry/coordinate.ts'
import { type Envelope, envelopeOf, hasOnlyCoordinates } from '../geometry/wkb.ts'
import type { Crs, Layer } from '../layers/layer.ts'

/** Tolerance for ±180 and ±90 written with rounding errors. */
const TOLERANCE = 1e-6
const RADIANS_PER_DEGREE = Math.PI / 180

/** A full turn in the CRS's angular unit, such as degrees or grads. */
function turnOf({ wkt }: Crs): number {
  const unit = Number(/\b(?:ANGLEUNIT|UNIT)\["[^"]*",\s*([\d.eE+-]+)/.exec(wkt)?.[1] ?? RADIANS_PER_DEGREE)
  return Number((360 * (RADIANS_PER_DEGREE / unit)).toPrecision(9))
}

/** @throws InputError `finite`, or `degrees` for a latitude beyond a pole or a longitude beyond a whole turn */
export function requirePositions({ features, crs }: Pick<Layer, 'features' | 'crs'>): void {
  const turn = crs.geographic ? turnOf(crs) : 0
  features.forEach(({ geometry }, i) => {
    if (geometry === null) return
    if (!hasOnlyCoordinates(geometry)) throw new InputError('finite', inPlace({ feature: i }, COORDINATES_RULE))
    if (turn > 0 && !existsIn(turn, envelopeOf(geometry)))
      throw new InputError(
        'degrees',
        inPlace(
          { feature: i },
          fieldText('degreesOfCrs', { west: -turn, east: turn, south: -turn / 4, north: turn / 4 }),
        ),
      )
  })
}

/** @param bounds infinite for an empty geometry */
function existsIn(turn: number, [minX, minY, maxX, maxY]: Envelope): boolean {
  if (minX > maxX) return true
  const [x, y] = [turn + TOLERANCE, turn / 4 + TOLERANCE]
  return minX >= -x && maxX <= x && minY >= -y && maxY <= y
}
