/** A server, a browser and an enterprise with an administrator, for pages of Tool APIs. */
import type { BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../../src/setup/build-portal.ts'
import { SOFTWARE_WEBGL, startBrowser, type View, visitor } from './browser.ts'
import { createInstance, type Instance } from './instance.ts'
import { type Account, cookieOf, memberAccount } from './sessions.ts'

export type ToolApiPages = {
  instance: Instance
  owner: string
  admin: Account
  signedIn(account: Account, view?: View): Promise<BrowserContext>
  /** @returns the page, and the errors and questions that nothing handled */
  open(context: BrowserContext, path: string): Promise<{ page: Page; errors: string[] }>
  remove(): Promise<void>
}

export async function toolApiPages(): Promise<ToolApiPages> {
  await buildPortal()
  const instance = await createInstance({ TOOL_API_CALLS_PER_MINUTE: '100000' })
  const { id: owner } = await instance.manage<{ id: string }>('POST', '/enterprises', {
    ...{ name: 'Harbour', tier: 'business' },
  })
  const admin = await memberAccount(instance, owner, 'admin')
  const browser = await startBrowser(SOFTWARE_WEBGL)
  return {
    ...{ instance, owner, admin },
    async signedIn(account, view = {}) {
      const context = await visitor(browser, instance.url(), view)
      const [name = '', value = ''] = cookieOf(account).split('=')
      await context.addCookies([{ name, value, url: instance.url() }])
      return context
    },
    async open(context, path) {
      const page = await context.newPage()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('dialog', (dialog) => {
        errors.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      await page.goto(`/portal${path}`)
      return { page, errors }
    },
    async remove() {
      await browser.close()
      await instance.remove()
    },
  }
}

/** What a command prints, run as if it had been pasted into a terminal. */
export const shellOutput = (command: string): Promise<string> =>
  new Response(Bun.spawn(['bash', '-c', command], { stdout: 'pipe', stderr: 'inherit' }).stdout).text()
