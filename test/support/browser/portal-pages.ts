/**
 * Pages of the portal in Chromium, as people open them. A file calls `portalPages` once; the server and the browser are
 * shared by the process, and each visitor of a test leaves at its end.
 */
import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../../../src/setup/build-portal.ts'
import { createInstance, type Instance } from '../server/instance.ts'
import { sharedInstance } from '../server/shared-instance.ts'
import { accessibilityFaults } from './accessibility.ts'
import { sharedBrowser, type View, visitor } from './browser.ts'
import type { BrowserSession } from './browser-session.ts'

/** Any visitor with a cookie. */
export type Who = { browser: Pick<BrowserSession, 'cookieValue'> }
/** @property enterprise the one that was chosen last on this device */
export type Device = View & { enterprise?: string | undefined }
export type PortalPages = {
  instance: Instance
  /** A device of an account, or of a visitor. */
  as(who: Who | undefined, device?: Device): Promise<BrowserContext>
  /** Opens a page at a path below /portal. An error that the page does not handle fails the test. */
  open(from: BrowserContext | Who | undefined, path: string, device?: Device): Promise<Page>
}

/** Reuse keeps the caches of a context warm, and the hidden page keeps its renderer alive. */
type Idle = { context: BrowserContext; keeper: Page; origin: string }

// modules are loaded anew for each test file
const shared = globalThis as { groundwaveContexts?: Map<string, Idle[]> }
shared.groundwaveContexts ??= new Map()
const idle = shared.groundwaveContexts

/** A new context loads and compiles all scripts again, which takes a second of processor time. */
async function take(origin: string, { language, theme }: View): Promise<Idle> {
  const known = idle.get(`${language} ${origin}`)?.pop()
  if (known !== undefined) {
    await known.context.addCookies([{ name: 'gw_view', value: `${language}.${theme}`, url: `${origin}/portal` }])
    return known
  }
  const context = await visitor(await sharedBrowser(), origin, { language, theme } as View)
  const keeper = await context.newPage()
  await keeper.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await keeper.goto('/portal/nothing')
  return { context, keeper, origin }
}

/** Forgets everything but the caches. */
async function giveBack(one: Idle, language: string): Promise<void> {
  const { context, keeper, origin } = one
  for (const page of context.pages()) if (page !== keeper) await page.close()
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  await context.clearCookies()
  const session = await context.newCDPSession(keeper)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' })
  await session.detach()
  const key = `${language} ${origin}`
  idle.set(key, [...(idle.get(key) ?? []), one])
}

async function discard(origin: string): Promise<void> {
  for (const [key, contexts] of idle)
    if (key.endsWith(` ${origin}`)) {
      idle.delete(key)
      for (const { context } of contexts) await context.close()
    }
}

/** @param env variables for a server of the file's own; without them the process's server is used */
export function portalPages(env?: Record<string, string>): PortalPages {
  let made: Instance | undefined
  const used: [idle: Idle, language: string][] = []
  const views = new WeakMap<BrowserContext, Device>()
  const instance = new Proxy({} as Instance, {
    get: (_, name) => Reflect.get(made ?? {}, name),
    ownKeys: () => Reflect.ownKeys(made ?? {}),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(made ?? {}, name),
  })
  beforeAll(async () => {
    await buildPortal()
    made = env === undefined ? await sharedInstance() : await createInstance(env)
  }, 300_000)
  afterEach(async () => {
    for (const one of used.splice(0)) await giveBack(...one)
  })
  afterAll(async () => {
    if (env !== undefined && made !== undefined) await discard(made.url())
    await made?.remove()
  })

  async function as(who: Who | undefined, device: Device = {}): Promise<BrowserContext> {
    const origin = instance.url()
    const { language = 'en', theme = 'light', enterprise } = device
    const one = await take(origin, { language, theme })
    used.push([one, language])
    views.set(one.context, device)
    if (who !== undefined)
      await one.context.addCookies([{ name: 'groundwave_session', value: who.browser.cookieValue(), url: origin }])
    if (enterprise !== undefined)
      await one.keeper.evaluate(`localStorage.setItem('groundwave.view', '${JSON.stringify({ enterprise })}')`)
    return one.context
  }
  async function open(from: BrowserContext | Who | undefined, path: string, device?: Device): Promise<Page> {
    const context = from !== undefined && 'newPage' in from ? from : await as(from, device)
    const { theme = 'light', width = 1280, height = 800 } = views.get(context) ?? {}
    const page = await context.newPage()
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: theme })
    page.on('pageerror', (error) => {
      throw error
    })
    // a name that is executed as a script throws here
    await page.addInitScript(`globalThis.alert = (text) => { throw new Error('alert: ' + text) }`)
    await page.goto(`/portal${path}`)
    return page
  }
  return { instance, as, open }
}

export const expectAccessible = async (page: Page): Promise<void> => expect(await accessibilityFaults(page)).toEqual([])
export const widthOf = (page: Page): Promise<number> => page.evaluate<number>('document.documentElement.scrollWidth')

/** The cells of each row, as text. */
export async function cellsOf(page: Page, rows: string): Promise<string[][]> {
  const found = await page.locator(rows).all()
  return Promise.all(found.map((row) => row.locator('th, td').allTextContents()))
}
