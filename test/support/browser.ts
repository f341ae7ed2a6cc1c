/** Headless Chromium from the system's package, in a profile folder that ends with it. */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { atRunEnd } from './run-end.ts'

/** How long a page may take on a machine under heavy load. Each step of a test has it. */
const PATIENCE_MS = 100_000
const PROGRAM = '/usr/bin/chromium'
/** Without these, Chromium looks for its vendor's hosts at every start. */
const OFFLINE = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic']

/** Draws WebGL on the processor, for pages with a map; without it a page has no WebGL at all. */
export const SOFTWARE_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader']

/** @param without what Playwright adds by default, such as `--hide-scrollbars` */
export async function startBrowser(
  more: readonly string[] = ['--disable-gpu'],
  without: string[] = [],
): Promise<Browser> {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; the set-up of the tests installs Chromium`)
  return chromium.launch({
    executablePath: PROGRAM,
    args: ['--no-sandbox', '--no-first-run', ...OFFLINE, ...more],
    // otherwise it cannot read or write files with Arabic names where the system states no locale
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    ignoreDefaultArgs: without,
  })
}

// modules are loaded anew for each test file
const shared = globalThis as { groundwaveBrowsers?: Map<string, Promise<Browser>> }
shared.groundwaveBrowsers ??= new Map()

/**
 * The Chromium of all test files of a process. Each visitor has a context of its own; the file closes its contexts, and
 * never the browser.
 * @param more arguments; a browser with others is another process
 */
export function sharedBrowser(more?: readonly string[]): Promise<Browser> {
  const browsers = shared.groundwaveBrowsers as Map<string, Promise<Browser>>
  const key = more?.join(' ') ?? ''
  const known = browsers.get(key)
  if (known !== undefined) return known
  const started = startBrowser(more)
  browsers.set(key, started)
  atRunEnd(async () => (await started).close())
  return started
}

export type View = { language?: 'en' | 'ar'; theme?: 'light' | 'dark'; width?: number; height?: number }

/**
 * The longest that an answer is held back, in milliseconds. A test that passes with late answers waits for what it
 * asserts, and a page that passes loses nothing when its data arrives late:
 * `LATE_ANSWERS_MS=1500 bun test --timeout 300000 ./test/portal-sensors.test.ts`
 */
const LATE_ANSWERS_MS = Number(process.env.LATE_ANSWERS_MS ?? 0)
const lateAnswers = `(() => {
  const atOnce = window.fetch.bind(window)
  window.fetch = async (...input) => {
    const answer = await atOnce(...input)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * ${LATE_ANSWERS_MS}))
    return answer
  }
})()`

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
      context.setDefaultTimeout(PATIENCE_MS)
      if (LATE_ANSWERS_MS > 0) await context.addInitScript(lateAnswers)
      await context.addCookies([{ name: 'gw_view', value: `${language}.${theme}`, url: `${address}/portal` }])
      return context
    })
}

export async function pressTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click()
  await page.getByRole('tab', { name, selected: true }).waitFor()
}
