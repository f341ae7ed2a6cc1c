/** Favourites: sensors that a signed-in member marked, for the member alone. */
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import { succeed } from '../../http/envelope.ts'
import { boolean, object, string } from '../../http/openapi/openapi-schemas.ts'
import { addFavourite, removeFavourite } from '../../stores/postgres/sensors/favourites.ts'
import { requireMember } from './favourites.ts'
import type { FleetRoutesDeps } from './fleet-routes.ts'
import { operation } from './operation.ts'

type FavouriteRoutesDeps = Pick<FleetRoutesDeps, 'db' | 'callers' | 'sensorOf'> & { recordBody: BodyLimits }

export function favouriteRoutes({ db, callers, sensorOf, recordBody }: FavouriteRoutesDeps) {
  async function markOf(request: Request, id: string): Promise<{ memberId: string; sensorId: string }> {
    // a sensor of another enterprise does not exist for any caller
    const { sensor } = await sensorOf(request, id)
    return { memberId: requireMember((await callers.of(request)).caller), sensorId: sensor.id }
  }
  const result = object({ id: string, favourite: boolean })
  return new Elysia({ name: 'favourites' })
    .onParse(callers.parse(recordBody))
    .put(
      '/sensors/:id/favourite',
      async ({ request, params }) => {
        const { memberId, sensorId } = await markOf(request, params.id)
        await addFavourite(db, memberId, sensorId)
        return succeed(request, { id: sensorId, favourite: true })
      },
      operation({
        summary: 'Mark a sensor as a favourite',
        description:
          'Marks the sensor for the signed-in member, who may have 1,000 favourites in the enterprise. Only the member sees the mark.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result,
      }),
    )
    .delete(
      '/sensors/:id/favourite',
      async ({ request, params }) => {
        const { memberId, sensorId } = await markOf(request, params.id)
        await removeFavourite(db, memberId, sensorId)
        return succeed(request, { id: sensorId, favourite: false })
      },
      operation({
        summary: 'Remove a sensor from the favourites',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result,
      }),
    )
}
