/** Layers, files and results of an owner in tools, and results of tools as layers, in a browser. */
import { expect, test } from 'bun:test'
import { fleetPages } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { drop, fieldOf, run, stations } from '../../support/browser/tool-pages.ts'
import { until } from '../../support/until.ts'
import { gisOf } from '../../support/workers/tools.ts'

const { instance, fleet, organization, openOwn } = fleetPages()
const { read } = gisOf(
  () => instance,
  () => organization,
)
const owned = () => `/owners/${fleet.enterpriseId}`
const geojson = () => JSON.parse(stations) as { features: object[] }

test('a layer goes into a tool with two clicks, and a field takes layers, files, versions and results', async () => {
  const layer = await instance.manage<{ id: string }>('POST', `${owned()}/layers`, {
    name: 'Pumps',
    geojson: geojson(),
  })
  const page = await openOwn(`/data/layers/${layer.id}`)
  await page.getByRole('button', { name: 'Use in a tool' }).click()
  await page
    .getByRole('menuitem', { name: 'Buffer', exact: true })
    .or(page.locator('[data-item]', { hasText: /^Buffer/ }))
    .first()
    .click()
  const field = fieldOf(page, 'file')
  await field.getByText('Pumps').waitFor()
  // the columns of a layer
  await page.getByRole('combobox', { name: 'Distance source' }).selectOption('field')
  const column = page.getByRole('combobox', { name: 'Distance column' })
  await until(async () => (await column.locator('option').allTextContents()).includes('range_m'), 'the columns')
  await column.selectOption('range_m')
  const first = await run(page, '/buffer')
  expect(first).toMatchObject({ code: 'SUCCESS', data: { featureCount: geojson().features.length } })

  // the second field of another tool takes the result
  await page.goto('/portal/tools/vector.clip')
  await drop(fieldOf(page, 'file').locator('.drop-zone'), { name: 'own.geojson', content: stations })
  const mask = fieldOf(page, 'mask')
  await mask.getByRole('button', { name: 'Choose own data' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /Pumps.*version 1/ }).waitFor()
  await expectAccessible(page)
  await dialog.getByRole('tab', { name: 'Results of runs' }).click()
  await dialog.getByLabel('Search by name').fill('buffer')
  await dialog.locator('.own-choices button').first().click()
  await dialog.waitFor({ state: 'detached' })
  const clipped = await run(page, '/clip')
  expect(clipped.code).toBe('SUCCESS')
  const { data } = await read<{ inputs: { key: string }[] }>(`/runs/${clipped.data.usage.runId}`)
  expect(data.inputs[1]?.key).toBe(first.data.key)
}, 300_000)
