/** Tools in a browser: found in either language, run with dropped files, corrected, and called as shown. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pressTab } from '../../support/browser/browser.ts'
import { smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import {
  type Answer,
  drop,
  fieldOf,
  focusedField,
  type RunRecord,
  run,
  runButton,
  stations,
} from '../../support/browser/tool-pages.ts'
import { plainPdf } from '../../support/formats/pdfs.ts'
import { outputOf, runProgram } from '../../support/program.ts'
import { personAccount } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'
import { FIXTURES, gisOf } from '../../support/workers/tools.ts'

const { instance, organization, dir, open, openOwn } = smallFleetPages()
const { get, read } = gisOf(
  () => instance,
  () => organization,
)

const recordOf = async (runId: string): Promise<RunRecord> => (await read<RunRecord>(`/runs/${runId}`)).data

const NAME = `it's "a" $(touch hacked) <b>‮😀 محطات.geojson`

test('tools are found by words of either language, from the catalogue and from every page', async () => {
  const page = await openOwn('/tools')
  const rows = page.locator('.tool-row')
  await rows.first().waitFor()
  await expectAccessible(page)
  const search = page.getByRole('searchbox', { name: 'Search tools' })
  await search.fill('الحرم')
  await page.getByRole('link', { name: /^Buffer/ }).waitFor()
  await rows.first().and(page.locator(':has-text("Buffer")')).waitFor()
  await page.waitForURL((url) => url.searchParams.get('q') === 'الحرم')
  // synonyms, with the article, and combined with a word of the other language
  for (const [words, title] of [
    ['عازل', 'Buffer'],
    ['التداخل', 'Intersect'],
    ['اقتصاص', 'Clip'],
    ['تصغير PDF', 'Compress PDF'],
    ['إمضاء', 'Sign PDF'],
    ['استمارة', 'Fill'],
    ['وورد', 'PDF to Word'],
  ] as const) {
    await search.fill(words)
    await page.waitForURL((url) => url.searchParams.get('q') === words)
    await rows
      .first()
      .and(page.locator(`:has-text("${title}")`))
      .waitFor()
  }
  await search.fill('wortohnesinn')
  await page.getByText('No tool has these words').waitFor()
  await search.fill('shapefile')
  await rows.first().waitFor()
  await rows.filter({ hasText: 'Validate and convert' }).first().waitFor()
  await page.getByRole('link', { name: /^Conversion/ }).click()
  await page.waitForURL(/group=convert/)
  await page.reload()
  await rows.first().waitFor()
  await eventually(async () => expect(await search.inputValue()).toBe('shapefile'))
  // with the keyboard alone
  await page.goto('/portal/tools')
  await search.fill('merge pdf')
  await page.waitForURL(/q=merge/)
  await rows.first().and(page.locator(':has-text("Merge PDF")')).waitFor()
  await search.press('ArrowDown')
  await page.locator('.tool-row:focus').waitFor()
  await search.press('Enter')
  await page.waitForURL(/\/tools\/document\.merge-pdf(\?|$)/)
  await page.getByRole('heading', { level: 1, name: 'Merge PDF' }).waitFor()
  // from any page
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill('تبسيط')
  await page.getByRole('option', { name: /Simplify/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Simplify' }).waitFor()

  const arabic = await openOwn('/tools', { language: 'ar', width: 390 })
  await arabic.locator('.tool-row').first().waitFor()
  await expectAccessible(arabic)
  await arabic.getByRole('searchbox').fill('Merge IMAGES')
  await arabic.locator('.tool-row:first-of-type', { hasText: 'دمج الصور' }).first().click()
  await arabic.getByRole('heading', { level: 1, name: 'دمج الصور' }).waitFor()
}, 300_000)

test('a dropped layer is buffered, errors are shown at fields, and the shown call gives the same result', async () => {
  const page = await openOwn('/tools/vector.buffer')
  await runButton(page).click()
  await fieldOf(page, 'file').getByText('Choose a file.').waitFor()
  await until(async () => (await focusedField(page)) === 'file', 'the focus on the first fault')

  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: NAME, content: stations })
  await fieldOf(page, 'file').getByText(NAME).waitFor()
  const distance = page.getByRole('textbox', { name: 'Distance' })
  await distance.fill('far')
  await distance.blur()
  await page.getByText('Enter a number.').waitFor()
  await page.getByRole('combobox', { name: 'Unit' }).selectOption('km')
  await distance.fill('101')
  await page
    .getByText('Enter a number from -100 to 100 km.')
    .or(page.getByText(/Enter a number from .*100/))
    .waitFor()
  // only the server knows the rule against zero
  await distance.fill('0')
  expect(await run(page, '/buffer')).toMatchObject({ code: 'VALIDATION_FAILED' })
  await fieldOf(page, 'distance_m').locator('.field-error').waitFor()
  await until(async () => (await focusedField(page)) === 'distance_m', 'the focus on the field')
  await page.getByText('1 field needs a change').waitFor()
  // Arabic digits, and a column instead
  await distance.fill('٢٫٥')
  await fieldOf(page, 'distance_m').locator('.field-error').waitFor({ state: 'detached' })
  const first = await run(page, '/buffer')
  expect(first.code).toBe('SUCCESS')
  expect((await recordOf(first.data.usage.runId)).settings).toMatchObject({ distance_m: 2.5, unit: 'km' })

  await page.getByRole('combobox', { name: 'Distance source' }).selectOption('field')
  const column = page.getByRole('combobox', { name: 'Distance column' })
  await eventually(async () => expect(await column.locator('option').allInnerTexts()).toEqual(['–', 'name', 'range_m']))
  await column.selectOption('range_m')
  await page.getByRole('combobox', { name: 'Unit' }).selectOption('m')
  const answer = await run(page, '/buffer')
  expect(answer).toMatchObject({ code: 'SUCCESS', data: { featureCount: 5 } })
  await page.getByRole('heading', { name: 'Result' }).waitFor()
  await page.locator('.table-body .table-row').first().waitFor()
  await expectAccessible(page)
  await page.waitForURL((url) => url.searchParams.get('run') === answer.data.usage.runId)

  await page.getByText('The same call as a command').click()
  const shown = async (): Promise<string> => {
    const text = (await page.locator('.same-call pre').textContent()) ?? ''
    expect(text).toContain(organization.publicKey)
    return text.replace('YOUR_SECRET_KEY', organization.secretKey)
  }
  await page.locator('.same-call pre').filter({ hasText: organization.publicKey }).waitFor()
  writeFileSync(join(dir, NAME), stations)
  const same = (output: string): void => {
    const envelope = JSON.parse(output.slice(output.indexOf('{'))) as Answer
    expect({ ...envelope.data, ...STORED }).toEqual({ ...answer.data, ...STORED })
  }
  const cwd = { cwd: dir }
  same(outputOf('bash', ['-c', await shown()], cwd).toString())
  expect(runProgram('ls', ['hacked'], cwd).status).not.toBe(0)
  await pressTab(page, 'Python')
  same(outputOf('python3', ['-c', await shown()], cwd).toString())
  await pressTab(page, 'JavaScript')
  writeFileSync(join(dir, 'call.mjs'), await shown())
  same(outputOf('node', ['call.mjs'], cwd).toString())
}, 300_000)

/** The fields that differ between two runs of the same call. */
const STORED = { key: '', artifactId: '', inputKey: '', usage: '' }

test('columns are listed from CSV and zipped shapefiles, and typed where they cannot be read', async () => {
  const page = await openOwn('/tools/vector.dissolve')
  const file = fieldOf(page, 'file')
  const column = page.getByRole('combobox', { name: /Group by/ })
  await drop(file.locator('.drop-zone'), {
    name: 'cities.csv',
    content: readFileSync(join(FIXTURES, 'cities.csv'), 'utf8'),
  })
  await column.waitFor()
  await eventually(async () =>
    expect(await column.locator('option').allInnerTexts()).toEqual([
      '–',
      'name',
      'longitude',
      'latitude',
      'inhabitants',
    ]),
  )
  await column.selectOption('inhabitants')

  const folder = join(dir, 'parts')
  outputOf('ogr2ogr', ['-f', 'ESRI Shapefile', '-lco', 'ENCODING=UTF-8', folder, join(FIXTURES, 'districts.geojson')])
  outputOf('zip', ['-q', '-r', join(dir, 'districts.zip'), '.'], { cwd: folder })
  const listed = outputOf('ogrinfo', ['-so', '-al', folder]).toString()
  const fields = [...listed.matchAll(/^(\w+): (?:String|Integer|Integer64|Real|Date) \(/gm)].map(([, name]) => name)
  expect(fields.length).toBeGreaterThan(0)
  await file.getByRole('button', { name: /^Remove .*cities\.csv/ }).click()
  await file.locator('input[type=file]').setInputFiles(join(dir, 'districts.zip'))
  await until(async () => (await column.locator('option').allInnerTexts()).includes(fields[0] as string), 'the columns')
  // the column of the other file is kept until another one is chosen
  await eventually(async () =>
    expect(await column.locator('option').allInnerTexts()).toEqual(['–', 'inhabitants', ...(fields as string[])]),
  )
  await column.selectOption(fields[0] as string)
  expect(await run(page, '/dissolve')).toMatchObject({ code: 'SUCCESS' })

  await file.getByRole('button', { name: /^Remove/ }).click()
  await drop(file.locator('.drop-zone'), { name: 'x.kml', content: '<kml/>' })
  await page
    .getByText(/Its columns cannot be listed here/)
    .first()
    .waitFor()
  await page.getByRole('textbox', { name: /Group by/ }).fill('any')
  // the server reports the damage of the file
  expect((await run(page, '/dissolve')).code).toBe('INPUT_UNREADABLE')
  await file.locator('.field-error').waitFor()
}, 300_000)

test('files can be reordered, and the choice stays while other pages are open', async () => {
  const page = await openOwn('/tools/document.merge-pdf', { language: 'ar' })
  const paths = ['first', 'second', 'third'].map((text) => {
    const path = join(dir, `${text}.pdf`)
    writeFileSync(path, plainPdf([text]).content)
    return path
  })
  const files = fieldOf(page, 'files')
  await files.locator('input[type=file]').setInputFiles(paths)
  await drop(files.locator('.drop-zone'), { name: 'notes.txt', content: 'no PDF' })
  await files.getByText(/لا يمكن استخدام .*notes\.txt/).waitFor()
  const names = (): Promise<string[]> => files.locator('.chosen-file bdi').allInnerTexts()
  await files.getByRole('button', { name: /نقل .*third\.pdf.* إلى أعلى/ }).click()
  await files.getByRole('button', { name: /نقل .*first\.pdf.* إلى أسفل/ }).click()
  await files.getByRole('button', { name: /إزالة .*second\.pdf/ }).click()
  await eventually(async () => expect(await names()).toEqual(['third.pdf', 'first.pdf']))
  await page.getByRole('link', { name: 'الأدوات' }).first().click()
  await page.locator('.tool-row').first().waitFor()
  await page.goBack()
  await until(async () => (await names()).length === 2, 'the files')
  const { code, data } = await run(page, '/merge-pdf')
  expect({ code, pages: data.pageCount }).toEqual({ code: 'SUCCESS', pages: 2 })
  writeFileSync(join(dir, 'merged.pdf'), new Uint8Array(await (await get(`/files/${data.key}`)).arrayBuffer()))
  expect(
    outputOf('pdftotext', [join(dir, 'merged.pdf'), '-'])
      .toString()
      .match(/\w+/g),
  ).toEqual(['third', 'first'])

  const image = await openOwn('/tools/image.convert-format', { theme: 'dark' })
  await fieldOf(image, 'file').locator('input[type=file]').setInputFiles(join(FIXTURES, 'dull.jpg'))
  await fieldOf(image, 'file').locator('img').waitFor()
  await image.getByRole('combobox', { name: 'Format' }).selectOption('webp')
  const converted = await run(image, '/convert-format')
  const bytes = new Uint8Array(await (await get(`/files/${converted.data.key}`)).arrayBuffer())
  expect(Buffer.from(bytes.subarray(8, 12)).toString()).toBe('WEBP')
  await image.goto('/portal/tools')
  await image
    .getByRole('region', { name: 'Used last' })
    .getByRole('link', { name: /Convert image/ })
    .waitFor()
}, 300_000)

test('a person sees the tools of their plan, and no records of others', async () => {
  const person = await personAccount(instance, 'free')
  const page = await open(person, '/tools?q=statistics')
  await page.locator('.tool-row').first().waitFor()
  expect(await page.getByRole('link', { name: /^Zonal statistics/ }).count()).toBe(0)
  await page.goto('/portal/tools/raster.zonal-stats')
  await page.getByRole('heading', { name: 'This tool cannot be used here' }).waitFor()
  await page.goto('/portal/tools/vector.centroids')
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'a.geojson', content: stations })
  expect(await run(page, '/centroids')).toMatchObject({ code: 'SUCCESS' })
  await page.getByText('The same call as a command').click()
  await page.getByText(/You work without one here/).waitFor()
}, 300_000)
