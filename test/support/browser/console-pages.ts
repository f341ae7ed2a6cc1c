/** Pages of the settings in Chromium, opened by an account with a role. */
import { beforeAll } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Organization } from '../server/instance.ts'
import { type Account, memberAccount } from '../sessions.ts'
import { type PortalPages, portalPages } from './portal-pages.ts'

/** A name with markup, an emoji and an override of the direction. */
export const HOSTILE = '<img src=x onerror=alert(1)> 🚚 \u202egnp.exe'

type People = Record<'owner' | 'admin' | 'member', Account>

/** An enterprise with an account in each role. @param env as `portalPages` takes it */
export function consolePages(
  env?: Record<string, string>,
): PortalPages & { organization: Organization; people: People } {
  const pages = portalPages(env)
  const [organization, people] = [{} as Organization, {} as People]
  beforeAll(async () => {
    Object.assign(organization, await pages.instance.organization('business'))
    for (const role of ['owner', 'admin', 'member'] as const)
      people[role] = await memberAccount(pages.instance, organization.id, role)
  }, 300_000)
  async function open(...where: Parameters<PortalPages['open']>): Promise<Page> {
    const page = await pages.open(...where)
    // leaving the page before the key was saved asks first
    page.on('dialog', (dialog) => void dialog.accept())
    await page.waitForSelector('main h1')
    return page
  }
  return { ...pages, organization, people, open }
}
