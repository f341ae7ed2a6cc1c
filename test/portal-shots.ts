/**
 * `bun run portal:shots [path…] [view…]`: a picture of every page in both languages, both themes and three widths, in the
 * ignored folder dist/shots, to be looked at. A path is one of src/portal/routes.ts, a view is like `ar-dark-desktop`.
 * Starts a server with a small fleet for it.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SingleBar } from 'cli-progress'
import type { BrowserContext, Page } from 'playwright-core'
import { buildPortal, ROOT } from '../src/setup/build-portal.ts'
import { SOFTWARE_WEBGL, startBrowser, visitor } from './support/browser/browser.ts'
import { portalFleet } from './support/browser/portal-fleet.ts'
import { createInstance } from './support/server/instance.ts'
import { shownRuns } from './support/workers/run-results.ts'

const WIDTHS = { phone: 390, tablet: 768, desktop: 1440 }
/** Parts of a page that have a separate address. */
const PARTS: Record<string, string[]> = {
  '/alerts': ['', '?tab=history', '?tab=silences'],
  '/sensors': ['', '?columns=state,name,asset,c.temperature,c.humidity,lastAt&sort=temperature&where=temperature>10'],
  '/sensors/:id': ['', '?tab=alerts', '?tab=refused', '?tab=readings', '?tab=upload', '?tab=settings'],
  '/sensors/new': ['', '?from=csv'],
  '/sensors/connect': ['', '?by=http', '?by=mqtt', '?by=telegraf'],
  '/zones': ['', '?tab=events'],
  '/rules/:id': ['', '?tab=settings'],
  '/settings/destinations/:id': ['', '?tab=settings'],
  '/settings/fleet-keys/:id': ['', '?tab=refused', '?tab=settings'],
  '/zones/:id': ['', '?tab=events'],
}
const SETTLE_MS = 700
const PATIENCE_MS = 10_000
const ASK_MS = 100

/** Waits until loading has ended. A map is drawn on the processor here, which takes longer. */
async function settled(page: Page): Promise<void> {
  // evaluated from here: the page's security policy forbids the expressions that Playwright would evaluate in it
  const isLoading = page.locator('.skeleton, .map[data-ready="false"]')
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs && (await isLoading.count()) > 0; )
    await page.waitForTimeout(ASK_MS)
  const isMap = (await page.locator('.map-canvas').count()) > 0
  await page.waitForTimeout(isMap ? 4 * SETTLE_MS : SETTLE_MS)
}

// a computed path: the browser's code is type-checked in a separate project
const { ROUTES } = (await import(join(ROOT, 'src/portal/routes.ts'))) as { ROUTES: { path: string; isPublic?: true }[] }
await buildPortal()
const instance = await createInstance()
const browser = await startBrowser(SOFTWARE_WEBGL)
try {
  const fleet = await portalFleet(instance)
  const asked = process.argv.slice(2)
  const wanted = asked.filter((word) => word.startsWith('/'))
  const views = asked.filter((word) => !word.startsWith('/'))
  const runs = await shownRuns(instance.url, fleet)
  const addresses = ROUTES.flatMap(({ path, isPublic = false }) => {
    const address = fleet.addressOf(path)
    const isWanted = wanted.length === 0 || wanted.includes(path)
    const parts = PARTS[path] ?? ['']
    const shown = path === '/runs/:id' ? runs : address === undefined ? [] : parts.map((part) => address + part)
    return isWanted ? shown.map((one) => ({ address: one, isPublic })) : []
  })
  const out = join(ROOT, 'dist/shots')
  mkdirSync(out, { recursive: true })
  const bar = new SingleBar({ format: '[{bar}] {value}/{total} pictures | {name}' })
  bar.start(addresses.length * (views.length || 2 * 2 * 3), 0, { name: '' })
  for (const language of ['en', 'ar'] as const)
    for (const theme of ['light', 'dark'] as const)
      for (const [device, width] of Object.entries(WIDTHS)) {
        if (views.length > 0 && !views.includes(`${language}-${theme}-${device}`)) continue
        const view = { language, theme, width, height: 900 }
        const contexts = [await visitor(browser, instance.url(), view), await visitor(browser, instance.url(), view)]
        const [signedIn, signedOut] = contexts as [BrowserContext, BrowserContext]
        await signedIn.addCookies([fleet.cookie])
        const pages = { signedIn: await signedIn.newPage(), signedOut: await signedOut.newPage() }
        for (const { address, isPublic } of addresses) {
          const page = isPublic ? pages.signedOut : pages.signedIn
          const name = `${address.slice(1).replaceAll(/[^\w-]+/g, '_') || 'overview'}-${language}-${theme}-${device}.png`
          await page.goto(`/portal${address}`)
          await settled(page)
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
