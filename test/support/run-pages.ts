/** Pages of runs in Chromium, on a server with tools. */
import type { Browser, Locator, Page } from 'playwright-core'
import { buildPortal } from '../../src/setup/build-portal.ts'
import { SOFTWARE_WEBGL, startBrowser, type View, visitor } from './browser.ts'
import { createInstance, type Instance } from './instance.ts'
import { type PortalFleet, portalFleet } from './portal-fleet.ts'
import { type MadeRun, runTools } from './run-results.ts'

export type RunPages = {
  instance: Instance
  fleet: PortalFleet
  browser: Browser
  tools: ReturnType<typeof runTools>
  /** @param address below /portal */
  open(address: string, view?: View): Promise<Page>
  runPage(run: MadeRun, view?: View): Promise<Page>
  remove(): Promise<void>
}

export async function runPages(): Promise<RunPages> {
  await buildPortal()
  const instance = await createInstance()
  const fleet = await portalFleet(instance)
  const browser = await startBrowser(SOFTWARE_WEBGL)
  async function open(address: string, view: View = {}): Promise<Page> {
    const context = await visitor(browser, instance.url(), { width: 1440, height: 1000, ...view })
    await context.addCookies([fleet.cookie])
    const page = await context.newPage()
    await page.goto(`/portal${address}`)
    return page
  }
  return {
    ...{ instance, fleet, browser, open, tools: runTools(instance.url, fleet) },
    runPage: (run, view) => open(`/runs/${run.runId}`, view),
    async remove() {
      await browser.close()
      await instance.remove()
    },
  }
}

export const shown = async (found: Locator): Promise<string> => (await found.allInnerTexts()).join('\n')
export const textOf = (page: Page): Promise<string> => shown(page.locator('main'))
export const mapOf = (page: Page): Locator => page.locator('.result-features[data-drawn="true"]')
export const rowsOf = (page: Page): Locator => page.locator('.table-body > .table-row')
