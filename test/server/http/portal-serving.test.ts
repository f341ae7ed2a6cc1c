/** The page of the portal and its files: caching, compression, policy, language. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { buildPortal, DIST } from '../../../src/setup/build-portal.ts'
import { createInstance, type Instance } from '../../support/server/instance.ts'

let instance: Instance
beforeAll(async () => {
  await buildPortal()
  instance = await createInstance()
}, 300_000)
afterAll(() => instance.remove())

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(instance.url() + path, { headers, redirect: 'manual', decompress: false })

const addressesIn = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url as string)
const page = async (headers: Record<string, string> = {}): Promise<string> => (await get('/portal', headers)).text()

test('the root redirects to the portal, and every address below it gets the page', async () => {
  const root = await get('/')
  expect([root.status, root.headers.get('location')]).toEqual([302, '/portal'])
  for (const path of ['/portal', '/portal/', '/portal/sensors/sen_1?range=1h', '/portal/a%20b/%D8%A9']) {
    const response = await get(path)
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      200,
      'text/html; charset=utf-8',
    ])
    expect(response.headers.get('cache-control')).toBe('no-cache')
  }
})

test('the page has no inline script, and loads nothing from another host', async () => {
  const response = await get('/portal')
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toMatch(/script-src 'self'(;|$)/)
  expect(policy).toContain("frame-ancestors 'none'")
  const html = await response.text()
  expect([...html.matchAll(/<script[^>]*>([^<]*)<\/script>/g)].map(([, code]) => code)).toEqual([''])
  const addresses = addressesIn(html)
  expect(addresses.length).toBeGreaterThan(4)
  for (const address of addresses) expect(address).toMatch(/^(\/portal\/assets\/[\w.-]+$|data:image\/svg\+xml,)/)
})

test('files are cached for good, and the compressed copies have the same content', async () => {
  const names = addressesIn(await page()).filter((address) => address.startsWith('/portal/assets/'))
  for (const name of names) {
    const plain = await get(name, { 'accept-encoding': 'identity' })
    expect([name, plain.status, plain.headers.get('content-encoding')]).toEqual([name, 200, null])
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const bytes = Buffer.from(await plain.arrayBuffer())
    expect(bytes.length).toBeGreaterThan(0)
    // small files are not worth compressing
    const isText = /\.(js|css)$/.test(name) && bytes.length >= 512
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const packed = await get(name, { 'accept-encoding': encoding })
      expect(packed.headers.get('content-encoding')).toBe(isText ? encoding : null)
      const content = Buffer.from(await packed.arrayBuffer())
      expect((isText ? unpack(content) : content).equals(bytes)).toBe(true)
      expect(packed.headers.get('vary')).toBe('Accept-Encoding')
    }
  }
})

test('only the worker that reads PDFs may run WebAssembly, and none may run text', async () => {
  const scripts = (await readdir(join(DIST, 'assets'))).filter((name) => /\.m?js$/.test(name))
  const allowing: string[] = []
  for (const name of scripts) {
    const policy = (await get(`/portal/assets/${name}`)).headers.get('content-security-policy') ?? ''
    expect([name, policy.startsWith("default-src 'none'; connect-src 'self'")]).toEqual([name, true])
    expect([name, policy.includes("'unsafe-eval'")]).toEqual([name, false])
    if (policy.includes('wasm-unsafe-eval')) allowing.push(name.replace(/-[^-]+$/, ''))
  }
  expect(allowing).toEqual(['pdf-worker'])
  expect((await get('/portal')).headers.get('content-security-policy')).not.toContain('eval')
})

test('only names of the build are served', async () => {
  for (const name of ['none.js', '..%2Fportal.json', '..%2F..%2Fpackage.json', 'portal.json', '%2Fetc%2Fpasswd'])
    expect([name, (await get(`/portal/assets/${name}`)).status]).toEqual([name, 404])
})

test('language and theme follow the cookie, then the languages of the browser', async () => {
  const head = async (headers: Record<string, string>): Promise<string | undefined> =>
    (await page(headers)).match(/<html[^>]*>/)?.[0]
  expect(await head({})).toBe('<html lang="en" dir="ltr" data-theme="auto">')
  expect(await head({ 'accept-language': 'fr-FR, ar;q=0.8, en;q=0.5' })).toContain('lang="ar" dir="rtl"')
  expect(await head({ 'accept-language': 'ar', cookie: 'a=b; gw_view=en.dark' })).toBe(
    '<html lang="en" dir="ltr" data-theme="dark">',
  )
  expect(await head({ cookie: 'gw_view="><script>.dark' })).toBe('<html lang="en" dir="ltr" data-theme="auto">')
})

test('the first page needs at most 90 kB of compressed script', async () => {
  const scripts = addressesIn(await page()).filter((address) => address.endsWith('.js'))
  const pages = [
    ...(await (await fetch(`${instance.url()}${scripts.find((name) => name.includes('/main-'))}`)).text()).matchAll(
      /part-(?:overview|sign-in)-\w+\.js/g,
    ),
  ]
  const names = [...new Set([...scripts, ...pages.map(([name]) => `/portal/assets/${name}`)])]
  let bytes = 0
  for (const name of names) bytes += (await (await get(name, { 'accept-encoding': 'br' })).arrayBuffer()).byteLength
  expect(bytes).toBeLessThanOrEqual(90_000)
})
