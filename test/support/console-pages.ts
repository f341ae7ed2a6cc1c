/** Pages of the settings in Chromium, as somebody in a role opens them. */

import { expect } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { accessibilityFaults } from './accessibility.ts'
import { startBrowser, type View, visitor } from './browser.ts'
import { createInstance, type Instance, type Organization } from './instance.ts'
import { type Account, MANY_ACCOUNTS, memberAccount } from './sessions.ts'

/** A name with markup, an emoji and an override of the direction. */
export const HOSTILE = '<img src=x onerror=alert(1)> 🚚 \u202egnp.exe'

export type ConsolePages = {
  instance: Instance
  organization: Organization
  people: Record<'owner' | 'admin' | 'member', Account>
  as(account: Account, view?: View): Promise<BrowserContext>
  remove(): Promise<void>
}

export async function consolePages(): Promise<ConsolePages> {
  const instance = await createInstance({ ...MANY_ACCOUNTS, CALLS_PER_MINUTE: '100000' })
  const organization = await instance.organization('business')
  const people = {
    owner: await memberAccount(instance, organization.id, 'owner'),
    admin: await memberAccount(instance, organization.id, 'admin'),
    member: await memberAccount(instance, organization.id, 'member'),
  }
  const browser: Browser = await startBrowser()
  return {
    ...{ instance, organization, people },
    async as(account, view = {}) {
      const context = await visitor(browser, instance.url(), view)
      await context.addCookies([
        { name: 'groundwave_session', value: account.browser.cookieValue(), url: instance.url() },
      ])
      return context
    },
    async remove() {
      await browser.close()
      await instance.remove()
    },
  }
}

export async function open(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  page.on('dialog', (dialog) => void dialog.accept())
  page.on('pageerror', (error) => {
    throw error
  })
  await page.goto(`/portal${path}`)
  await page.waitForSelector('main h1')
  return page
}

export const expectAccessible = async (page: Page): Promise<void> => expect(await accessibilityFaults(page)).toEqual([])
export const widthOf = (page: Page): Promise<number> => page.evaluate<number>('document.documentElement.scrollWidth')

/** The cells of each row, as text. */
export async function cellsOf(page: Page, rows: string): Promise<string[][]> {
  const found = await page.locator(rows).all()
  return Promise.all(found.map((row) => row.locator('th, td').allTextContents()))
}
