/** Runs in a browser: of results of other tools, of large files, cancelled, in the background, and without a session. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { smallFleetPages, textOf } from '../../support/browser/fleet-pages.ts'
import { drop, fieldOf, type RunRecord, run, runButton, stations } from '../../support/browser/tool-pages.ts'
import { PASSWORD } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'
import { FIXTURES, gisOf } from '../../support/workers/tools.ts'

const { instance, fleet, organization, tools, dir, openOwn, runPage } = smallFleetPages()
const { call, read } = gisOf(
  () => instance,
  () => organization,
)

const newestRun = async (processID: string): Promise<RunRecord | undefined> =>
  (await read<{ items: RunRecord[] }>('/runs')).data.items.find((one) => one.processID === processID)

test('results are used in the next tool without sending them again, and large files are sent in pieces', async () => {
  const page = await openOwn('/tools/vector.centroids')
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'stations.geojson', content: stations })
  const { data } = await run(page, '/centroids')
  const query = new URLSearchParams({ input: data.key, name: 'centres "1".geojson' })
  await page.goto(`/portal/tools/vector.buffer?${query}`)
  await fieldOf(page, 'file').getByText('centres "1".geojson').waitFor()
  // its columns are read from the start of the stored file
  await page.getByRole('combobox', { name: 'Distance source' }).selectOption('field')
  const column = page.getByRole('combobox', { name: 'Distance column' })
  await until(async () => (await column.locator('option').allTextContents()).includes('range_m'), 'the columns')
  await column.selectOption('range_m')
  const second = await run(page, '/buffer')
  expect(second).toMatchObject({ code: 'SUCCESS', data: { inputKey: data.key, featureCount: 5 } })
  // a key that belongs to nobody
  await page.goto(`/portal/tools/vector.buffer?input=fil_${'0'.repeat(32)}&name=gone.geojson`)
  await fieldOf(page, 'file').getByText('gone.geojson').waitFor()
  expect((await run(page, '/buffer')).code).not.toBe('SUCCESS')
  await page.locator('.run-bar .form-error, [data-field="file"] .field-error').first().waitFor()

  await page.goto('/portal/tools/vector.centroids')
  const point = (i: number): string =>
    `{"type":"Feature","properties":{"id":${i}},"geometry":{"type":"Point","coordinates":[${i / 10_000},0.5]}}`
  const features = Array.from({ length: 170_000 }, (_, i) => point(i)).join(',')
  writeFileSync(join(dir, 'large.geojson'), `{"type":"FeatureCollection","features":[${features}]}`)
  await fieldOf(page, 'file').locator('input[type=file]').setInputFiles(join(dir, 'large.geojson'))
  await page.getByText(/Large files are sent in pieces/).waitFor()
  const created = page.waitForRequest((request) => request.url().endsWith('/enterprise/v1/gis/uploads'))
  const accepted = page.waitForResponse((response) => response.url().endsWith('/enterprise/v1/gis/centroids'))
  await runButton(page).click()
  expect((await created).headers()['upload-length']).toBe(String(Bun.file(join(dir, 'large.geojson')).size))
  expect((await accepted).status()).toBe(202)
  await page.getByRole('heading', { name: 'Result' }).waitFor()
  const record = await newestRun('vector.centroids')
  expect(record?.status).toBe('successful')
}, 300_000)

type Job = { jobID: string; processID: string; status: string }
const newestJob = async (): Promise<Job | undefined> => (await read<{ items: Job[] }>('/jobs')).data.items[0]

/** Key of a PDF whose pages take long to read. */
async function longScan(): Promise<string> {
  const files = Array.from({ length: 20 }, () => 'page.png')
  const { envelope } = await call('/images-to-pdf', { files }, true)
  return (envelope.data as { key: string }).key
}

test('runs are cancelled on the server, and a job continues while other pages are open', async () => {
  const page = await openOwn(`/tools/document.ocr?input=${await longScan()}&name=scan.pdf`)
  await page.getByRole('button', { name: 'Run in the background' }).click()
  await page.waitForURL(/job=job_/)
  const { jobID } = (await newestJob()) as Job
  await page.reload()
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await page.getByText('The run was cancelled. It costs nothing.').waitFor()
  expect((await read<Job>(`/jobs/${jobID}`)).data.status).toBe('dismissed')

  // a synchronous run: disconnecting ends the work; the second click of a double click changes nothing
  const before = (await newestRun('document.ocr'))?.runId
  await runButton(page).dblclick()
  const isNew = (run: RunRecord | undefined): run is RunRecord => run !== undefined && run.runId !== before
  await until(async () => {
    const run = await newestRun('document.ocr')
    return isNew(run) && run.status === 'running'
  }, 'the start of the run')
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await page.getByText('The run was cancelled. It costs nothing.').waitFor()
  await until(async () => (await newestRun('document.ocr'))?.status === 'failed', 'the end of the run')
  expect(await newestRun('document.ocr')).toMatchObject({ creditsCharged: 0 })

  await page.getByRole('button', { name: 'Start over' }).click()
  await fieldOf(page, 'file').locator('input[type=file]').setInputFiles(join(FIXTURES, 'page.png'))
  await page.getByRole('button', { name: 'Run in the background' }).click()
  await page.waitForURL(/job=job_/)
  await page.getByRole('link', { name: 'Tools', exact: true }).first().click()
  await page
    .locator('.toast')
    .getByText(/Read text.* is done/)
    .waitFor()
  const link = page.locator('.toast').getByRole('link', { name: 'Show result' })
  const { runId } = (await newestRun('document.ocr')) as RunRecord
  expect(await link.getAttribute('href')).toBe(`/portal/runs/${runId}`)
  await link.click()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  // of the file, and of the figure
  for (const part of ['.result-text', '.result-figures']) {
    await page.evaluate(`navigator.clipboard.writeText('')`)
    await page.locator(part).getByRole('button', { name: 'Copy text' }).click()
    const copied = (): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()')
    await eventually(async () => expect(await copied()).toContain('Mean temperature: 18.7 degrees'))
    expect(await copied()).toStartWith('Station report 204')
  }
}, 300_000)

test('an ended session keeps the input, also while a tool is about to run', async () => {
  const page = await openOwn('/tools/measure.distance-bearing', { language: 'ar' })
  const points = fieldOf(page, 'points')
  const cells = points.getByRole('textbox')
  await cells.first().waitFor()
  await page.evaluate(`{
    const data = new DataTransfer()
    data.setData('text/plain', '13.4\\t52.5\\n2.35\\t48.86\\n-3.7\\t40.4\\n')
    const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    document.querySelector('[data-field="points"] input').dispatchEvent(paste)
  }`)
  await until(async () => (await cells.count()) === 6, 'the pasted rows')
  await cells.nth(3).fill('91')
  await runButton(page).click()
  await points.locator('.field-error').waitFor()
  await cells.nth(3).fill('48.86')

  await page.context().clearCookies({ name: 'groundwave_session' })
  await runButton(page).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('كلمة المرور').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'تسجيل الدخول' }).click()
  await dialog.waitFor({ state: 'detached' })
  await eventually(async () =>
    expect(await Promise.all([0, 3, 5].map((i) => cells.nth(i).inputValue()))).toEqual(['13.4', '48.86', '40.4']),
  )
  const { code, data } = await run(page, '/distance-bearing')
  expect({ code, legs: (data.segments as unknown[]).length }).toEqual({ code: 'SUCCESS', legs: 2 })
  await page.reload()
  await eventually(async () => expect(await cells.count()).toBe(6))
}, 300_000)

/** Arabic pages have the Arabic abbreviations of units. */
const withoutMarks = (text: string): string => text.replaceAll(/[\u2066-\u2069]/g, '').replaceAll('\u00a0', ' ')

for (const [language, metres, bound] of [
  ['en', '25 m', '100,000 m'],
  ['ar', '25 م', '100,000 م'],
] as const)
  test(`${language}: the units of a result and of a form`, async () => {
    const run = await tools.run('/buffer', { file: 'stations.geojson', distance_m: 25, target_format: 'geojson' })
    const page = await runPage(run, { language })
    await eventually(async () => expect(withoutMarks(await textOf(page))).toMatch(new RegExp(`${metres}(\\s|$)`)))
    expect(await textOf(page)).not.toMatch(/\bnull\b/)
    await page.goto('/portal/tools/vector.buffer')
    await eventually(async () => expect(withoutMarks(await textOf(page))).toMatch(new RegExp(`${bound}(\\s|$)`)))
  }, 300_000)

test('on Arabic pages plans and tiers have Arabic names', async () => {
  const page = await openOwn('/operator/people', { language: 'ar' })
  await page.locator('.table-row', { hasText: fleet.person.email }).getByText('الاحترافية').waitFor()
  await page.goto(`/portal/operator/enterprises/${fleet.enterpriseId}`)
  await page.locator('option', { hasText: 'الأعمال' }).waitFor({ state: 'attached' })
}, 300_000)
