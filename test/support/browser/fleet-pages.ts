/** Pages in Chromium as opened by the operator, who also owns a small fleet, and helpers for pages of runs. */
import { beforeAll } from 'bun:test'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { sharedFolder } from '../run-end.ts'
import type { Instance, Organization } from '../server/instance.ts'
import { type MadeRun, runTools } from '../workers/run-results.ts'
import { type PortalFleet, portalFleet, type SmallFleet, smallFleet } from './portal-fleet.ts'
import { type Device, type PortalPages, portalPages } from './portal-pages.ts'

export type FleetPages<Fleet extends SmallFleet> = PortalPages & {
  fleet: Fleet
  /** The enterprise of the fleet, with a key for every tool. */
  organization: Organization
  tools: ReturnType<typeof runTools>
  /** A folder for files of the test. */
  dir: string
  device(device?: Device): Promise<BrowserContext>
  /** Opens a page as the operator. */
  openOwn(path: string, device?: Device): Promise<Page>
  runPage(run: MadeRun, device?: Device): Promise<Page>
}

function pagesOf<Fleet extends SmallFleet>(
  make: (instance: Instance) => Promise<Fleet>,
  usual: Device,
  env?: Record<string, string>,
): FleetPages<Fleet> {
  const pages = portalPages(env)
  const [fleet, organization] = [{} as Fleet, {} as Organization]
  beforeAll(async () => {
    Object.assign(fleet, await make(pages.instance))
    const { enterpriseId } = fleet
    const keys = await pages.instance.manage<{ id: string; publicKey: string; secretKey: string }>(
      'POST',
      `/enterprises/${enterpriseId}/applications`,
      { name: 'Newest', tools: 'all' },
    )
    Object.assign(organization, { ...keys, id: enterpriseId, applicationId: keys.id })
  }, 300_000)
  const device = (view?: Device): Promise<BrowserContext> =>
    pages.as(fleet.operator, { enterprise: fleet.enterpriseId, ...usual, ...view })
  const openOwn = async (path: string, view?: Device): Promise<Page> => pages.open(await device(view), path)
  return {
    ...pages,
    fleet,
    organization,
    device,
    openOwn,
    dir: sharedFolder('fleet-pages'),
    tools: runTools(() => pages.instance.url(), fleet),
    runPage: (run, view) => openOwn(`/runs/${run.runId}`, view),
  }
}

/**
 * @param usual the default settings of a device
 * @param env variables for a server of the file's own
 */
export const fleetPages = (usual: Device = {}, env?: Record<string, string>): FleetPages<PortalFleet> =>
  pagesOf(portalFleet, usual, env)

/** Like `fleetPages`, for files that need no rules, alerts, dashboards and Tool APIs: half of the work. */
export const smallFleetPages = (usual: Device = {}, env?: Record<string, string>): FleetPages<SmallFleet> =>
  pagesOf(smallFleet, usual, env)

export const shown = async (found: Locator): Promise<string> => (await found.allInnerTexts()).join('\n')
export const textOf = (page: Page): Promise<string> => shown(page.locator('main'))
export const mapOf = (page: Page): Locator => page.locator('.result-features[data-drawn="true"]')
export const rowsOf = (page: Page): Locator => page.locator('.table-body > .table-row')
