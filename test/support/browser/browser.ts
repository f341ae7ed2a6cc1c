/** Chromium's headless shell from the system's package, in a profile folder that ends with it. */
import { existsSync, readFileSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { atRunEnd } from '../run-end.ts'

/** How long a page may take on a machine under heavy load. Each step of a test has it. */
const PATIENCE_MS = 100_000
const PROGRAM = '/usr/bin/chromium-headless-shell'
/** Without these, Chromium looks for its vendor's hosts at every start. */
const OFFLINE = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic']

/**
 * Draws WebGL on the processor, for pages with a map; without it a page has no WebGL at all. Everything but the map is
 * composited without WebGL: otherwise each page load costs twice the processor time.
 */
export const SOFTWARE_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-compositing']

/** @param without arguments that Playwright adds by default, such as `--hide-scrollbars` */
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
const shared = globalThis as { groundwaveBrowser?: Promise<Browser> }

/**
 * The Chromium of all test files of a process, with WebGL. A file closes its contexts, and never the browser. Pages of one
 * address share a process: a new one for each page takes half a second of processor time.
 */
export function sharedBrowser(): Promise<Browser> {
  shared.groundwaveBrowser ??= startBrowser([...SOFTWARE_WEBGL, '--process-per-site']).then((browser) => {
    atRunEnd(() => browser.close())
    return browser
  })
  return shared.groundwaveBrowser
}

export type View = { language?: 'en' | 'ar'; theme?: 'light' | 'dark'; width?: number; height?: number }

/**
 * The longest delay of a response, in milliseconds. A test that passes with late responses waits for the elements that
 * it asserts, and its page loses no input when data arrives late: `LATE_ANSWERS_MS=1500 bun test --timeout 300000
 * ./test/browser/sensors/portal-sensors.test.ts`
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

/** A separate visitor, without the cookies of other visitors. */
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

/** Follows a link to another page of the portal, without loading the portal's code again. */
export const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate(`{
    const link = document.body.appendChild(document.createElement('a'))
    link.href = ${JSON.stringify(`/portal${path}`)}
    link.click()
    link.remove()
  }`)

/** The file that the browser saves when a button is pressed. */
export async function saved(button: Locator): Promise<{ name: string; path: string; bytes: Buffer; text: string }> {
  const [download] = await Promise.all([button.page().waitForEvent('download'), button.click()])
  const path = await download.path()
  const bytes = readFileSync(path)
  return { name: download.suggestedFilename(), path, bytes, text: bytes.toString() }
}

/** The position and size of an element on the page. */
export async function boxOf(found: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await found.boundingBox()
  if (box === null) throw new Error(`${found} has no size`)
  return box
}
