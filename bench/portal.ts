/**
 * Waiting times of a person in the portal, in headless Chromium without a GPU: the first page, a list of the whole
 * fleet, a chart of a million readings, and frames of the map while it is panned. Every asset has a position and a day
 * of readings. `bun run bench portal [sensors] [rounds]`
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { buildPortal } from '../src/setup/build-portal.ts'
import { startBrowser, visitor } from '../test/support/browser/browser.ts'
import { type Server, startServer, stopServer } from '../test/support/processes.ts'
import { type Fleet, generate, LIMITS, provisionInBulk } from './support/fleet.ts'
import { fromClick, fromNavigation } from './support/page-clock.ts'
import { untilRolled } from './support/rolled.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'

const SENSORS = Number(process.argv[2] ?? 10_000)
const ROUNDS = Number(process.argv[3] ?? 7)
const DAY_MS = 86_400_000
const CHART_READINGS = 1_000_000
const PANS = 40
const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const dataDir = join(work, 'data')
const logFile = join(work, 'log')

async function fill(server: Server, fleet: Fleet): Promise<void> {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const plan = {
    port: server.port,
    connections: SENSORS > 20_000 ? 64 : 16,
    repeats: 0,
    warmUpSeconds: 0,
    callsPerSecond: 0,
    seed: 7,
  }
  const common = { ...plan, seconds: 3600, envelope: true }
  const readingsPerCall = SENSORS > 20_000 ? 4 : 24
  const intervalMs = DAY_MS / 3 / readingsPerCall
  const all = { sensors: fleet, readingsPerCall, callsPerSensor: 3, intervalMs, firstAtMs: nowMs - DAY_MS }
  await generate({ ...common, ...all }, () => undefined)
  const chart = { sensors: fleet.slice(0, 1), readingsPerCall: 500, callsPerSensor: CHART_READINGS / 500 }
  const firstAtMs = nowMs - DAY_MS - CHART_READINGS * 1000
  await generate({ ...common, ...chart, intervalMs: 1000, firstAtMs, connections: 1 }, () => undefined)
}

/** The first operator signs in through the printed link. */
async function signIn(page: Page): Promise<void> {
  const path = /first operator +https?:\/\/[^/]+(\S+)/.exec(readFileSync(logFile, 'utf8'))?.[1]
  if (path === undefined) throw new Error('the server printed no link for the first operator')
  await page.goto(path)
  await page.getByLabel('E-mail address').fill('operator@example.org')
  await page.getByLabel('Your name').fill('Operator')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.locator('.overview-states').waitFor()
}

async function measure(name: string, once: () => Promise<number>): Promise<void> {
  const before = load()
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(await once())
  say(`| ${name} | ${ms(times[0] as number)} | ${ms(quantile(times, 0.5))} | ${ms(quantile(times, 1))} | ${before} |`)
}

/** The longest time between two frames while the map is dragged, and the median. */
async function panned(page: Page): Promise<{ p50: number; max: number; count: number }> {
  await page.evaluate(() => {
    const scope = globalThis as unknown as { frames: number[]; requestAnimationFrame(call: (at: number) => void): void }
    scope.frames = []
    const note = (at: number): void => {
      scope.frames.push(at)
      scope.requestAnimationFrame(note)
    }
    scope.requestAnimationFrame(note)
  })
  const box = await page.locator('.map canvas').first().boundingBox()
  if (box === null) throw new Error('there is no map')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  for (let i = 0; i < PANS; i++)
    await page.mouse.move(x + 120 * Math.sin(i / 4), y + 80 * Math.cos(i / 3), { steps: 3 })
  await page.mouse.up()
  const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames)
  const gaps = frames.slice(1).map((at, i) => at - (frames[i] as number))
  return { p50: quantile(gaps, 0.5), max: Math.max(...gaps), count: gaps.length }
}

await buildPortal()
const browser = await startBrowser()
try {
  const fleet = await provisionInBulk(dataDir, SENSORS, join(work, 'seed.log'))
  const env = { ...LIMITS, DATA_DIR: dataDir, ASSETS_CALLS_PER_MINUTE: '1000000' }
  const server = await startServer(['src/main.ts'], env, logFile)
  const startedMs = performance.now()
  await fill(server, fleet)
  say(`Filled in ${ms(performance.now() - startedMs)} ms.`)
  if (!(await untilRolled(server.pid))) say('The server was still busy after three minutes.')
  const context = await visitor(browser, server.url, { width: 1440, height: 900 })
  const page = await context.newPage()
  await signIn(page)
  say(`${SENSORS.toLocaleString('en')} sensors; load ${load()}`)
  say('| what | first ms | p50 ms | longest ms | load before |')
  say('|---|--:|--:|--:|--:|')
  await measure('first page with an empty cache, until its figures are shown', async () => {
    const fresh = await visitor(browser, server.url, { width: 1440, height: 900 })
    await fresh.addCookies(await context.cookies())
    const first = await fresh.newPage()
    const time = await fromNavigation(first, '/portal', '.overview-states')
    await fresh.close()
    return time
  })
  await measure('list of all sensors, from the click to rows with values', async () => {
    await page.goto('/portal')
    await page.locator('.overview-states').waitFor()
    return fromClick(page, page.locator('.rail a[href="/portal/sensors"]'), '[role="row"] time')
  })
  const chart = `/portal/sensors/${fleet[0]?.id}`
  await page.goto(`${chart}?range=30d`)
  const drawn = () => page.locator('.chart-panels[aria-busy="false"] canvas').first().waitFor()
  await drawn()
  await measure('chart of 30 days with a million readings, from the click', async () => {
    await page.goto(`${chart}?range=1h`)
    await drawn()
    const step = await page.locator('.chart-panels').getAttribute('data-step')
    const loaded = `.chart-panels[aria-busy="false"]:not([data-step="${step}"])`
    return fromClick(page, page.locator('.range-preset', { hasText: '30 d' }), loaded)
  })
  await measure('map, until the list of assets is filled', async () => {
    const fresh = await context.newPage()
    const time = await fromNavigation(fresh, '/portal/map', '.asset-row')
    await fresh.close()
    return time
  })
  await page.goto('/portal/map')
  await page.locator('.map[data-ready="true"]').waitFor()
  const { p50, max, count } = await panned(page)
  say(`Panning the map: ${count} frames, p50 ${ms(p50)} ms, longest ${ms(max)} ms; load ${load()}`)
  await stopServer(server)
} finally {
  await browser.close()
  rmSync(work, { recursive: true, force: true })
}
