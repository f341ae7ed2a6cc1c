/** Dashboards in a browser: made from the fleet, arranged by keys, drag and form, saved, shared, on a wall. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { boxOf, saved } from '../../support/browser/browser.ts'
import { fleetPages } from '../../support/browser/fleet-pages.ts'
import { PANELS, portalDashboard } from '../../support/browser/portal-dashboards.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { callAs, memberAccount } from '../../support/sessions.ts'
import { eventually } from '../../support/until.ts'

const { instance, fleet, openOwn, open, as } = fleetPages({ width: 1440 })
const DASHBOARDS = '/enterprise/v1/assets/dashboards'

type Panel = {
  id: string
  type: string
  x: number
  y: number
  w: number
  h: number
  title?: string
  channels?: string[]
}
type Dashboard = { id: string; name: string; shared: boolean; document: { version: 1; panels: Panel[] } }
const stored = async (id: string): Promise<Dashboard> =>
  (
    await callAs<Dashboard>(instance.url(), fleet.operator, 'GET', `${DASHBOARDS}/${id}`, {
      enterprise: fleet.enterpriseId,
    })
  ).data
const idOf = (page: Page): string => /dashboards\/(das_\w+)/.exec(page.url())?.[1] ?? ''
const panel = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

test('a fleet gets a dashboard by itself, which says from what it was made', async () => {
  const member = await memberAccount(instance, fleet.enterpriseId, 'member')
  // the member sees shared ones only, and there is one in the fleet
  for (const { id } of (
    await callAs<{ items: Dashboard[] }>(instance.url(), fleet.operator, 'GET', DASHBOARDS, {
      enterprise: fleet.enterpriseId,
    })
  ).data.items)
    await callAs(instance.url(), fleet.operator, 'PATCH', `${DASHBOARDS}/${id}`, {
      enterprise: fleet.enterpriseId,
      body: { shared: false },
    })
  const page = await open(await as(member, { width: 1440 }), '/dashboards')
  await page.getByRole('button', { name: 'Create one from my fleet' }).click()
  await page.waitForURL(/dashboards\/das_/)
  await page.getByText(/Made from the channels .*temperature.* and .*humidity/).waitFor()
  await panel(page, 'States of the fleet').getByText('Sending').waitFor()
  await panel(page, 'Needs attention').getByRole('link', { name: 'Roof station' }).waitFor()
  expect(await page.getByRole('article').count()).toBe(7)
  await expectAccessible(page)
}, 300_000)

test('panels are added by the form, moved by keys and by dragging, and saved', async () => {
  const { address, id } = await portalDashboard(instance, fleet.enterpriseId, fleet.operator)
  const page = await openOwn(address)
  await panel(page, 'temperature').first().locator('.dash-figure').waitFor()
  await page.getByRole('button', { name: 'Arrange' }).click()
  await page.getByRole('button', { name: 'Add panel' }).click()
  await page.getByLabel('Shows').selectOption('number')
  await page.getByRole('dialog').getByRole('button', { name: 'Add panel' }).click()
  await page.getByText('Choose a channel.').waitFor()
  await page.getByRole('radio', { name: 'humidity' }).check()
  await page.getByLabel('Title').fill('Humid')
  await page.getByRole('dialog').getByRole('button', { name: 'Add panel' }).click()
  await panel(page, 'Humid').locator('.dash-figure').waitFor()
  // by keys: narrower, then to the end side
  const handle = page.getByRole('button', { name: /^Move .*Humid/ })
  await handle.focus()
  for (const key of ['Shift+ArrowLeft', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
  // by dragging: the states to the end side, which pushes the others down
  const grip = page.getByRole('button', { name: /^Move .*States/ })
  await grip.scrollIntoViewIfNeeded()
  const states = await grip.boundingBox()
  const column = ((await page.locator('.dash-grid').boundingBox())?.width ?? 0) / 12
  const [x, y] = [(states?.x ?? 0) + 8, (states?.y ?? 0) + 8]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 3 * column, y, { steps: 5 })
  await page.mouse.up()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save dashboard' }).click()
  await page.getByText('The dashboard was saved.').waitFor()
  const { panels } = (await stored(id)).document
  expect(panels.find(({ title }) => title === 'Humid')).toMatchObject({
    type: 'number',
    channels: ['humidity'],
    x: 2,
    w: 5,
  })
  expect(panels.find((one) => one.id === 'states')).toMatchObject({ x: 3, y: 0 })
  expect(panels.find((one) => one.id === 'warm')?.y).toBe(4)
}, 300_000)

test('somebody else saved meanwhile: both versions are shown, and the chosen one stays', async () => {
  const { address, id } = await portalDashboard(instance, fleet.enterpriseId, fleet.operator)
  const page = await openOwn(`${address}?edit=on`)
  await page.getByRole('button', { name: /^Remove .*States/ }).click()
  await callAs(instance.url(), fleet.operator, 'PATCH', `${DASHBOARDS}/${id}`, {
    enterprise: fleet.enterpriseId,
    body: { document: { version: 1, panels: [] } },
  })
  await page.getByRole('button', { name: 'Save dashboard' }).click()
  const question = page.getByRole('dialog')
  await question.getByText('0 panels').waitFor()
  await question.getByText('4 panels').waitFor()
  await question.locator('.button-main').click()
  await eventually(async () => expect((await stored(id)).document.panels).toHaveLength(4))
}, 300_000)

test('a chosen range and unsaved panels survive a reload and another page, and a change by somebody else is not overwritten', async () => {
  const { address, id } = await portalDashboard(instance, fleet.enterpriseId, fleet.operator)
  const store = (panels: object[], range = '7d') =>
    callAs(instance.url(), fleet.operator, 'PATCH', `${DASHBOARDS}/${id}`, {
      enterprise: fleet.enterpriseId,
      body: { document: { version: 1, range, panels } },
    })
  await store(PANELS)
  const page = await openOwn(address)
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  const range = (name: string) => page.getByRole('radio', { name, exact: true })
  await page.locator('.dash-figure').waitFor()
  expect(await range('7 d').isChecked()).toBe(true)
  await range('24 h').check()
  await page.reload()
  await page.locator('.dash-figure').waitFor()
  expect(await range('24 h').isChecked()).toBe(true)

  await page.getByRole('button', { name: 'Arrange' }).click()
  await page.getByRole('button', { name: /^Remove .*States/ }).click()
  await range('6 h').check()
  await store([])
  await page.getByRole('main').getByRole('link', { name: 'Dashboards' }).click()
  await page.getByText('Your changes are not saved. This tab keeps them until you come back.').waitFor()
  await page.goto(`/portal${address}`)
  await page.getByText('Your unsaved changes from last time are back.').waitFor()
  expect(await page.getByRole('article').count()).toBe(PANELS.length - 1)
  await page.getByRole('button', { name: 'Save dashboard' }).click()
  const question = page.getByRole('dialog')
  await question.getByText('0 panels').waitFor()
  expect((await stored(id)).document.panels).toEqual([])
  await question.locator('.button-main').click()
  await eventually(async () => expect((await stored(id)).document.panels).toHaveLength(PANELS.length - 1))
  await page.getByRole('button', { name: 'Arrange' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Arrange' }).waitFor()
  expect(asked).toEqual([])
}, 300_000)

test('the tag and the range of the address reach every panel, and sensors without a match say so', async () => {
  const { address } = await portalDashboard(instance, fleet.enterpriseId, fleet.operator)
  const page = await openOwn(`${address}?tag=yard&range=7d`)
  const request = await page.waitForRequest(
    (one) => one.url().endsWith('/panels') && one.postData()?.includes('"warm"') === true,
  )
  const { variables, from, to } = request.postDataJSON() as { variables: object; from: string; to: string }
  expect(variables).toEqual({ tag: 'yard' })
  expect(Date.parse(to) - Date.parse(from)).toBe(7 * 86_400_000)
  await page.goto(`/portal${address}?tag=nothing`)
  await page.getByText('No sensor matches this panel.').first().waitFor()
}, 300_000)

test('a dashboard is exported as JSON, and imported again', async () => {
  const { address, id } = await portalDashboard(instance, fleet.enterpriseId, fleet.operator)
  const page = await openOwn(address)
  await page.getByRole('button', { name: 'More actions' }).click()
  const { text } = await saved(page.getByText('Export as JSON'))
  const { document } = await stored(id)
  expect(JSON.parse(text)).toEqual({ name: 'Cold chain', document })
  await page.goto('/portal/dashboards')
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
  await page.getByText('is not a dashboard of version 1').waitFor()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  await page.waitForURL(/dashboards\/das_/)
  expect(await stored(idOf(page))).toMatchObject({ name: 'Cold chain', shared: false, document })
}, 300_000)

for (const view of [{}, { language: 'ar', theme: 'dark' }] as const)
  test(`the picture of a dashboard has what its page shows ${JSON.stringify(view)}`, async () => {
    const { address } = await portalDashboard(instance, fleet.enterpriseId, fleet.operator)
    const page = await openOwn(address, { width: 1440, height: 1400, ...view })
    await page.locator('.dash-figure').waitFor()
    await page.locator('.map[data-ready="true"]').waitFor()
    await page.locator('.chart-plot:not(.chart-waits)').waitFor()
    await page.locator('.page-actions .menu-button').last().click()
    const download = page.waitForEvent('download')
    await page.getByText(/^(Save as picture|حفظ كصورة)/).click()
    const file = readFileSync(await (await download).path())
    const picture = sharp(
      await sharp(file)
        .resize((await sharp(file).metadata()).width / 2)
        .toBuffer(),
    )
    // Chromium's own picture of each panel, without the buttons of the map
    await page.evaluate(
      `for (const one of document.querySelectorAll('.maplibregl-ctrl-group, .maplibregl-ctrl-attrib-button')) one.style.visibility = 'hidden'`,
    )
    for (const article of await page.getByRole('article').all()) {
      const [grid, box] = [await boxOf(page.locator('.dash-grid')), await boxOf(article)]
      const shown = sharp(await article.screenshot())
      const { width = 0, height = 0 } = await shown.metadata()
      const left = Math.round(box.x - grid.x + 12)
      const top = Math.round(box.y - grid.y + 52)
      const [drawn, expected] = await Promise.all(
        [picture.clone().extract({ left, top, width, height }), shown].map((one) => one.greyscale().raw().toBuffer()),
      )
      // where Chromium has ink: text, lines and the map. Letters may be smoothed differently by a pixel.
      const paper = expected?.[width * 20 + 6] ?? 0
      const near = [-width, 0, width].flatMap((row) => [row - 1, row, row + 1])
      let [ink, missing] = [0, 0]
      for (const [i, grey] of (expected ?? []).entries()) {
        if (Math.abs(grey - paper) < 48) continue
        ink++
        if (near.every((step) => Math.abs((drawn?.[i + step] ?? paper) - paper) < 24)) missing++
      }
      expect(ink).toBeGreaterThan(150)
      expect({ title: await article.getAttribute('aria-label'), missing: missing / ink }).toSatisfy(
        (panel) => panel.missing < 0.1,
      )
    }
    // paper has the picture and nothing else
    await page.evaluate('window.print = () => undefined')
    await page.locator('.page-actions .menu-button').last().click()
    await page.getByText(/PDF$/).click()
    const printed = page.locator('.dash-print')
    await printed.waitFor({ state: 'attached' })
    expect(await printed.isVisible()).toBe(false)
    await page.emulateMedia({ media: 'print' })
    expect([await printed.isVisible(), await page.locator('.dash').isVisible()]).toEqual([true, false])
  }, 300_000)

test('on a wall there is no frame, and a lost connection is survived', async () => {
  const { address } = await portalDashboard(instance, fleet.enterpriseId, fleet.operator)
  const page = await openOwn(`${address}?wall=on`)
  await page.locator('.dash-figure').waitFor()
  expect(await page.getByRole('button', { name: 'Arrange' }).count()).toBe(0)
  await page.context().setOffline(true)
  // the next refresh, after at most 15 s
  await page.getByText('Could not be updated').first().waitFor()
  expect(await page.locator('.dash-figure').count()).toBe(1)
  await page.context().setOffline(false)
  await eventually(async () => expect(await page.getByText('Could not be updated').count()).toBe(0))
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Arrange' }).waitFor()
}, 300_000)

test('a link is made, shows the dashboard without an account, and ends when it is revoked', async () => {
  const { address } = await portalDashboard(instance, fleet.enterpriseId, fleet.operator)
  const page = await openOwn(address)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByText('Links without an account').click()
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = new URL((await page.locator('.dash-link code').textContent()) ?? '')
  await expectAccessible(page)
  const visitor = await open(undefined, `/shared${link.hash}`)
  await panel(visitor, 'States').getByText('Sending').waitFor()
  await panel(visitor, 'Needs attention').getByText('Roof station').waitFor()
  expect(await visitor.getByRole('link').count()).toBe(0)
  await expectAccessible(visitor)
  for (const button of await page.getByRole('button', { name: 'Revoke' }).all()) await button.click()
  await page.getByText('There are no links.').waitFor()
  await visitor.reload()
  await visitor.getByText('This link does not work').waitFor()
}, 300_000)
