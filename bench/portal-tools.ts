/**
 * What a person waits for on the pages of tools, in headless Chromium without a GPU: the form of a tool after a click in
 * the catalogue, and a result of many features on the map. `bun run bench:portal-tools [features] [rounds]`
 */
import type { Page } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { SOFTWARE_WEBGL, startBrowser, visitor } from '../test/support/browser.ts'
import { createInstance } from '../test/support/instance.ts'
import { portalFleet } from '../test/support/portal-fleet.ts'
import { runTools, squares } from '../test/support/run-results.ts'
import { load, ms, quantile, say } from './tool-harness.ts'

const FEATURES = Number(process.argv[2] ?? 100_000)
const ROUNDS = Number(process.argv[3] ?? 5)
const TOOLS = [
  ...['vector.buffer', 'vector.clip', 'raster.zonal-stats', 'document.merge-pdf', 'image.convert-format'],
  ...['convert.convert-coordinates', 'document.fill-pdf', 'document.ocr'],
]

function report(name: string, times: readonly number[], before: string): void {
  const [p50, longest] = [quantile(times, 0.5), quantile(times, 1)]
  say(`| ${name} | ${times.length} | ${ms(times[0] as number)} | ${ms(p50)} | ${ms(longest)} | ${before} |`)
}

/** From the click until the form can be filled in; measured in the page, so that the driver's own time does not count. */
async function formTime(page: Page, tool: string): Promise<number> {
  await page.goto('/portal/tools')
  const link = page.locator(`a[href$="/portal/tools/${tool}"]`).first()
  await link.scrollIntoViewIfNeeded()
  await link.hover()
  await page.evaluate(() => {
    const scope = globalThis as unknown as {
      document: { addEventListener(type: string, call: () => void, capture: boolean): void }
      clickedAt: number
    }
    scope.document.addEventListener(
      'click',
      () => {
        scope.clickedAt = performance.now()
      },
      true,
    )
  })
  await link.click()
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const scope = globalThis as unknown as {
          document: { querySelector(text: string): unknown }
          clickedAt: number
          requestAnimationFrame(call: () => void): void
        }
        const look = (): void => {
          if (scope.document.querySelector('.tool-form input, .tool-form select, .tool-form textarea') === null)
            scope.requestAnimationFrame(look)
          else resolve(performance.now() - scope.clickedAt)
        }
        look()
      }),
  )
}

await buildPortal()
const instance = await createInstance()
const browser = await startBrowser(SOFTWARE_WEBGL)
try {
  const fleet = await portalFleet(instance)
  const open = async (): Promise<Page> => {
    const context = await visitor(browser, instance.url(), { width: 1440, height: 1000 })
    await context.addCookies([fleet.cookie])
    return context.newPage()
  }
  say('| what | times | first ms | p50 ms | longest ms | load before |')
  say('|---|--:|--:|--:|--:|--:|')
  const page = await open()
  const before = load()
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) for (const tool of TOOLS) times.push(await formTime(page, tool))
  report('form of a tool, from the click in the catalogue', times, before)

  const file = { name: 'plots.geojson', content: squares(FEATURES) }
  const run = await runTools(instance.url, fleet).run('/validate-convert', { file, target_format: 'geojson' })
  const drawn: number[] = []
  const loadBefore = load()
  for (let round = 0; round < ROUNDS; round++) {
    const fresh = await open()
    const startedMs = performance.now()
    await fresh.goto(`/portal/runs/${run.runId}`, { waitUntil: 'commit' })
    await fresh.locator('.result-features[data-drawn="true"]').waitFor({ timeout: 120_000 })
    drawn.push(performance.now() - startedMs)
    await fresh.context().close()
  }
  report(`result of ${FEATURES.toLocaleString('en')} features, from its address to the map`, drawn, loadBefore)
} finally {
  await browser.close()
  await instance.remove()
}
