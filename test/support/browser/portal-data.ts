/** Pages of layers and files in Chromium: an enterprise with an owner, and files that are dropped. */
import { beforeAll } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { type Account, memberAccount } from '../sessions.ts'
import { until } from '../until.ts'
import { boxOf } from './browser.ts'
import { type Device, type PortalPages, portalPages } from './portal-pages.ts'

export type DataPages = PortalPages & {
  /** The enterprise, with its only owner. */
  canal: { id: string; owner: Account }
  /** Opens a page as the owner. */
  openOwn(path: string, device?: Device): Promise<Page>
}

export function dataPages(): DataPages {
  const pages = portalPages()
  const canal = {} as DataPages['canal']
  beforeAll(async () => {
    const { id } = await pages.instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Canal', tier: 'scale' })
    Object.assign(canal, { id, owner: await memberAccount(pages.instance, id, 'owner') })
  }, 300_000)
  return { ...pages, canal, openOwn: (path, device) => pages.open(canal.owner, path, device) }
}

export async function drop(page: Page, target: Locator, name: string, text: string): Promise<void> {
  const file = `new File([${JSON.stringify(text)}], ${JSON.stringify(name)})`
  const transfer = await page.evaluateHandle(
    `(() => { const data = new DataTransfer(); data.items.add(${file}); return data })()`,
  )
  await target.dispatchEvent('drop', { dataTransfer: transfer })
}

/** The pixel position of a place on the map, found with the coordinates that the map shows under the mouse. */
export async function pixelOf(page: Page, [longitude, latitude]: [number, number]): Promise<[x: number, y: number]> {
  const box = await boxOf(page.locator('.map-canvas'))
  const read = async (x: number, y: number): Promise<[number, number]> => {
    await page.mouse.move(x - 1, y)
    await page.mouse.move(x, y)
    const position = page.locator('.map-position')
    await until(async () => ((await position.allTextContents())[0] ?? '') !== '', 'the coordinates under the mouse')
    const text = (await position.textContent()) ?? ''
    const [lat = 0, lon = 0] = (text.match(/-?\d+(\.\d+)?/g) ?? []).map(Number)
    return [lon, lat]
  }
  const [x0, y0, x1, y1] = [
    box.x + box.width * 0.3,
    box.y + box.height * 0.3,
    box.x + box.width * 0.7,
    box.y + box.height * 0.7,
  ]
  const [a, b] = [await read(x0, y0), await read(x1, y1)]
  const x = x0 + ((longitude - a[0]) / (b[0] - a[0])) * (x1 - x0)
  const y = y0 + ((latitude - a[1]) / (b[1] - a[1])) * (y1 - y0)
  // if the map was still moving, it is measured again
  const [lon, lat] = await read(x, y)
  const tolerance = 3 * Math.abs((b[0] - a[0]) / (x1 - x0))
  const isThere = Math.abs(lon - longitude) < tolerance && Math.abs(lat - latitude) < tolerance
  return isThere ? [x, y] : pixelOf(page, [longitude, latitude])
}
