/** Large and broken files of readings in Chromium: counts are right, the page stays usable, and nothing is lost silently. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { saved } from '../../support/browser/browser.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { sensorPages } from '../../support/browser/sensor-pages.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { eventually, until } from '../../support/until.ts'

const dir = sharedFolder('readings-upload')
const START_MS = Math.floor(Date.now() / 60_000) * 60_000 - 30 * 86_400_000

const { instance, organization, sensorWith, signedIn, openSensor } = sensorPages()

const timeOf = (row: number): string => new Date(START_MS + row * 60_000).toISOString()

/** Opens the upload of a new sensor, chooses the file and starts. */
async function uploadOf(name: string, content: string | Uint8Array, language: 'en' | 'ar' = 'en') {
  const sensor = await sensorWith([], name)
  const file = join(dir, `${name}.csv`)
  writeFileSync(file, content)
  const page = await openSensor(await signedIn({ language }), sensor, 'tab=upload')
  await page.locator('input[type="file"]').setInputFiles(file)
  await page.locator('.upload-preview').waitFor()
  await page.locator('.upload .button-main').click()
  return { sensor, page }
}

test('50 MB with broken rows are read completely while the page stays responsive, and a file lists every refused row', async () => {
  const GOOD_EVERY = 200
  const rows = 420_000
  const lines = ['at,temperature,"pressure, gauge",running,note']
  for (let i = 0; i < rows; i++)
    lines.push(
      i % GOOD_EVERY === 0
        ? `${timeOf(i / GOOD_EVERY)},-${i % 40}.5,12345678.25,on,"fine, ""really"""`
        : `${timeOf(i)},n/a ${i},1.5,off,"a long remark, with a comma, so that the file is as large as real ones are in practice"`,
    )
  const text = `${lines.join('\n')}\n`
  expect(text.length).toBeGreaterThan(50_000_000)
  const { page } = await uploadOf('Large', text)
  // other parts of the page are used meanwhile
  await page.getByRole('tab', { name: 'Readings' }).click()
  await page.getByRole('tab', { name: 'Readings', selected: true }).waitFor()
  await page.getByRole('tab', { name: 'Upload' }).click()
  await page.getByText('Upload finished').waitFor({ timeout: 280_000 })
  const good = rows / GOOD_EVERY
  expect(await page.locator('.upload-counts dd').allTextContents()).toEqual(
    [good, 0, rows - good].map((count) => count.toLocaleString('en')),
  )
  await page.locator('.upload summary').click()
  expect(await page.locator('.upload-preview li').first().textContent()).toContain('“⁨n/a 1⁩” in ⁨temperature⁩')
  await expectAccessible(page)
  const { text: rejected } = await saved(page.getByRole('button', { name: 'Download the refused rows' }))
  const refused = rejected.trim().split('\r\n')
  expect(refused.length).toBe(rows - good + 1)
  expect(refused.at(-1)).toStartWith(`${rows + 1},wrongNumber temperature,`)
  // all digits of the counter are shown
  await until(
    async () => (await page.locator('.values-number').allTextContents()).join().includes('12,345,678\u00a0bar'),
    'the newest value with all digits before its point',
  )
}, 600_000)

test('an unclosed quote stops reading at its row, and the rows before it are kept', async () => {
  const before = 1_200
  const lines = ['at,temperature,running']
  for (let i = 0; i < before; i++) lines.push(`${timeOf(i)},${i % 30},on`)
  lines.push(`${timeOf(before)},"1`)
  for (let i = before + 1; i < 150_000; i++) lines.push(`${timeOf(i)},${i % 30},on`)
  const { page, sensor } = await uploadOf('Unclosed', lines.join('\n'))
  await page.getByText(`A quotation mark in row ⁨${(before + 2).toLocaleString('en')}⁩ is never closed`).waitFor()
  await eventually(async () =>
    expect(await page.locator('.upload-counts dd').allTextContents()).toEqual([before.toLocaleString('en'), '0', '0']),
  )
  await eventually(async () => {
    const { data } = await instance.query<{ items: object[] }>(
      organization,
      `/sensors/${sensor.id}/readings?limit=1000&from=${timeOf(before - 5)}&to=${timeOf(150_000)}`,
    )
    expect(data.items.length).toBe(5)
  })
  await expectAccessible(page)
}, 300_000)

test('a spreadsheet in Arabic is read, rows have their numbers in the file, and special characters stay', async () => {
  const text = `\r\nالوقت;temperature;running\r\n${timeOf(0)};-1,5;نعم\r\n\r\n${timeOf(1)};-2,5;ربما\r\n`
  // windows-1256: the Arabic letters used here, by the table of the Unicode consortium
  const LETTERS: Record<string, number> = {
    ا: 0xc7,
    ل: 0xe1,
    و: 0xe6,
    ق: 0xde,
    ت: 0xca,
    ن: 0xe4,
    ع: 0xda,
    م: 0xe3,
    ر: 0xd1,
    ب: 0xc8,
  }
  const bytes = Uint8Array.from(text, (letter) => LETTERS[letter] ?? (letter.codePointAt(0) as number))
  const { page, sensor } = await uploadOf('Spreadsheet', bytes, 'ar')
  await page.getByText('اكتمل الرفع').waitFor()
  expect((await saved(page.getByRole('button', { name: 'تنزيل الصفوف المرفوضة' }))).text).toBe(
    `\ufeffrow,reason,الوقت,temperature,running\r\n5,wrongBoolean running,${timeOf(1)},"-2,5",ربما\r\n`,
  )
  await eventually(async () => {
    const { data } = await instance.query<{ items: { values: object }[] }>(
      organization,
      `/sensors/${sensor.id}/readings?limit=10`,
    )
    expect(data.items.map(({ values }) => values)).toEqual([{ temperature: -1.5, running: true }])
  })
  await expectAccessible(page)
}, 300_000)
