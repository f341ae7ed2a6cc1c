/** Actions on runs in both languages: cancel, run again, filter by day, save as an API. */
import { beforeAll, expect, test } from 'bun:test'
import { rowsOf, shown, smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { drop, fieldOf, run, stations } from '../../support/browser/tool-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import { eventually, until } from '../../support/until.ts'
import { GIS } from '../../support/workers/tools.ts'

const { tools, openOwn } = smallFleetPages()
/** Key of a PDF whose pages take long to read. */
let scan = ''
beforeAll(async () => {
  scan = (await tools.run('/images-to-pdf', { files: Array.from({ length: 20 }, () => 'page.png') })).key ?? ''
}, 300_000)

const WORDS = {
  en: {
    cancel: 'Cancel',
    cancelled: 'Cancelled',
    again: 'Run again',
    from: 'From',
    to: 'To',
    time: 'Time',
    move: 'Move to folder',
    folder: 'Folder',
    folders: 'Folders of results',
  },
  ar: {
    cancel: 'إلغاء',
    cancelled: 'ملغاة',
    again: 'تشغيل مرة أخرى',
    from: 'من',
    to: 'إلى',
    time: 'الوقت',
    move: 'نقل إلى مجلد',
    folder: 'المجلد',
    folders: 'مجلدات النتائج',
  },
} as const

/** A long job, started as the page of the tool does it. */
async function longJob(): Promise<string> {
  const form = new FormData()
  form.set('file', scan)
  const { statusCode, data } = await tools.call('POST', `${GIS}/ocr`, form, { prefer: 'respond-async' })
  expect(statusCode).toBe(202)
  return data.jobID as string
}
const statusOf = async (job: string): Promise<unknown> => {
  const { status } = (await tools.call('GET', `${GIS}/jobs/${job}`)).data
  return status
}

for (const language of sampleOf(['en', 'ar'] as const, 1)) {
  const words = WORDS[language]

  test(`${language}: a job is cancelled in the list and on its page`, async () => {
    const inList = await longJob()
    const page = await openOwn('/runs?state=running', { language, width: 1440 })
    await until(async () => (await rowsOf(page).count()) === 1, 'the job in the list')
    await rowsOf(page).first().getByRole('button', { name: words.cancel }).click()
    await until(async () => (await statusOf(inList)) === 'dismissed', 'the end of the job')
    await page.goto(`/portal/runs/${inList}`)
    await page.locator('.page-head').getByText(words.cancelled).waitFor()

    const onPage = await longJob()
    await page.goto(`/portal/runs/${onPage}`)
    await page.getByRole('button', { name: words.cancel }).click()
    await until(async () => (await statusOf(onPage)) === 'dismissed', 'the end of the job')
    await page.locator('.page-head').getByText(words.cancelled).waitFor()
    await expectAccessible(page)
  }, 300_000)

  test(`${language}: a run is made again with the same settings and the stored file`, async () => {
    const page = await openOwn('/tools/vector.buffer', { language })
    await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'stations.geojson', content: stations })
    await fieldOf(page, 'distance_m').locator('input').fill('1234')
    const first = await run(page, '/buffer')
    expect(first).toMatchObject({ code: 'SUCCESS' })
    const { runId } = first.data.usage as { runId: string }
    await page.goto(`/portal/runs/${runId}`)
    await page.getByRole('button', { name: words.again }).click()
    await page.waitForURL(/\/tools\/vector\.buffer/)
    await fieldOf(page, 'file').getByText('stations.geojson').waitFor()
    expect(await fieldOf(page, 'distance_m').locator('input').inputValue()).toBe('1234')
    const again = await run(page, '/buffer')
    expect(again).toMatchObject({ code: 'SUCCESS', data: { inputKey: first.data.inputKey } })
    const settingsOf = async (id: unknown): Promise<unknown> =>
      (await tools.call('GET', `${GIS}/runs/${id}`)).data.settings
    const secondId = (again.data.usage as { runId: string }).runId
    expect(secondId).not.toBe(runId)
    expect(await settingsOf(secondId)).toEqual(await settingsOf(runId))
  }, 300_000)

  test(`${language}: runs of a range of days are found, and the days are in the address`, async () => {
    const page = await openOwn('/runs', { language, width: 1440 })
    await rowsOf(page).first().waitFor()
    const all = await rowsOf(page).count()
    await page.getByRole('combobox', { name: words.time }).selectOption('own')
    const today = new Date().toISOString().slice(0, 10)
    await page.getByLabel(words.to, { exact: true }).fill('2020-01-31')
    await until(async () => (await rowsOf(page).count()) === 0, 'no run')
    // moving the start behind the end moves the end too
    await page.getByLabel(words.from, { exact: true }).fill(today)
    await page.waitForURL(new RegExp(`from=${today}`))
    await page.waitForURL(new RegExp(`to=${today}`))
    await until(async () => (await rowsOf(page).count()) === all, 'the runs of today')
    await page.reload()
    await until(async () => (await rowsOf(page).count()) === all, 'the runs of the address')
    expect(await page.getByLabel(words.from, { exact: true }).inputValue()).toBe(today)
    await expectAccessible(page)
    await page.getByRole('combobox', { name: words.time }).selectOption('7')
    await until(async () => !page.url().includes('from='), 'the days leave the address')
  }, 300_000)

  test(`${language}: results are put into a folder, found in it, and taken out`, async () => {
    await tools.run('/centroids', { file: 'districts.geojson', target_format: 'geojson' })
    const name = `Survey <b>2026</b> ${language}`
    const page = await openOwn('/runs?tool=vector.centroids', { language, width: 1440 })
    await rowsOf(page).first().waitFor()
    const dialog = page.getByRole('dialog')
    async function move(folder: string): Promise<void> {
      await rowsOf(page).first().getByRole('checkbox').click()
      await page.getByRole('button', { name: words.move }).click()
      await dialog.getByLabel(words.folder, { exact: true }).fill(folder)
      await expectAccessible(page)
      await dialog.getByRole('button', { name: words.move }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await move(name)
    await page.locator('.toast').getByText(name).waitFor()

    await page.goto('/portal/data/files')
    const folders = page.getByRole('navigation', { name: words.folders })
    await folders.getByRole('link').getByText(name).click()
    await page.waitForURL(/runs\?folder=/)
    await until(async () => (await rowsOf(page).count()) === 1, 'the only run of the folder')
    expect(await page.getByRole('combobox', { name: words.folder }).inputValue()).toBe(name)
    await rowsOf(page).first().click()
    await page.locator('.run-facts').getByRole('link', { name }).click()
    await until(async () => (await rowsOf(page).count()) === 1, 'the folder again')
    await move('')
    await until(async () => (await rowsOf(page).count()) === 0, 'the empty folder')
    await page.goto('/portal/data/files')
    await page.locator('.page-head, h1').first().waitFor()
    expect(await folders.getByText(name).count()).toBe(0)
  }, 300_000)

  test(`${language}: a refused call is explained in the language of the page`, async () => {
    const page = await openOwn('/tools/vector.buffer', { language })
    await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'broken.geojson', content: '{"type":"Nothing"}' })
    await fieldOf(page, 'distance_m').locator('input').fill('10')
    expect((await run(page, '/buffer')).code).toBe('INPUT_UNREADABLE')
    const fault = fieldOf(page, 'file').locator('.field-error')
    await fault.waitFor()
    const text = await shown(fault)
    const types = /(?:Multi)?(?:Point|LineString|Polygon)|GeometryCollection/g
    if (language === 'ar') expect(text.replaceAll(types, '')).not.toMatch(/[a-z]/i)
    else expect(text).toContain('the type of a geometry must be one of')
    await expectAccessible(page)
    expect(await page.locator('details.original').count()).toBe(0)
  }, 300_000)
}

test('the input of a run is copied into the form of a new Tool API', async () => {
  const page = await openOwn('/tools/vector.buffer')
  await fieldOf(page, 'distance_m').locator('input').fill('77')
  await page.getByRole('link', { name: 'Save as a Tool API' }).click()
  await page.waitForURL(/\/tool-apis\/new\?tool=vector\.buffer/)
  expect(await fieldOf(page, 'distance_m').locator('input').inputValue()).toBe('77')
  // a typed name stays when the settings are changed on the page of the tool
  await page.getByLabel('Name', { exact: true }).fill('Yard')
  await page.goBack()
  await fieldOf(page, 'distance_m').locator('input').fill('78')
  await page.getByRole('link', { name: 'Save as a Tool API' }).click()
  await eventually(async () => expect(await fieldOf(page, 'distance_m').locator('input').inputValue()).toBe('78'))
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Yard')
}, 300_000)
