/** Recipes and batches that are under way while the page is reloaded, and recipes that are edited, in a browser. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { drop, fieldOf, stations } from '../../support/browser/tool-pages.ts'
import { until } from '../../support/until.ts'
import { gisOf, keysOf } from '../../support/workers/tools.ts'

const { instance, organization, openOwn } = smallFleetPages()
const { read } = gisOf(
  () => instance,
  () => organization,
)
type Run = {
  runId: string
  processID: string
  settings: { distance_m?: number }
  artifacts: { key: string }[]
  inputs: { key: string; filename: string }[]
}
const runsOf = async (query = ''): Promise<Run[]> => (await read<{ items: Run[] }>(`/runs?limit=50${query}`)).data.items

async function newRecipe(name: string): Promise<string> {
  const steps = [
    { tool: 'vector.centroids', settings: {} },
    { tool: 'vector.buffer', settings: { distance_m: 250 } },
  ]
  const response = await fetch(`${instance.url()}/enterprise/v1/gis/recipes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...keysOf(organization) },
    body: JSON.stringify({ name, document: { version: 1, steps } }),
  })
  return ((await response.json()) as { data: { id: string } }).data.id
}
const keptOf = async (page: Page): Promise<string> => String(await page.evaluate('JSON.stringify(sessionStorage)'))
const statesOf = (page: Page, list: string): Promise<(string | null)[]> =>
  page.locator(`${list} .run-state`).evaluateAll((all) => all.map((one) => one.getAttribute('data-state')))

/** Answers no request about a held job, as if its work took long. */
async function holdJobs(page: Page, isHeld: (address: string) => boolean): Promise<void> {
  await page.route('**/gis/jobs/*', (route) => (isHeld(route.request().url()) ? route.abort() : route.continue()))
}

test('a recipe continues after a reload with the job of its step, and its steps do not run twice', async () => {
  const page = await openOwn(`/recipes/${await newRecipe('Reloaded')}`)
  let posted = 0
  let isHeld = false
  await holdJobs(page, () => isHeld)
  page.on('request', (request) => {
    if (request.method() !== 'POST' || !/gis.*\/(centroids|buffer)$/.test(request.url())) return
    posted++
    if (request.url().endsWith('buffer')) isHeld = true
  })
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'wells.geojson', content: stations })
  await page.getByRole('button', { name: 'Run recipe' }).click()
  await until(async () => (await statesOf(page, '.recipe-steps'))[0] === 'successful' && isHeld, 'the second step')
  await until(async () => (await keptOf(page)).includes('job_'), 'the job')
  await page.reload()
  await page.getByText(/wells.geojson.* has not finished. It can continue at step 2/).waitFor()
  expect(await statesOf(page, '.recipe-steps')).toEqual(['successful', 'accepted'])
  await expectAccessible(page)
  isHeld = false
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Result' }).waitFor({ timeout: 120_000 })
  const [ring, centres] = await runsOf()
  expect([ring?.processID, centres?.processID]).toEqual(['vector.buffer', 'vector.centroids'])
  expect(ring?.inputs[0]?.key).toBe(centres?.artifacts[0]?.key as string)
  expect(posted).toBe(2)

  // the result is found again
  await page.reload()
  await page.getByRole('heading', { name: 'Result' }).waitFor()
  expect(await statesOf(page, '.recipe-steps')).toEqual(['successful', 'successful'])
}, 300_000)

test('a recipe gets another name and other settings, with which it runs', async () => {
  const page = await openOwn(`/recipes/${await newRecipe('Before')}`)
  await page.getByRole('button', { name: 'Change the name' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('After')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'After' }).waitFor()
  await page.getByRole('button', { name: /^Settings of step 2/ }).click()
  const dialog = page.getByRole('dialog')
  await expectAccessible(page)
  const distance = dialog.locator('[data-field="distance_m"] input')
  expect(await distance.inputValue()).toBe('250')
  // a value that the tool refuses is not saved
  await distance.fill('a lot')
  await dialog.getByRole('button', { name: 'Save settings' }).click()
  await dialog.locator('.field-error').first().waitFor()
  await distance.fill('75')
  await dialog.getByRole('button', { name: 'Save settings' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'After' }).waitFor()
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'wells.geojson', content: stations })
  await page.getByRole('button', { name: 'Run recipe' }).click()
  await page.getByRole('heading', { name: 'Result' }).waitFor({ timeout: 120_000 })
  const [ring] = await runsOf()
  expect([ring?.processID, ring?.settings.distance_m]).toEqual(['vector.buffer', 75])
}, 300_000)

test('a batch shows its results after a reload, continues with its jobs, and names the files that were not sent', async () => {
  const page = await openOwn('/tools/vector.centroids')
  // all jobs but the first are held
  let isHeld = true
  let first: string | undefined
  await holdJobs(page, (address) => {
    first ??= address
    return isHeld && address !== first
  })
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.geojson`)
  await drop(fieldOf(page, 'file').locator('.drop-zone'), ...names.map((name) => ({ name, content: stations })))
  await page.getByRole('button', { name: 'Run for 6 files' }).click()
  const jobs = async (): Promise<number> => (await keptOf(page)).match(/job_/g)?.length ?? 0
  // the first result is kept, and so are the jobs of the next two files
  await until(async () => (await keptOf(page)).includes('answer') && (await jobs()) === 2, 'two jobs')
  const before = await statesOf(page, '.batch')
  await page.reload()
  await page.getByRole('button', { name: 'Continue' }).waitFor()
  const found = await statesOf(page, '.batch')
  expect(found.map((state) => state === 'successful')).toEqual(before.map((state) => state === 'successful'))
  const done = before.filter((state) => state === 'successful').length
  expect(done).toBe(1)
  expect(await page.getByText('Choose it again to run it').count()).toBe(names.length - done - 2)
  await expectAccessible(page)
  isHeld = false
  await page.getByRole('button', { name: 'Continue' }).click()
  await until(
    async () => (await statesOf(page, '.batch')).filter((one) => one === 'successful').length === done + 2,
    'all',
  )
  await page.getByRole('link', { name: 'Show in the list of runs' }).click()
  await page.waitForURL(/runs\?folder=/)
  const folder = new URL(page.url()).searchParams.get('folder') as string
  const ofFolder = (): Promise<Run[]> => runsOf(`&${new URLSearchParams({ folder })}`)
  // a run is put into the folder after its result is shown
  await until(async () => (await ofFolder()).length === done + 2, 'the runs of the batch')
  expect(new Set((await ofFolder()).map(({ inputs }) => inputs[0]?.filename)).size).toBe(done + 2)
}, 300_000)
