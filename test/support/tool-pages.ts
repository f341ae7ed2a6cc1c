/** Pages of tools in Chromium, as an administrator opens them, and what a person does there. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { buildPortal } from '../../src/setup/build-portal.ts'
import { startBrowser, type View, visitor } from './browser.ts'
import { createInstance, type Instance, type Organization } from './instance.ts'
import { type PortalFleet, portalFleet } from './portal-fleet.ts'
import { FIXTURES } from './tools.ts'

export type ToolPages = {
  instance: Instance
  fleet: PortalFleet
  /** The enterprise of the fleet, with a key for every tool. */
  organization: Organization
  browser: Browser
  /** A folder for files of the test. */
  dir: string
  open(address: string, view?: View): Promise<Page>
  remove(): Promise<void>
}

export async function toolPages(): Promise<ToolPages> {
  await buildPortal()
  const instance = await createInstance()
  const fleet = await portalFleet(instance)
  const keys = await instance.manage<{ id: string; publicKey: string; secretKey: string }>(
    'POST',
    `/enterprises/${fleet.enterpriseId}/applications`,
    { name: 'Newest', tools: 'all' },
  )
  const browser = await startBrowser()
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-tool-pages-'))
  return {
    ...{ instance, fleet, browser, dir },
    organization: { ...keys, id: fleet.enterpriseId, applicationId: keys.id },
    async open(address, view = {}) {
      const context = await visitor(browser, instance.url(), view)
      await context.addCookies([fleet.cookie])
      const page = await context.newPage()
      await page.goto(`/portal${address}`)
      return page
    },
    async remove() {
      await browser.close()
      await instance.remove()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export type RunRecord = {
  runId: string
  status: string
  processID: string
  settings: object
  creditsCharged: number
}

export const fieldOf = (page: Page, name: string): Locator => page.locator(`[data-field="${name}"]`)
export const runButton = (page: Page): Locator => page.locator('.run-bar button[type=submit]')

export const focusedField = (page: Page): Promise<string | undefined> =>
  page.evaluate('document.activeElement.closest("[data-field]")?.dataset.field')

/** Drops files as a file manager does. */
export async function drop(
  target: Locator,
  ...files: { name: string; content: string; type?: string }[]
): Promise<void> {
  const data = await target.page().evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    for (const { name, content, type } of ${JSON.stringify(files)})
      transfer.items.add(new File([content], name, { type }))
    return transfer
  })()`)
  await target.dispatchEvent('drop', { dataTransfer: data })
}

export type Answer = { code: string; data: Record<string, unknown> & { key: string; usage: { runId: string } } }

/** Presses the button and waits for the tool's answer. */
export async function run(page: Page, route: string): Promise<Answer> {
  const answer = page.waitForResponse((response) => response.url().endsWith(`/enterprise/v1/gis${route}`))
  await runButton(page).click()
  return (await (await answer).json()) as Answer
}

export const stations = readFileSync(join(FIXTURES, 'stations.geojson'), 'utf8')
