/** Uploads from a real browser, through a slow connection, a killed server, a reload and an ended session. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { UploadProgress } from '../../../src/portal/api/upload-meter.ts'
import { sharedBrowser, visitor } from '../../support/browser/browser.ts'
import { ROOT } from '../../support/processes.ts'
import { createInstance, type Instance, type Organization } from '../../support/server/instance.ts'
import { type Account, memberAccount, PASSWORD } from '../../support/sessions.ts'
import { type SlowProxy, startSlowProxy } from '../../support/stores/slow-proxy.ts'
import { until } from '../../support/until.ts'
import { fetchFile } from '../../support/workers/tools.ts'

const MIB = 2 ** 20
const FILE_BYTES = 44 * MIB
const BYTES_PER_MS = 6_000
let home: string
let instance: Instance
let organization: Organization
let anna: Account
let proxy: SlowProxy
let script = ''

/** Globals that the script defines on the page. */
type Uploads = {
  start(bytes: number, seed: number): void
  stop(): void
  signIn(email: string, password: string): Promise<void>
  isExpired(): boolean
  progress: UploadProgress[]
  outcome: { key: string } | { error: string } | undefined
}

/** The module of the portal as a page loads it, and files that are made in the page. */
const PAGE_SCRIPT = `
import { uploadFile } from '${ROOT}/src/portal/api/upload.ts'
import { isExpired, loadSession } from '${ROOT}/src/portal/shell/session.ts'
let stop = new AbortController()
globalThis.uploads = {
  progress: [],
  outcome: undefined,
  start(bytes, seed) {
    const words = new Uint32Array(bytes / 4)
    let state = seed
    for (let at = 0; at < words.length; at++) words[at] = state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const file = new File([words], 'سجلّ 🛰️.bin', { lastModified: seed })
    stop = new AbortController()
    this.outcome = undefined
    uploadFile(file, { signal: stop.signal, onProgress: (progress) => this.progress.push(progress) }).then(
      (stored) => { this.outcome = stored },
      (error) => { this.outcome = { error: error.name + ' ' + (error.code ?? '') + ' ' + error.message } },
    )
  },
  stop: () => stop.abort(),
  async signIn(email, password) {
    const headers = { 'content-type': 'application/json' }
    await fetch('/auth/sign-in', { method: 'POST', headers, body: JSON.stringify({ email, password }) })
    await loadSession()
  },
  isExpired: () => isExpired.value,
}
await loadSession()
globalThis.isReady = true
`

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'groundwave-browser-upload-'))
  instance = await createInstance({ CALLS_PER_MINUTE: '10000' })
  organization = await instance.organization('scale')
  anna = await memberAccount(instance, organization.id, 'member')
  proxy = await startSlowProxy(() => instance.port(), BYTES_PER_MS)
  const entry = join(home, 'entry.ts')
  writeFileSync(entry, PAGE_SCRIPT)
  const built = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm' })
  script = (await built.outputs[0]?.text()) ?? ''
}, 300_000)
afterAll(async () => {
  await proxy.remove()
  await instance.remove()
  rmSync(home, { recursive: true, force: true })
})

const uploadsIn = <T>(page: Page, work: string): Promise<T> => page.evaluate(`globalThis.uploads.${work}`) as Promise<T>
const newest = async (page: Page): Promise<UploadProgress | undefined> =>
  uploadsIn<UploadProgress | undefined>(page, 'progress.at(-1)')
const outcome = (page: Page) => uploadsIn<Uploads['outcome']>(page, 'outcome')

async function load(page: Page): Promise<void> {
  await page.goto('/portal/account')
  // a module with top-level await, run in the page unchanged
  await page.evaluate(`(async () => { ${script} })()`)
  await until(() => page.evaluate<boolean>('globalThis.isReady === true'), 'the module')
}

/** The same texts as on the page. */
function contentOf(bytes: number, seed: number): Uint8Array {
  const words = new Uint32Array(bytes / 4)
  let state = seed
  for (let at = 0; at < words.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    words[at] = state
  }
  return new Uint8Array(words.buffer)
}

test('an upload survives a killed server, a reload and an ended session, and can be stopped', async () => {
  const context = await visitor(await sharedBrowser(), proxy.url)
  await context.addCookies([{ name: 'groundwave_session', value: anna.browser.cookieValue(), url: proxy.url }])
  const page = await context.newPage()
  const failures: string[] = []
  page.on('pageerror', (error) => failures.push(String(error)))
  await load(page)
  const seed = 1_700_000_000
  await uploadsIn(page, `start(${FILE_BYTES}, ${seed})`)
  const reaches = (bytes: number) =>
    until(async () => ((await newest(page))?.sentBytes ?? 0) >= bytes, `sending ${bytes} bytes`)

  await reaches(10 * MIB)
  await instance.kill('SIGKILL')
  await until(async () => (await newest(page))?.state === 'waiting', 'noticing that the server is gone')
  await instance.restart()
  await reaches(18 * MIB)

  // the same file chosen again after a reload resumes at the server's offset
  await load(page)
  await uploadsIn(page, `start(${FILE_BYTES}, ${seed})`)
  await until(async () => (await newest(page)) !== undefined, 'going on')
  expect((await uploadsIn<UploadProgress>(page, 'progress[0]')).sentBytes).toBeGreaterThanOrEqual(16 * MIB)

  await reaches(25 * MIB)
  // the rest must not arrive meanwhile
  proxy.hold()
  await anna.browser.call('POST', '/auth/sign-out-everywhere')
  proxy.release()
  await until(() => uploadsIn<boolean>(page, 'isExpired()'), 'noticing that the session has ended')
  await until(async () => (await newest(page))?.state === 'waiting', 'waiting for a session')
  await uploadsIn(page, `signIn('${anna.email}', '${PASSWORD}')`)
  await until(async () => (await outcome(page)) !== undefined, 'the end of the upload')
  const stored = (await outcome(page)) as { key: string }
  expect(stored).toEqual({ key: expect.stringMatching(/^fil_/) })
  expect(Buffer.from(contentOf(FILE_BYTES, seed)).equals(await fetchFile(instance, organization, stored.key))).toBe(
    true,
  )

  const reports = await uploadsIn<UploadProgress[]>(page, 'progress')
  expect(reports.at(-1)).toMatchObject({ bytes: FILE_BYTES, sentBytes: FILE_BYTES })
  const measured = reports.filter(({ bytesPerSecond }) => bytesPerSecond !== undefined)
  expect(measured.length).toBeGreaterThan(0)
  for (const { bytes, sentBytes, bytesPerSecond = 0, secondsLeft } of measured)
    expect(secondsLeft).toBeCloseTo((bytes - sentBytes) / bytesPerSecond, 6)
  // no upload is left to resume: the same file starts a new upload
  await uploadsIn(page, `start(${FILE_BYTES}, ${seed})`)
  await until(async () => {
    const later = (await uploadsIn<UploadProgress[]>(page, 'progress')).slice(reports.length)
    return later.some(({ sentBytes }) => sentBytes < 4 * MIB)
  }, 'beginning again')
  await uploadsIn(page, 'stop()')
  await until(async () => (await outcome(page)) !== undefined, 'stopping')
  expect(await outcome(page)).toEqual({ error: expect.stringContaining('AbortError') })

  // a file that is too large is refused, and not retried
  await uploadsIn(page, `start(${600 * MIB}, 3)`)
  await until(async () => (await outcome(page)) !== undefined, 'the refusal')
  expect(await outcome(page)).toEqual({ error: expect.stringContaining('FILE_TOO_LARGE') })
  await uploadsIn(page, 'start(0, 4)')
  await until(async () => (await outcome(page)) !== undefined, 'an empty file')
  expect(await outcome(page)).toEqual({ key: expect.stringMatching(/^fil_/) })
  expect(failures).toEqual([])
  await context.close()
}, 300_000)
