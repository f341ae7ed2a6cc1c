/** Sensors made in a browser: one with its commands run as they are shown, and many from a CSV. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { pressTab, saved } from '../../support/browser/browser.ts'
import { browserSession } from '../../support/browser/browser-session.ts'
import { smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { type Device, expectAccessible } from '../../support/browser/portal-pages.ts'
import { PASSWORD } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'

const { instance, fleet, dir, open: openAs, openOwn } = smallFleetPages()

type Listed = {
  id: string
  name: string
  assetName: string
  tags: string[]
  channels: { name: string; measurement: string; unit: string | null }[]
}
async function sensorsNamed(start: string): Promise<Listed[]> {
  const path = `/enterprises/${fleet.enterpriseId}/sensors?limit=1000&q=${encodeURIComponent(start)}`
  return (await instance.manage<{ items: Listed[] }>('GET', path)).items
}

async function open(path: string, device?: Device): Promise<Page> {
  const page = await openOwn(path, device)
  // leaving the page before the key was saved asks first
  page.on('dialog', (dialog) => void dialog.accept())
  return page
}

const rowsSaved = async (page: Page, name: string): Promise<string[]> =>
  (await saved(page.getByRole('button', { name }))).text.slice(1).trim().split('\r\n')

async function run(program: string[]): Promise<{ status: number; output: string }> {
  const child = Bun.spawn(program, { stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { status: await child.exited, output: output + errors }
}

test('a sensor is created once by a double click, its commands work as shown, and its first reading is announced', async () => {
  const page = await open('/sensors/new')
  await page.getByRole('button', { name: 'Create sensor' }).click()
  await page.getByText('A sensor needs a name of 1 to 200 characters.').waitFor()
  await page.getByText('A channel needs a name of 1 to 200 characters.').waitFor()
  await expectAccessible(page)

  await page.getByRole('textbox', { name: 'Name', exact: true }).fill("Quay's <b>gauge</b>")
  await page.getByRole('combobox', { name: 'Asset' }).fill('South quay')
  await page.getByRole('combobox', { name: 'Tags' }).pressSequentially('quay, water')
  await page.getByRole('textbox', { name: 'Name of channel 1' }).fill("water's level")
  await page.getByRole('combobox', { name: 'Unit of channel 1' }).fill('m')
  await page.getByRole('button', { name: 'Add channel' }).click()
  await page.getByRole('textbox', { name: 'Name of channel 2' }).fill('open')
  await page.getByRole('combobox', { name: 'Kind of channel 2' }).selectOption('boolean')
  await page.getByRole('button', { name: /^Remove channel .*open/ }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await eventually(async () =>
    expect(await page.getByRole('textbox', { name: 'Name of channel 2' }).inputValue()).toBe('open'),
  )
  // the typed text is kept
  await page.reload()
  await eventually(async () =>
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe("Quay's <b>gauge</b>"),
  )

  await page.getByRole('button', { name: 'Create sensor' }).dblclick()
  await page.getByTestId('key').waitFor()
  const made = await sensorsNamed("Quay's")
  expect(made).toMatchObject([
    {
      name: "Quay's <b>gauge</b>",
      assetName: 'South quay',
      tags: ['quay', 'water'],
      channels: [
        { name: "water's level", measurement: 'number', unit: 'm' },
        { name: 'open', measurement: 'boolean', unit: null },
      ],
    },
  ])
  expect(new URL(page.url()).pathname).toBe(`/portal/sensors/${made[0]?.id}`)
  await expectAccessible(page)
  await page.getByText('Waiting for the first reading.').waitFor()

  const shown = async (): Promise<string> => (await page.locator('.code pre').textContent()) ?? ''
  const curl = await shown()
  expect(curl).toContain(`${instance.url()}/sensors/${made[0]?.id}/readings`)
  expect(await run(['bash', '-c', curl])).toMatchObject({ status: 0, output: expect.stringContaining('"accepted":[') })
  await page.getByText(/First reading received .* ago.?\./).waitFor()
  await eventually(async () =>
    expect(await page.getByRole('link', { name: 'Open its chart' }).getAttribute('href')).toBe(
      `/portal/sensors/${made[0]?.id}?range=1h`,
    ),
  )

  await pressTab(page, 'Python')
  expect(await run(['python3', '-c', await shown()])).toMatchObject({
    status: 0,
    output: expect.stringContaining('"refused":[]'),
  })
  await pressTab(page, 'JavaScript')
  writeFileSync(join(dir, 'send.mjs'), await shown())
  const script = await run([process.execPath, join(dir, 'send.mjs')])
  expect(script.status).toBe(0)
  expect(script.output).toMatch(/"accepted":\["\d{4}-/)

  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByTestId('key').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Open the sensor' }).waitFor()
  await page.reload()
  await page.getByRole('tab', { name: 'Charts', selected: true }).waitFor()
}, 300_000)

test('a refused first reading is explained', async () => {
  const page = await open('/sensors/new')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Wrong sender')
  await page.getByRole('textbox', { name: 'Name of channel 1' }).fill('level')
  await page.getByRole('button', { name: 'Create sensor' }).click()
  const key = (await page.getByTestId('key').textContent()) ?? ''
  const [made] = await sensorsNamed('Wrong sender')
  await instance.send(
    { id: made?.id ?? '', key },
    { readings: [{ at: new Date().toISOString(), values: { depth: 1 } }] },
  )
  await page.getByText('A reading was refused.').waitFor()
}, 300_000)

test('an expired session asks to sign in again and keeps the typed text', async () => {
  const visit = browserSession(() => instance.url())
  await visit.call('POST', '/auth/sign-in', { email: fleet.operator.email, password: PASSWORD })
  const page = await openAs({ browser: visit }, '/sensors/new', { enterprise: fleet.enterpriseId })
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Kept sensor')
  await page.getByRole('textbox', { name: 'Name of channel 1' }).fill('level')
  // the session ends after the click: otherwise another request of the page may open the dialog above the button
  let isSignedOut = false
  await page.route('**/manage/v1/enterprises/*/sensors', async (route) => {
    if (route.request().method() === 'POST' && !isSignedOut) {
      isSignedOut = true
      await visit.call('POST', '/auth/sign-out')
    }
    await route.continue()
  })
  await page.getByRole('button', { name: 'Create sensor' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await sensorsNamed('Kept sensor')).toEqual([])
  await page.getByRole('button', { name: 'Create sensor' }).click()
  await page.getByTestId('key').waitFor()
  expect((await sensorsNamed('Kept sensor')).length).toBe(1)
}, 300_000)

const CSV = [
  'name;asset;tags;channels',
  'Import 1;Yard;"a, b";temperature:number:°C| door:boolean',
  ';Yard;;temperature',
  `${'n'.repeat(201)};;;temperature`,
  'Import 1;;;temperature',
  'مضخة Import 2;;;level:whole',
  'Import 3;;;level:colour:m',
  'Import 4;;;',
  '',
].join('\r\n')

async function chooseCsv(page: Page, name: string, text: string): Promise<void> {
  writeFileSync(join(dir, name), text)
  await page.locator('input[type="file"]').setInputFiles(join(dir, name))
  await page.locator('.import-preview').waitFor()
}

test('every row of a CSV is checked first; then the valid ones are created, with keys that work', async () => {
  const page = await open('/sensors/new?from=csv')
  await expectAccessible(page)
  await chooseCsv(page, 'fleet.csv', CSV)
  await eventually(async () => expect(await page.getByRole('combobox', { name: 'Asset' }).inputValue()).toBe('1'))
  await page.getByRole('cell', { name: 'مضخة Import 2' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByText('2 sensors can be created').waitFor()
  await eventually(async () =>
    expect(await page.locator('.import-fault-list tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^3\t.*name is missing/),
      expect.stringMatching(/^4\t.*201 characters/),
      expect.stringMatching(/^5\t.*Import 1.* is in row .*2/),
      expect.stringMatching(/^7\t.*colour/),
      expect.stringMatching(/^8\t.*no channels/),
    ]),
  )
  expect(await sensorsNamed('Import')).toEqual([])
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Create 2 sensors' }).click()
  await page.getByRole('heading', { name: '2 sensors created' }).waitFor()
  const made = await sensorsNamed('Import')
  expect(made.map(({ name }) => name).toSorted()).toEqual(['Import 1', 'مضخة Import 2'])
  expect(made.find(({ name }) => name === 'Import 1')).toMatchObject({
    assetName: 'Yard',
    tags: ['a', 'b'],
    channels: [
      { name: 'temperature', measurement: 'number', unit: '°C' },
      { name: 'door', measurement: 'boolean', unit: null },
    ],
  })
  const keys = await rowsSaved(page, 'Save 2 keys as CSV')
  expect(keys[0]).toBe('name,id,key,address')
  const [, id = '', key = '', address] = keys.find((line) => line.startsWith('Import 1,'))?.split(',') ?? []
  expect(address).toBe(`${instance.url()}/sensors/${id}/readings`)
  const reading = { at: new Date().toISOString(), values: { temperature: 3 } }
  expect((await instance.send({ id, key }, { readings: [reading] })).status).toBe(200)

  // the same file again, in the same tab, creates nothing
  await page.getByRole('button', { name: 'Choose another file' }).click()
  await chooseCsv(page, 'fleet.csv', CSV)
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByText('2 rows were created on an earlier visit').waitFor()
  expect(await page.getByRole('button', { name: /^Create|^Continue/ }).count()).toBe(0)

  // in another tab, which has no memory of the first request, the server answers with the same sensors again
  const other = await open('/sensors/new?from=csv')
  await chooseCsv(other, 'fleet.csv', CSV)
  await other.getByRole('button', { name: 'Check all rows' }).click()
  await other.getByRole('button', { name: 'Create 2 sensors' }).click()
  await other.getByRole('heading', { name: '2 sensors created' }).waitFor()
  expect((await sensorsNamed('Import')).map((sensor) => sensor.id)).toEqual(made.map((sensor) => sensor.id))
}, 300_000)

test('an import can be paused, survives a lost connection, and creates each sensor once', async () => {
  const count = 400
  const page = await open('/sensors/new?from=csv')
  await chooseCsv(page, 'many.csv', ['name', ...Array.from({ length: count }, (_, i) => `Batch ${i}`)].join('\n'))
  await page.getByRole('textbox', { name: 'Name of channel 1' }).fill('level')
  await page.getByRole('button', { name: 'Check all rows' }).click()
  // the import is held in the middle until it is paused, whatever the speed of the server
  const paused = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/sensors', async (route) => {
    if (route.request().method() === 'POST' && ++sent > 40) await paused.promise
    await route.continue()
  })
  await page.getByRole('button', { name: `Create ${count} sensors` }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  paused.resolve()
  await page.getByRole('heading', { name: 'Paused' }).waitFor()
  const before = (await sensorsNamed('Batch')).length
  expect(before).toBeLessThan(count)
  expect(before).toBeGreaterThan(0)
  await page.context().setOffline(true)
  await page.getByRole('button', { name: /^Continue with/ }).click()
  await page.context().setOffline(false)
  await until(async () => {
    // a long disconnection pauses the import
    const again = page.getByRole('button', { name: /^Continue with/ })
    if ((await again.count()) > 0) await again.click()
    return (await page.getByRole('heading', { name: `${count} sensors created` }).count()) > 0
  }, 'the import')
  const made = await sensorsNamed('Batch')
  expect(made.length).toBe(count)
  expect(new Set(made.map(({ name }) => name)).size).toBe(count)
}, 300_000)

test('50 MB of CSV with broken rows are counted, and a quote that never closes is named', async () => {
  const page = await open('/sensors/new?from=csv')
  const rows = 560_000
  const lines = ['name,tags,channels']
  for (let i = 0; i < rows; i++)
    lines.push(
      i % 10 === 0
        ? `,broken,level:number:m`
        : `Row ${i},"north, pier ${i % 7}",level:number:m;temperature:number:°C;humidity:number:%`,
    )
  lines.push('"never closed, and on it goes', 'Row lost,,level')
  const text = lines.join('\n')
  expect(text.length).toBeGreaterThan(40_000_000)
  await chooseCsv(page, 'large.csv', text)
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByRole('heading', { name: `${(rows * 0.9).toLocaleString('en')} sensors can be created` }).waitFor()
  await page.getByRole('heading', { name: `${(rows / 10 + 1).toLocaleString('en')} rows cannot be used` }).waitFor()
  const faults = await rowsSaved(page, 'Save as CSV')
  expect(faults.length).toBe(rows / 10 + 2)
  expect(faults.at(-1)).toMatch(new RegExp(`^${rows + 2},"A quotation mark opens here`))
}, 300_000)

test('in Arabic, both ways are complete and accessible', async () => {
  const page = await open('/sensors/new', { language: 'ar' })
  await page.getByRole('heading', { name: 'مستشعر جديد' }).waitFor()
  await page.getByRole('button', { name: 'إنشاء مستشعر' }).click()
  await page.getByText('يحتاج المستشعر إلى اسم من 1 إلى 200 حرف.').waitFor()
  await expectAccessible(page)
  await page.getByRole('tab', { name: 'عدة مستشعرات من ملف CSV' }).click()
  await chooseCsv(page, 'عربي.csv', 'الاسم,الوسوم,القنوات\nمقياس الميناء,"ميناء، شمال",حرارة:عدد:°C\n')
  await page.getByRole('button', { name: 'فحص كل الصفوف' }).click()
  await page.getByRole('button', { name: 'إنشاء مستشعر واحد' }).click()
  await page.getByRole('heading', { name: 'أُنشئ مستشعر واحد' }).waitFor()
  expect(await sensorsNamed('مقياس الميناء')).toMatchObject([
    { tags: ['ميناء', 'شمال'], channels: [{ name: 'حرارة', measurement: 'number', unit: '°C' }] },
  ])
  await expectAccessible(page)
}, 300_000)
