/** Layers in Chromium: created, edited, undone, saved, merged, compared and brought back, in both languages. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { saved } from '../../support/browser/browser.ts'
import { dataPages, drop, pixelOf } from '../../support/browser/portal-data.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import { type Account, memberAccount } from '../../support/sessions.ts'
import { eventually, until } from '../../support/until.ts'

type Feature = { id: string; properties: Record<string, unknown>; geometry: { type: string; coordinates: unknown } }

const { instance, canal, open, openOwn } = dataPages()
let admin: Account
beforeAll(async () => {
  admin = await memberAccount(instance, canal.id, 'admin')
}, 300_000)

const square = (x: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [x, 0],
      [x + 1, 0],
      [x + 1, 1],
      [x, 1],
      [x, 0],
    ],
  ],
})
const HTML = '<img src=x onerror="document.title=1"> \u202egnp'
const PLOTS = [
  { id: 'one', properties: { name: 'Plot 1', depth: 1.5, active: true }, geometry: square(10) },
  { id: 'two', properties: { name: HTML, depth: null, active: false }, geometry: square(12) },
  { id: 'three', properties: { name: 'قطعة', depth: 3, active: null }, geometry: square(14) },
].map((feature) => ({ type: 'Feature', ...feature }))

const path = (id: string): string => `/owners/${canal.id}/layers/${id}`
async function stored(id: string): Promise<Map<string, Feature>> {
  const { items } = await instance.manage<{ items: Feature[] }>('GET', `${path(id)}/features?limit=1000`)
  return new Map(items.map((feature) => [feature.id, feature]))
}
const layerOf = async (name: string, features: object[]): Promise<string> => {
  const body = { name, geojson: { type: 'FeatureCollection', features } }
  return (await instance.manage<{ id: string }>('POST', `/owners/${canal.id}/layers`, body)).id
}
const row = (page: Page, text: string) => page.locator('.table-body .table-row', { hasText: text })
/** Selects a feature in the table; the address has it. */
async function choose(page: Page, id: string): Promise<void> {
  const cell = page.locator('.table-body .table-row [role="gridcell"]:nth-child(2)').getByText(id, { exact: true })
  await cell.click()
  await page.waitForURL((url) => url.searchParams.get('feature') === id)
  await page.locator('.table-row[aria-selected="true"]', { hasText: id }).waitFor()
}
const unsaved = (page: Page, text: string) => page.waitForSelector(`.save-words:has-text("${text}")`)
async function setValue(page: Page, column: string, value: string): Promise<void> {
  const input = page.getByRole('textbox', { name: column, exact: true })
  await input.fill(value)
  await input.press('Enter')
}

test('a layer is created by a dropped file, edited on the map and in the table, undone and saved', async () => {
  const page = await openOwn('/data/layers')
  await page.waitForSelector('.empty h2:has-text("No layers yet")')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create layer' }).click()
  const zone = page.locator('.drop-zone')
  // an unclosed ring is reported with its feature, and the typed text stays
  const broken = structuredClone(PLOTS)
  ;(broken[1] as (typeof PLOTS)[number]).geometry.coordinates[0]?.pop()
  await drop(page, zone, 'plots.geojson', JSON.stringify({ type: 'FeatureCollection', features: broken }))
  await page.waitForSelector('.layer-file:has-text("3 features")')
  await eventually(async () => expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('plots'))
  await page.getByRole('button', { name: 'Create from file' }).click()
  await page.waitForSelector('.refused-feature:has-text("Feature 1")')
  expect(await page.locator('.refused-feature code').textContent()).toContain('"two"')
  expect(await page.locator('.failure').textContent()).toContain('feature 1')
  await expectAccessible(page)
  await drop(page, zone, 'plots.geojson', JSON.stringify({ type: 'FeatureCollection', features: PLOTS }))
  await page.waitForSelector('.layer-file:has-text("3 features")')
  await page.getByRole('button', { name: 'Create from file' }).click()
  await page.waitForURL(/\/data\/layers\/lay_/)
  const id = new URL(page.url()).pathname.split('/').at(-1) as string
  await page.waitForSelector('.map[data-ready="true"]')
  await page.waitForSelector('.draw-tools')
  await eventually(async () => expect(await page.locator('.table-body .table-row').count()).toBe(3))
  // names are shown as text, even if they contain markup
  expect(await page.locator('.table-body img').count()).toBe(0)

  // table and map share the selection, which is in the address
  await choose(page, 'one')
  await setValue(page, 'depth', 'deep')
  await page
    .locator('[aria-invalid="true"]')
    .and(page.getByRole('textbox', { name: 'depth' }))
    .waitFor()
  await setValue(page, 'depth', '42')
  await unsaved(page, '1 changed')
  const active = page.locator('select[aria-label="active"]')
  await active.selectOption('null')
  await setValue(page, 'name', '')
  const name = page.getByRole('textbox', { name: 'name', exact: true })
  await until(async () => (await name.inputValue()) === '', 'the empty name')
  const undo = page.getByRole('button', { name: 'Undo', exact: true })
  await undo.click()
  await until(async () => (await name.inputValue()) === 'Plot 1', 'the name before')
  await undo.click()
  await until(async () => (await active.inputValue()) !== 'null', 'the flag before')
  await undo.click()
  await page.waitForSelector('.save-words:has-text("Everything is saved")')
  const redo = page.getByRole('button', { name: 'Redo', exact: true })
  for (let i = 0; i < 3; i++) await redo.click()
  await unsaved(page, '1 changed')
  await undo.click()
  await until(async () => (await name.inputValue()) === 'Plot 1', 'the name again')
  // a click on the map selects there
  const [x, y] = await pixelOf(page, [12.5, 0.5])
  const isSelected = (): boolean => new URL(page.url()).searchParams.get('feature') === 'two'
  // the map is ready a moment before it has drawn its features
  await until(async () => {
    await page.mouse.click(x, y)
    for (let i = 0; i < 50 && !isSelected(); i++) await Bun.sleep(100)
    return isSelected()
  }, 'the selection on the map')
  // a corner is moved
  await page.getByRole('button', { name: 'Move corners of the selected feature' }).click()
  await page.waitForSelector('.draw-measure:has-text("Drag corners")')
  const [fromX, fromY] = await pixelOf(page, [13, 1])
  const [toX, toY] = await pixelOf(page, [13.5, 1.5])
  await page.mouse.move(fromX, fromY)
  await page.mouse.down()
  await page.mouse.move((fromX + toX) / 2, (fromY + toY) / 2, { steps: 4 })
  await page.mouse.move(toX, toY, { steps: 4 })
  await page.mouse.up()
  await unsaved(page, '2 changed')
  await undo.click()
  await unsaved(page, '1 changed')
  await redo.click()
  await unsaved(page, '2 changed')
  // a point is drawn
  await page.getByRole('button', { name: 'Draw a point' }).click()
  const [px, py] = await pixelOf(page, [11.5, 0.5])
  await page.mouse.click(px, py)
  await unsaved(page, '1 added')
  // a column is renamed, another one added
  await page.getByRole('button', { name: 'Edit columns' }).click()
  await page.getByLabel('Name of column').first().fill('title')
  await page.getByLabel('Name of column').first().press('Enter')
  await page.getByLabel('New column').fill('checked')
  await page.getByLabel('Type').selectOption('boolean')
  await page.getByRole('button', { name: 'Add column' }).click()
  await until(async () => (await page.locator('.column-list li').count()) === 4, 'the new column')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Select features' }).click()
  await choose(page, 'three')
  await page.locator('.table-bulk').getByRole('button', { name: 'Delete 1 feature' }).click()
  await unsaved(page, '1 deleted')
  // unsaved changes are still there after a reload
  await page.reload()
  await unsaved(page, '1 deleted')
  await page.waitForSelector('.toast:has-text("unsaved changes")')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.waitForSelector('.save-words:has-text("Everything is saved")')
  const features = await stored(id)
  expect(features.size).toBe(3)
  expect(features.get('one')?.properties).toEqual({ title: 'Plot 1', depth: 42, active: null })
  expect(features.get('two')?.properties).toEqual({ title: HTML, depth: null, active: false })
  expect(features.has('three')).toBe(false)
  const ring = ((features.get('two') as Feature).geometry.coordinates as [number, number][][])[0] ?? []
  const moved = ring.find(([lon]) => lon > 13.2) as [number, number]
  expect(Math.abs(moved[0] - 13.5) + Math.abs(moved[1] - 1.5)).toBeLessThan(0.1)
  expect(ring.length).toBe(5)
  const point = [...features.values()].find(({ geometry }) => geometry.type === 'Point')
  const [lon = 0, lat = 0] = (point as Feature).geometry.coordinates as [number, number]
  expect(Math.abs(lon - 11.5) + Math.abs(lat - 0.5)).toBeLessThan(0.1)
  const record = await instance.manage<{ fields: string[]; version: number; changedBy: string }>('GET', path(id))
  expect(record).toMatchObject({ fields: ['title', 'depth', 'active', 'checked'], version: 2 })
  expect(record.changedBy).toBe(`owner ${canal.owner.email}`)
  // the saved version
  await page.getByRole('button', { name: 'Download' }).click()
  const file = await saved(page.getByRole('menuitem', { name: 'GeoJSON' }))
  expect(file.name).toBe('plots.geojson')
  expect((JSON.parse(file.text) as { features: unknown[] }).features.length).toBe(3)
}, 300_000)

test('two people change the same layer: both see the other’s changes, and nothing is lost', async () => {
  const id = await layerOf('Shared', PLOTS)
  const page = await open(admin, `/data/layers/${id}?feature=one`)
  await setValue(page, 'depth', '10')
  await unsaved(page, '1 changed')
  await choose(page, 'three')
  await setValue(page, 'depth', '30')
  await unsaved(page, '2 changed')
  // meanwhile
  await instance.manage('PATCH', `${path(id)}/features`, {
    upsert: [
      { ...PLOTS[0], properties: { ...PLOTS[0]?.properties, depth: 11 } },
      { ...PLOTS[1], properties: { ...PLOTS[1]?.properties, depth: 22 } },
    ],
  })
  await page.getByRole('button', { name: 'Save changes' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Somebody else saved meanwhile').waitFor()
  await eventually(async () => {
    expect(await dialog.textContent()).toContain('operator')
    expect(await dialog.locator('tbody tr').count()).toBe(1)
    expect(await dialog.locator('tbody tr').textContent()).toContain('11')
  })
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Theirs for all' }).click()
  await dialog.getByRole('button', { name: 'Save both changes' }).click()
  await page.waitForSelector('.save-words:has-text("Everything is saved")')
  const features = await stored(id)
  expect(['one', 'two', 'three'].map((one) => features.get(one)?.properties.depth)).toEqual([11, 22, 30])
}, 300_000)

test('versions are compared on the map and in words; a version is restored, and the restoring is undone', async () => {
  const id = await layerOf('Versions', PLOTS)
  const point = { type: 'Feature', id: 'new', properties: {}, geometry: { type: 'Point', coordinates: [11, 3] } }
  await instance.manage('PATCH', `${path(id)}/features`, {
    upsert: [{ ...PLOTS[0], properties: { ...PLOTS[0]?.properties, name: '<b>x</b>' } }, point],
    delete: ['two'],
  })
  for (const language of sampleOf(['en', 'ar'] as const, 1)) {
    const page = await openOwn(`/data/layers/${id}?tab=versions`, { language })
    const words = {
      en: { compare: 'Compare with the previous version', added: 'added', changed: 'changed', removed: 'deleted' },
      ar: { compare: 'مقارنة بما قبله', added: 'مضاف', changed: 'معدّل', removed: 'محذوف' },
    }[language]
    await page.getByRole('button', { name: words.compare }).first().click()
    await page.waitForSelector('.comparison .map[data-ready="true"]')
    if (language === 'en') {
      const rows = page.locator('.comparison tbody tr')
      await until(async () => (await rows.count()) === 3, 'the differences')
      await eventually(async () =>
        expect(await page.locator('.comparison tbody').textContent()).toContain('Plot 1 → <b>x</b>'),
      )
    }
    for (const word of [words.added, words.changed, words.removed])
      await page.locator('.comparison tbody', { hasText: word }).waitFor()
    await page.getByRole('button', { name: 'new', exact: true }).click()
    await expectAccessible(page)
  }
  const page = await openOwn(`/data/layers/${id}?tab=versions`)
  await page.getByRole('button', { name: 'Bring back' }).first().click()
  await page.waitForSelector('.toast:has-text("version")')
  await until(async () => (await stored(id)).get('one')?.properties.name === 'Plot 1', 'the old state')
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await stored(id)).get('one')?.properties.name === '<b>x</b>', 'the state before that')
  await page.waitForSelector('.version-list li:has-text("Version 4")')
  await page.getByRole('tab', { name: 'Features' }).click()
  await page.waitForSelector('.table-body .table-row:has-text("<b>x</b>")')
}, 300_000)

test('Arabic, a phone, a reader without write access, and ids of other owners', async () => {
  const id = await layerOf('طبقة <b>x</b>', PLOTS)
  const phone = { language: 'ar', width: 390, height: 800 } as const
  const page = await openOwn(`/data/layers/${id}?side=table&feature=one`, phone)
  await page.getByRole('textbox', { name: 'depth' }).waitFor()
  await setValue(page, 'depth', '7')
  await unsaved(page, 'عُدّل عنصر واحد')
  expect(await page.locator('h1 bdi').textContent()).toBe('طبقة <b>x</b>')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'تراجع', exact: true }).click()
  await unsaved(page, 'كل شيء محفوظ')
  await page.getByRole('tab', { name: 'الخريطة' }).click()
  await page.waitForSelector('.map[data-ready="true"]')

  const reader = await memberAccount(instance, canal.id, 'member')
  const read = await open(reader, `/data/layers/${id}?feature=one`)
  await row(read, 'Plot 1').waitFor()
  expect(await read.locator('.save-bar, .value-input, .draw-tools').count()).toBe(0)

  const other = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Other', tier: 'scale' })).id
  const body = { name: 'Secret', geojson: { type: 'FeatureCollection', features: [] } }
  const secret = (await instance.manage<{ id: string }>('POST', `/owners/${other}/layers`, body)).id
  const foreign = await openOwn(`/data/layers/${secret}`)
  await foreign.waitForSelector('h1:has-text("This layer does not exist")')
  expect(await foreign.locator('body').textContent()).not.toContain('Secret')
}, 300_000)
