/**
 * `bun run portal:shots [path…]`: a picture of every page in both languages, both themes and three widths, in the
 * ignored folder dist/shots, to be looked at. Starts a server with a small fleet for it.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SingleBar } from 'cli-progress'
import type { BrowserContext } from 'playwright-core'
import { buildPortal, ROOT } from '../src/setup/build-portal.ts'
import { startBrowser, visitor } from './support/browser.ts'
import { createInstance } from './support/instance.ts'
import { portalFleet } from './support/portal-fleet.ts'

const WIDTHS = { phone: 390, tablet: 820, desktop: 1440 }
const SETTLE_MS = 700

// a computed path: the types of the browser's code are checked in a project of their own
const { ROUTES } = (await import(join(ROOT, 'src/portal/routes.ts'))) as { ROUTES: { path: string; isPublic?: true }[] }
await buildPortal()
const instance = await createInstance()
const browser = await startBrowser()
try {
  const fleet = await portalFleet(instance)
  const wanted = process.argv.slice(2)
  const addresses = ROUTES.flatMap(({ path, isPublic = false }) => {
    const address = fleet.addressOf(path)
    const isWanted = wanted.length === 0 || wanted.includes(path)
    return address !== undefined && isWanted ? [{ address, isPublic }] : []
  })
  const out = join(ROOT, 'dist/shots')
  mkdirSync(out, { recursive: true })
  const bar = new SingleBar({ format: '[{bar}] {value}/{total} pictures | {name}' })
  bar.start(addresses.length * 2 * 2 * 3, 0, { name: '' })
  for (const language of ['en', 'ar'] as const)
    for (const theme of ['light', 'dark'] as const)
      for (const [device, width] of Object.entries(WIDTHS)) {
        const view = { language, theme, width, height: 900 }
        const contexts = [await visitor(browser, instance.url(), view), await visitor(browser, instance.url(), view)]
        const [signedIn, signedOut] = contexts as [BrowserContext, BrowserContext]
        await signedIn.addCookies([fleet.cookie])
        const pages = { signedIn: await signedIn.newPage(), signedOut: await signedOut.newPage() }
        for (const { address, isPublic } of addresses) {
          const page = isPublic ? pages.signedOut : pages.signedIn
          const name = `${address.slice(1).replaceAll(/[^\w-]+/g, '_') || 'overview'}-${language}-${theme}-${device}.png`
          await page.goto(`/portal${address}`)
          await page.waitForTimeout(SETTLE_MS)
          await page.screenshot({ path: join(out, name) })
          bar.increment(1, { name })
        }
        await Promise.all(contexts.map((context) => context.close()))
      }
  bar.stop()
} finally {
  await browser.close()
  await instance.remove()
}
