/** /portal: the web application for persons, enterprises and the operator. It shows only data of the API. */

import { Elysia } from 'elysia'
import type { SessionGate } from '../../access/sessions/session.ts'
import { AppError } from '../../errors.ts'
import { turnOfDocument } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { respond } from '../../http/envelope.ts'
import type { PortalFiles } from './files.ts'
import type { MapTiles } from './map-tiles.ts'
import { appearanceOf, pageOf, pagePolicy, scriptPolicy } from './page.ts'

const HTML = 'text/html; charset=utf-8'
const hidden = { detail: { hide: true } }

/**
 * @param tiles the operator's base map
 * @param sessions provide the display preferences of an account
 */
export function portalSurface(files: PortalFiles, tiles: MapTiles | undefined, sessions: SessionGate) {
  /** Pages are served even without the database, with the display preferences of the last visit. */
  const preferencesOf = (headers: Headers) =>
    sessions(headers).then(
      (session) => session?.preferences,
      () => undefined,
    )

  async function page({ request }: { request: Request }): Promise<Response> {
    const manifest = await files.manifest()
    if (manifest === undefined) throw new AppError('PORTAL_NOT_BUILT')
    const appearance = appearanceOf(request.headers, await preferencesOf(request.headers))
    const response = respond(request, pageOf(manifest, appearance, tiles?.address), HTML)
    response.headers.set('content-security-policy', pagePolicy(tiles?.origin))
    // a new version of the portal, or another language, takes effect with the next load
    response.headers.set('cache-control', 'no-cache')
    response.headers.set('vary', 'Cookie, Accept-Language')
    response.headers.set('referrer-policy', 'same-origin')
    return response
  }

  return new Elysia({ name: 'portal' })
    .get('/', () => new Response(null, { status: 302, headers: { location: '/portal' } }), hidden)
    .get(
      '/portal/assets/:name',
      async ({ request, params }) => {
        const asset = await files.asset(params.name, request.headers.get('accept-encoding') ?? '')
        if (asset === undefined) throw new AppError('NOT_FOUND')
        await turnOfDocument()
        const response = respond(request, asset.file, asset.type)
        if (asset.type.startsWith('text/javascript'))
          response.headers.set('content-security-policy', scriptPolicy(params.name))
        response.headers.set('cache-control', 'public, max-age=31536000, immutable')
        response.headers.set('vary', 'Accept-Encoding')
        if (asset.encoding !== undefined) response.headers.set('content-encoding', asset.encoding)
        return response
      },
      hidden,
    )
    .get(
      '/portal/map.pmtiles',
      ({ request }) => {
        if (tiles === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noBaseMap') })
        return tiles.serve(request)
      },
      hidden,
    )
    .get('/portal', page, hidden)
    .get('/portal/*', page, hidden)
}
