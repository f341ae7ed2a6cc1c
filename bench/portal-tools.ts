/**
 * What a person waits for on the pages of tools, in headless Chromium without a GPU: the form of a tool after a click in
 * the catalogue, and a result and a layer of many features. `bun run bench:portal-tools [features] [rounds]`
 */
import type { Page } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { SOFTWARE_WEBGL, startBrowser, visitor } from '../test/support/browser.ts'
import { createInstance } from '../test/support/instance.ts'
import { portalFleet } from '../test/support/portal-fleet.ts'
import { runTools, squares } from '../test/support/run-results.ts'
import { countThreads } from './browser-threads.ts'
import { fromClick, fromNavigation } from './page-clock.ts'
import { load, ms, quantile, say } from './tool-harness.ts'

const FEATURES = Number(process.argv[2] ?? 100_000)
const ROUNDS = Number(process.argv[3] ?? 5)
/** Until a new window of the browser is quiet. */
const WINDOW_MS = 2_000
const TOOLS = [
  ...['vector.buffer', 'vector.clip', 'raster.zonal-stats', 'document.merge-pdf', 'image.convert-format'],
  ...['convert.convert-coordinates', 'document.fill-pdf', 'document.ocr'],
]

/** The busiest threads, in milliseconds of processor time. */
const threadText = (threads: ReturnType<ReturnType<typeof countThreads>>): string =>
  threads
    .filter((thread) => thread.ms >= 50)
    .map((thread) => `${thread.name} ${thread.ms}`)
    .join(', ')

function report(name: string, times: readonly number[], before: string): void {
  const [p50, longest] = [quantile(times, 0.5), quantile(times, 1)]
  say(`| ${name} | ${times.length} | ${ms(times[0] as number)} | ${ms(p50)} | ${ms(longest)} | ${before} |`)
}

/** From the click until the form can be filled in. */
async function formTime(page: Page, tool: string): Promise<number> {
  await page.goto('/portal/tools')
  const link = page.locator(`a[href$="/portal/tools/${tool}"]`).first()
  await link.scrollIntoViewIfNeeded()
  await link.hover()
  return fromClick(page, link, '.tool-form input, .tool-form select, .tool-form textarea')
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

  /** From an address until something is there, with the processor time of the threads in the round of the median. */
  async function opened(name: string, path: string, there: string): Promise<void> {
    const rounds: { time: number; threads: string }[] = []
    const loadBefore = load()
    for (let round = 0; round < ROUNDS; round++) {
      const fresh = await open()
      // a new window makes the browser itself start things
      await Bun.sleep(WINDOW_MS)
      const count = countThreads(process.pid)
      const time = await fromNavigation(fresh, path, there)
      rounds.push({ time, threads: threadText(count()) })
      await fresh.context().close()
    }
    const times = rounds.map(({ time }) => time)
    report(name, times, loadBefore)
    const median = rounds.find(({ time }) => time === quantile(times, 0.5))
    figures.push(`${name}: ${median?.threads}`)
  }
  const figures: string[] = []
  const content = squares(FEATURES)
  const many = FEATURES.toLocaleString('en')
  const { run } = runTools(instance.url, fleet)
  const { runId } = await run('/validate-convert', {
    ...{ file: { name: 'plots.geojson', content }, target_format: 'geojson' },
  })
  const drawn = '.result-features[data-drawn="true"]'
  await opened(`result of ${many} features, from its address to the map`, `/portal/runs/${runId}`, drawn)
  const layer = { name: 'Plots', geojson: JSON.parse(content) as object }
  const { id } = await instance.manage<{ id: string }>('POST', `/owners/${fleet.enterpriseId}/layers`, layer)
  const rows = '.layer-table .table-body .table-row'
  await opened(`layer of ${many} features, from its address to the table`, `/portal/data/layers/${id}`, rows)
  for (const line of figures) say(line)
} finally {
  await browser.close()
  await instance.remove()
}
