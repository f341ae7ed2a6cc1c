/** The operator's base map for the portal: a PMTiles file of this machine, or of another host that the operator names. */

import { stat } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { download } from '../../http/download.ts'

export type MapTiles = {
  /** URL from which the browser reads the tiles. */
  address: string
  /** Origin that the page may load from, besides this server. */
  origin: string | undefined
  /** @throws AppError NOT_FOUND if there is no file */
  serve(request: Request): Promise<Response>
}

const OWN_ADDRESS = '/portal/map.pmtiles'
/** A replaced file has another entity tag, which the browser's reader notices. */
const CACHED_S = 3_600

/** @param setting path or URL. @returns undefined without a base map */
export function openMapTiles(setting: string | undefined): MapTiles | undefined {
  if (setting === undefined) return undefined
  if (/^https?:/i.test(setting)) {
    const { href, origin } = new URL(setting)
    return {
      address: href,
      origin,
      serve: async () => {
        throw new AppError('NOT_FOUND')
      },
    }
  }
  return {
    address: OWN_ADDRESS,
    origin: undefined,
    async serve(request) {
      const found = await stat(setting).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') throw new AppError('NOT_FOUND', { message: fieldText('mapFileMissing') })
        throw error
      })
      const response = await download(request, {
        key: `${found.size}-${Math.round(found.mtimeMs)}`,
        filename: 'map.pmtiles',
        mediaType: 'application/vnd.pmtiles',
        bytes: found.size,
        crs: null,
        content: Bun.file(setting),
      })
      response.headers.set('cache-control', `public, max-age=${CACHED_S}`)
      return response
    },
  }
}
