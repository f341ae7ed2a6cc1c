/** A large layer in Chromium: drawn while it arrives, and no longer loaded when its page is left. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { sharedBrowser, visitor } from '../../support/browser/browser.ts'
import { dataPages } from '../../support/browser/portal-data.ts'
import { eventually, until } from '../../support/until.ts'
import { squares } from '../../support/workers/run-results.ts'

const COUNT = 20_000

const { instance, canal } = dataPages()
let layer: string
beforeAll(async () => {
  const body = { name: 'Plots', geojson: JSON.parse(squares(COUNT)) as object }
  layer = (await instance.manage<{ id: string }>('POST', `/owners/${canal.id}/layers`, body)).id
}, 300_000)

/** The server behind a connection that stops after a share of the layer, until it is released. */
function startHeldServer(passedBytes: number) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const seen = { requests: 0, isCancelled: false }
  function held(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    let passed = 0
    return new ReadableStream({
      async pull(controller) {
        if (passed > passedBytes) await released
        const { done, value } = await reader.read()
        if (done) return controller.close()
        passed += value.length
        controller.enqueue(value)
      },
      cancel() {
        seen.isCancelled = true
      },
    })
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 120,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const answer = await fetch(instance.url() + pathname + search, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        redirect: 'manual',
        decompress: false,
      })
      if (!/\/versions\/\d+\/features$/.test(pathname) || answer.body === null) return answer
      seen.requests++
      return new Response(held(answer.body), { headers: answer.headers })
    },
  })
  return { url: server.url.origin, release, seen, stop: () => server.stop(true) }
}

async function openHeld(url: string): Promise<{ page: Page; errors: string[] }> {
  const context = await visitor(await sharedBrowser(), url)
  await context.addCookies([{ name: 'groundwave_session', value: canal.owner.browser.cookieValue(), url }])
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.goto(`/portal/data/layers/${layer}`)
  return { page, errors }
}

/** The variance of the map's pixels: plain land has one colour. */
async function spread(page: Page): Promise<number> {
  const png = await page.locator('.map canvas').first().screenshot()
  const { channels } = await sharp(png).removeAlpha().greyscale().stats()
  return channels[0]?.stdev ?? 0
}

test('features are drawn while a layer arrives, in one request, and the table follows', async () => {
  const held = startHeldServer(1_000_000)
  try {
    const { page, errors } = await openHeld(held.url)
    const progress = page.getByRole('progressbar')
    await eventually(async () => {
      const share = Number(await progress.getAttribute('value'))
      expect(share).toBeGreaterThan(0)
      expect(share).toBeLessThan(1)
    })
    await page.waitForSelector('.map[data-ready="true"]')
    await until(async () => (await spread(page)) > 8, 'the first features on the map')
    expect(await page.locator('.layer-table').count()).toBe(0)
    // an incomplete layer cannot be edited
    expect(await page.locator('.draw-tools').count()).toBe(0)
    held.release()
    await eventually(async () => expect(await page.locator('.table-count').textContent()).toContain('20,000'))
    await page.waitForSelector('.draw-tools')
    expect(held.seen).toEqual({ requests: 1, isCancelled: false })
    expect(errors).toEqual([])
    await page.context().close()
  } finally {
    held.stop()
  }
}, 240_000)

test('loading of a layer stops when its page is left', async () => {
  const held = startHeldServer(500_000)
  try {
    const { page, errors } = await openHeld(held.url)
    await until(() => held.seen.requests === 1, 'the request')
    await page.locator('.rail a[href="/portal/data/files"]').click()
    await until(() => held.seen.isCancelled, 'the end of the transfer')
    expect(errors).toEqual([])
    await page.context().close()
  } finally {
    held.stop()
  }
}, 240_000)
