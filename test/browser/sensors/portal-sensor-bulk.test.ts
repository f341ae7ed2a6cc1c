/** Changes, keys, files and exports of many selected sensors in Chromium. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { saved } from '../../support/browser/browser.ts'
import { smallFleetPages } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import type { MadeSensor } from '../../support/server/instance.ts'
import { eventually, until } from '../../support/until.ts'

type Listed = {
  id: string
  name: string
  assetName: string
  tags: string[]
  channels: { name: string; unit: string | null; active: boolean }[]
}

const { instance, fleet, openOwn: open, dir } = smallFleetPages({ width: 1440 })
const COUNT = 10
const lots: MadeSensor[] = []

const listed = async (): Promise<Listed[]> => {
  const path = `/enterprises/${fleet.enterpriseId}/sensors?limit=1000`
  const { items } = await instance.manage<{ items: Listed[] }>('GET', path)
  const byId = new Map(items.map((item) => [item.id, item]))
  return lots.flatMap(({ id }) => byId.get(id) ?? [])
}
const nameList = async (): Promise<string[]> => (await listed()).map(({ name }) => name)
const channelNames = async (): Promise<string[][]> =>
  (await listed()).map(({ channels }) => channels.filter(({ active }) => active).map(({ name }) => name))

beforeAll(async () => {
  for (let i = 1; i <= COUNT; i++) {
    const sensor = await instance.manage<MadeSensor>('POST', `/enterprises/${fleet.enterpriseId}/sensors`, {
      name: `Lot ${i}`,
      assetName: 'Depot',
      tags: ['lot'],
      channels: [{ name: 'level', measurement: 'number', unit: 'm' }],
    })
    lots.push(sensor)
    await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { level: i } }] })
  }
}, 120_000)

async function selectAll(): Promise<Page> {
  const page = await open('/sensors?tag=lot&sort=name')
  await page
    .locator('.table-body .sensor-name')
    .nth(lots.length - 1)
    .waitFor()
  await page.getByLabel('Select the loaded rows').click()
  return page
}
async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

test('sensors are renamed by a pattern after a preview, and named back', async () => {
  const before = await nameList()
  const page = await selectAll()
  await choose(page, 'Rename')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Pattern').fill('{asset}/{number} was {name}')
  await dialog.getByText('Depot/01 was Lot 1', { exact: true }).waitFor()
  await dialog.getByText('and 4 more').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByText('10 sensors changed.').waitFor()
  expect(await nameList()).toEqual(lots.map((_, i) => `Depot/${String(i + 1).padStart(2, '0')} was Lot ${i + 1}`))
  await page.getByRole('button', { name: 'Undo' }).click()
  await eventually(async () => expect(await nameList()).toEqual(before))
}, 300_000)

test('the sensor that fails is named with the reason, and the rest stays done', async () => {
  const page = await selectAll()
  const [first] = lots.splice(0, 1)
  await choose(page, 'Set asset')
  await page.getByRole('dialog').getByLabel('Asset').fill('Yard')
  await instance.manage('DELETE', `/sensors/${first?.id}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Set asset' }).click()
  const failures = page.getByRole('dialog', { name: '1 sensor failed' })
  await failures.getByRole('link', { name: 'Lot 1', exact: true }).waitFor()
  expect(await failures.getByRole('cell').nth(1).textContent()).toMatch(/\S/)
  expect((await listed()).map(({ assetName }) => assetName)).toEqual(lots.map(() => 'Yard'))
  await expectAccessible(page)
}, 300_000)

test('a channel is added, renamed and removed in all selected sensors', async () => {
  const page = await selectAll()
  const dialog = page.getByRole('dialog')
  await choose(page, 'Change channels')
  await dialog.getByLabel('Name').fill('flow')
  await dialog.getByLabel('Unit').fill('l/s')
  await dialog.getByRole('button', { name: 'Add channel' }).click()
  await eventually(async () => expect(await channelNames()).toEqual(lots.map(() => ['level', 'flow'])))
  await choose(page, 'Change channels')
  await dialog.getByLabel('Change').selectOption('Rename channel')
  await dialog.getByLabel('Name', { exact: true }).fill('flow')
  await dialog.getByLabel('New name').fill('discharge')
  await dialog.getByRole('button', { name: 'Rename channel' }).click()
  await eventually(async () => expect(await channelNames()).toEqual(lots.map(() => ['level', 'discharge'])))
  await choose(page, 'Change channels')
  await dialog.getByLabel('Change').selectOption('Remove channel')
  await dialog.getByLabel('Name').fill('discharge')
  await dialog.getByRole('button', { name: 'Remove channel' }).click()
  await eventually(async () => expect(await channelNames()).toEqual(lots.map(() => ['level'])))
}, 300_000)

test('new keys are shown once, as a file, and work', async () => {
  const page = await selectAll()
  await choose(page, 'Add keys')
  const dialog = page.getByRole('dialog', { name: `${lots.length} new keys` })
  await dialog.waitFor()
  expect(await dialog.getByRole('button', { name: 'I have saved them' }).isDisabled()).toBe(true)
  const { text } = await saved(dialog.getByRole('button', { name: 'Download keys as CSV' }))
  const rows = text
    .slice(1)
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  expect(rows[0]).toEqual(['id', 'name', 'key'])
  expect(
    rows
      .slice(1)
      .map(([id]) => id as string)
      .toSorted(),
  ).toEqual(lots.map(({ id }) => id).toSorted())
  const [, [id, , key] = []] = rows
  const sent = await instance.send({ id, key } as MadeSensor, {
    readings: [{ at: new Date().toISOString(), values: { level: 3 } }],
  })
  expect(sent.status).toBe(200)
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  await dialog.waitFor({ state: 'detached' })
}, 300_000)

test('the file for a spreadsheet is an import of the API, which gives sensors the values of the file', async () => {
  const { id } = lots[0] as MadeSensor
  const before = await instance.manage<{ name: string; assetName: string }>('GET', `/sensors/${id}`)
  const values = { externalId: '+49 170', name: '=مضخة, "1"', tags: ['lot', 'سطح'], enabled: false }
  await instance.manage('PATCH', `/sensors/${id}`, values)
  const page = await selectAll()
  await choose(page, 'Change in a spreadsheet')
  const { text } = await saved(
    page.getByRole('dialog').getByRole('button', { name: `Download ${lots.length} sensors` }),
  )
  await instance.manage('PATCH', `/sensors/${id}`, {
    externalId: 'other',
    name: 'Other',
    assetName: 'Quay',
    tags: [],
    enabled: true,
  })
  const response = await fetch(`${instance.url()}/manage/v1/enterprises/${fleet.enterpriseId}/sensors/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.operatorToken()}`, 'content-type': 'text/csv;charset=utf-8' },
    body: text,
  })
  const { data } = (await response.json()) as { data: unknown }
  expect(data).toEqual({ created: 0, updated: lots.length, refused: 0, errors: [] })
  expect(await instance.manage('GET', `/sensors/${id}`)).toMatchObject({ ...values, assetName: before.assetName })
  await instance.manage('PATCH', `/sensors/${id}`, {
    name: before.name,
    externalId: null,
    tags: ['lot'],
    enabled: true,
  })
}, 300_000)

test('a file that was changed in a spreadsheet changes the sensors after the changes were shown', async () => {
  const page = await selectAll()
  await choose(page, 'Change in a spreadsheet')
  const dialog = page.getByRole('dialog')
  const { text } = await saved(dialog.getByRole('button', { name: `Download ${lots.length} sensors` }))
  const lines = text.slice(1).trim().split('\r\n')
  expect(lines).toHaveLength(lots.length + 1)
  // a spreadsheet writes semicolons in some languages, and booleans in capitals
  const changed = lines.map((line) => line.replace('Lot 2', '=Lot two').replaceAll(',', ';'))
  const wrong = `sen_none;Nobody;Yard;lot;TRUE`
  const path = `${dir}/changed.csv`
  await Bun.write(path, `${[...changed, wrong].join('\r\n').replaceAll(';true', ';TRUE')}\r\n`)
  await dialog.locator('input[type="file"]').setInputFiles(path)
  await dialog.getByText('1 sensor changes.').waitFor()
  const cells = dialog.getByRole('group', { name: 'Changes' }).getByRole('row').nth(1).getByRole('cell')
  expect(await cells.allTextContents()).toEqual(['Lot 2', 'Name', 'Lot 2', '=Lot two'])
  await dialog.getByRole('group', { name: 'Rows with a fault' }).getByText('sen_none').waitFor()
  await expectAccessible(page)
  expect(await nameList()).toContain('Lot 2')
  await dialog.getByRole('button', { name: 'Change 1 sensor' }).click()
  await until(async () => (await nameList()).includes('=Lot two'), 'the change')
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await nameList()).includes('Lot 2'), 'the undo')
}, 300_000)
