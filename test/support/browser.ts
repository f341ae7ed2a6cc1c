/** Headless Chromium from the system's package, in a profile folder that ends with it. */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

const PROGRAM = '/usr/bin/chromium'
/** Without these, Chromium looks for its vendor's hosts at every start. */
const OFFLINE = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic']

/** Draws WebGL on the processor, for pages with a map; without it a page has no WebGL at all. */
export const SOFTWARE_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader']

export async function startBrowser(more: readonly string[] = ['--disable-gpu']): Promise<Browser> {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; the set-up of the tests installs Chromium`)
  return chromium.launch({
    executablePath: PROGRAM,
    args: ['--no-sandbox', '--no-first-run', ...OFFLINE, ...more],
  })
}

export type View = { language?: 'en' | 'ar'; theme?: 'light' | 'dark'; width?: number; height?: number }

/** A separate visitor, without the cookies of others. */
export function visitor(browser: Browser, address: string, view: View = {}): Promise<BrowserContext> {
  const { language = 'en', theme = 'light', width = 1280, height = 800 } = view
  return browser
    .newContext({
      baseURL: address,
      viewport: { width, height },
      colorScheme: theme,
      locale: language === 'ar' ? 'ar-EG' : 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
    })
    .then(async (context) => {
      await context.addCookies([{ name: 'gw_view', value: `${language}.${theme}`, url: `${address}/portal` }])
      return context
    })
}
