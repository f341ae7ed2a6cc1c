/** The list of sensors in a browser: order, filters, keyboard, bulk actions, and live changes. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { saved } from '../../support/browser/browser.ts'
import { fleetPages } from '../../support/browser/fleet-pages.ts'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { sampleOf } from '../../support/rounds.ts'
import { eventually, until } from '../../support/until.ts'

const { instance, fleet, organization, openOwn: open } = fleetPages({ width: 1440 })

type Listed = { id: string; name: string; tags: string[]; enabled: boolean }
const listed = async (): Promise<Listed[]> =>
  (await instance.manage<{ items: Listed[] }>('GET', `/enterprises/${fleet.enterpriseId}/sensors?limit=1000`)).items
const sensorNamed = async (name: string): Promise<Listed> => {
  const found = (await listed()).find((sensor) => sensor.name === name)
  if (found === undefined) throw new Error(`no sensor is named ${name}`)
  return found
}

const rows = (page: Page) => page.locator('.table-body > .table-row')
const rowOf = (page: Page, name: string) => rows(page).filter({ hasText: name })
const names = (page: Page): Promise<string[]> => page.locator('.table-body .sensor-name').allInnerTexts()

test('the broken sensors are on top, and the chips count every state', async () => {
  const page = await open('/sensors')
  await rows(page).first().waitFor()
  const worstFirst = ['refused', 'silent', 'late', 'new', 'held', 'off', 'sending']
  // states change while time passes
  await eventually(async () => {
    const states = await page
      .locator('.table-body .state')
      .evaluateAll((found) => found.map((element) => element.getAttribute('data-state') ?? ''))
    expect(states.length).toBe((await listed()).length)
    expect(states).toEqual(states.toSorted((a, b) => worstFirst.indexOf(a) - worstFirst.indexOf(b)))
    for (const state of new Set(states)) {
      const count = String(states.filter((one) => one === state).length)
      const chip = page.locator('.chip').filter({ has: page.locator(`[data-state="${state}"]`) })
      expect(await chip.locator('.chip-count').allTextContents()).toEqual([count])
    }
  })
  await expectAccessible(page)
}, 300_000)

test('search, tag and state are in the address, narrow the list and survive a reload', async () => {
  const page = await open('/sensors')
  await page.getByRole('searchbox').fill('pum')
  await page.waitForURL(/[?&]q=pum/)
  await until(async () => (await names(page)).join() === 'Pump 1')
  await page.reload()
  await until(async () => (await names(page)).join() === 'Pump 1')
  await eventually(async () => expect(await page.getByRole('searchbox').inputValue()).toBe('pum'))

  await page.goto('/portal/sensors?tag=yard')
  await until(async () => (await names(page)).length === 3)
  await page.locator('.chip [data-state="off"]').click()
  await page.waitForURL(/state=off/)
  await until(async () => (await names(page)).join() === 'Old gateway')

  await page.goto('/portal/sensors?q=nothing-is-named-so')
  await page.getByText('No sensor matches').waitFor()
  await page.getByRole('link', { name: 'Show all sensors' }).click()
  await until(async () => (await names(page)).length === (await listed()).length)
}, 300_000)

test('the star of a row or of a page marks a favourite, and the list and the map show favourites alone', async () => {
  const page = await open('/sensors?favourite=true')
  await page.getByText('No favourites yet').waitFor()
  const chip = page.getByRole('link', { name: 'Favourites', exact: true })
  await chip.click()
  await until(async () => (await names(page)).length === (await listed()).length, 'the whole list')
  const starOf = (name: string, pressed: boolean) =>
    page.getByRole('button', { name: new RegExp(`Favourite: .*${name}`), pressed })
  await starOf('Truck 7', false).click()
  await starOf('Truck 7', true).waitFor()
  // the row was not opened
  expect(page.url()).not.toContain('/sensors/')
  await page.getByRole('link', { name: 'Cold store' }).click()
  await starOf('Cold store', false).click()
  await starOf('Cold store', true).waitFor()
  await expectAccessible(page)
  await page.goto('/portal/sensors?sort=name')
  await starOf('Cold store', true).waitFor()
  await chip.click()
  await page.waitForURL(/favourite=true/)
  await until(async () => (await names(page)).join() === 'Cold store,Truck 7', 'the favourites')
  await page.goto('/portal/map')
  const counted = page.locator('.map-count [role="status"]')
  await counted.getByText(/^\d+ assets$/).waitFor()
  await page.getByRole('button', { name: 'Favourites' }).click()
  await counted.getByText(/^2 of \d+ assets$/).waitFor()
  await page.reload()
  await counted.getByText(/^2 of \d+ assets$/).waitFor()
  await expectAccessible(page)

  // the server's refusal restores the star
  await page.goto('/portal/sensors?sort=name')
  await starOf('Truck 7', true).waitFor()
  await page.route('**/favourite', (route) => route.abort())
  await starOf('Truck 7', true).click()
  await page.getByText('The server cannot be reached.').waitFor()
  await starOf('Truck 7', true).waitFor()
  await page.unroute('**/favourite')
  for (const name of ['Truck 7', 'Cold store']) await starOf(name, true).click()
  await page.goto('/portal/sensors?favourite=true')
  await page.getByText('No favourites yet').waitFor()
}, 300_000)

test('text typed while the address changes stays in the search', async () => {
  const page = await open('/sensors')
  const search = page.getByRole('searchbox')
  await search.waitFor()
  // the next key is pressed at the moment when the first ones have reached the address
  await page.evaluate(`{
    const replace = history.replaceState.bind(history)
    history.replaceState = (...state) => {
      replace(...state)
      const input = document.querySelector('input[type="search"]')
      if (!/q=pum$/.test(location.search) || input.value !== 'pum') return
      input.value = 'pump'
      input.dispatchEvent(new InputEvent('input', { bubbles: true }))
    }
  }`)
  await search.fill('pum')
  await page.waitForURL(/[?&]q=pump$/)
  expect(await search.inputValue()).toBe('pump')
  // the browser's buttons change the field
  await page.getByRole('link', { name: 'Map' }).first().click()
  await page.waitForURL(/\/map/)
  await page.goBack()
  await until(async () => (await names(page)).join() === 'Pump 1', 'the search of before')
  expect(await search.inputValue()).toBe('pump')
}, 300_000)

test('the list is sorted by the server, and columns are chosen in the address', async () => {
  const page = await open('/sensors')
  await rows(page).first().waitFor()
  await page.getByRole('button', { name: 'Sensor', exact: true }).click()
  await page.waitForURL(/sort=name/)
  const answer = await instance.manage<{ items: Listed[] }>('GET', `/enterprises/${fleet.enterpriseId}/sensors`)
  await until(async () => (await names(page))[0] === 'Cold store')
  await eventually(async () =>
    expect((await names(page)).toSorted()).toEqual(answer.items.map(({ name }) => name).toSorted()),
  )
  await page.getByRole('button', { name: 'Sensor', exact: true }).click()
  await page.waitForURL(/order=desc/)
  await until(async () => (await names(page)).at(-1) === 'Cold store')

  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Asset' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Id', exact: true }).click()
  await page.keyboard.press('Escape')
  await eventually(async () => {
    const titles = await page.getByRole('columnheader').allInnerTexts()
    expect(titles.map((title) => title.trim())).toEqual([
      '',
      'State',
      'Sensor',
      'Newest values',
      'Last reading',
      'Last 24 h',
      'Refused, 1 h',
      'Tags',
      'Id',
    ])
  })
  const { text: file } = await saved(page.getByRole('button', { name: 'CSV', exact: true }))
  const lines = file.slice(1).trim().split('\r\n')
  expect(file.codePointAt(0)).toBe(0xfeff)
  expect(lines[0]).toBe('State,Sensor,Newest values,Last reading,Last 24 h,"Refused, 1 h",Tags,Id')
  expect(lines.slice(1).map((line) => line.split(',').at(-1))).toEqual(
    expect.arrayContaining(answer.items.map(({ id }) => id)),
  )
}, 300_000)

test('one click sorts by the newest value of a channel; values filter the list, and the address has it all', async () => {
  const odd = await instance.sensor(
    fleet.enterpriseId,
    [
      { name: 'flow > a, "b"', measurement: 'number', unit: 'l/s' },
      { name: 'temperature', measurement: 'number', unit: '°C' },
    ],
    'Furnace',
  )
  await instance.send(odd, {
    readings: [{ at: new Date().toISOString(), values: { temperature: 812.25, 'flow > a, "b"': 3 } }],
  })
  await instance.sensor(fleet.enterpriseId, [{ name: 'temperature', measurement: 'number', unit: '°C' }], 'Empty')
  const newest = async (query: string): Promise<string[]> => {
    const path = `/sensors?limit=1000&${query}`
    const { data } = await instance.query<{ items: Listed[] }>(organization, path)
    return data.items.map(({ name }) => name)
  }
  await until(async () => (await newest('sort=-temperature'))[0] === 'Furnace', 'the reading')
  const page = await open('/sensors')
  await page.locator('.sensor-channel', { hasText: 'temperature' }).first().click()
  await until(async () => (await names(page))[0] === 'Furnace', 'the hottest first')
  const head = page.getByRole('columnheader', { name: 'temperature, °C' })
  expect(await head.getAttribute('aria-sort')).toBe('descending')
  // with its unit
  await eventually(async () =>
    expect(await head.locator('.cut').evaluate((title) => title.scrollWidth <= title.clientWidth)).toBe(true),
  )
  await rowOf(page, 'Furnace').locator('.table-number').getByText('812.25').waitFor()
  await eventually(async () => expect(await names(page)).toEqual(await newest('sort=-temperature')))
  await page.reload()
  await until(async () => (await names(page))[0] === 'Furnace', 'the order after a reload')
  await head.getByRole('button').click()
  await page.waitForURL(/order=asc/)
  await eventually(async () => expect(await names(page)).toEqual(await newest('sort=temperature')))

  await page.getByRole('button', { name: 'Value', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Channel').selectOption({ value: 'temperature' })
  await dialog.getByRole('textbox', { name: 'Value' }).fill('warm')
  await dialog.getByRole('button', { name: 'Add filter' }).click()
  await dialog.getByText('Enter a number.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'Value' }).fill('20,5')
  await dialog.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('link', { name: 'temperature > 20.5 °C' }).waitFor()
  await eventually(async () =>
    expect(await names(page)).toEqual(await newest('sort=temperature&where=temperature>20.5')),
  )
  await page.getByRole('button', { name: 'Value', exact: true }).click()
  await dialog.getByLabel('Channel').selectOption({ value: 'flow > a, "b"' })
  await dialog.getByLabel('Is').selectOption('at least')
  await dialog.getByRole('textbox', { name: 'Value' }).fill('3')
  await dialog.getByRole('button', { name: 'Add filter' }).click()
  await until(async () => (await names(page)).join() === 'Furnace', 'both conditions')
  await page.reload()
  await until(async () => (await names(page)).join() === 'Furnace', 'both conditions after a reload')
  await page.getByRole('link', { name: 'flow > a, "b" ≥ 3 l/s' }).click()
  await until(async () => (await names(page)).length > 1, 'the first condition alone')

  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'flow > a, "b", l/s' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('columnheader', { name: 'flow > a, "b", l/s' }).waitFor()
  const { text: file } = await saved(page.getByRole('button', { name: 'CSV', exact: true }))
  const lines = file.slice(1).trim().split('\r\n')
  expect(lines[0]).toContain('"temperature, °C"')
  expect(lines.find((line) => line.includes('Furnace'))).toContain('812.25')
}, 300_000)

test('an asset that is named like its sensor is not repeated, and no label is cut to a letter', async () => {
  const page = await open('/sensors?q=Truck', { width: 1280 })
  await rowOf(page, 'Truck 7').locator('.sensor-values .number').first().waitFor()
  expect(await rowOf(page, 'Truck 7').getByText('Truck 7').count()).toBe(1)
  for (const width of [1280, 1000, 768]) {
    await page.setViewportSize({ width, height: 800 })
    const widths = await page.locator('.sensor-values').evaluateAll((cells) =>
      cells.flatMap((cell) => {
        const bottom = cell.getBoundingClientRect().bottom
        return [...cell.querySelectorAll('.sensor-channel')]
          .map((label) => label.getBoundingClientRect())
          .filter((box) => box.top < bottom)
          .map((box) => Math.round(box.width))
      }),
    )
    expect(widths.length).toBeGreaterThan(0)
    for (const label of widths) expect(label).toBeGreaterThan(30)
  }
}, 300_000)

test('on a laptop all columns are in view, and the column of tags appears when it is chosen', async () => {
  for (const language of sampleOf(['en', 'ar'] as const, 1)) {
    const page = await open('/sensors', { width: 1280, language })
    await rows(page).first().waitFor()
    expect(await page.getByRole('columnheader').count()).toBe(8)
    expect(
      await page.locator('.table-scroll').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    ).toBe(0)
    await page.goto('/portal/sensors?columns=state,name,tags')
    await page.locator('.sensor-tag').first().waitFor()
  }
}, 300_000)

test('the keyboard moves, selects and opens', async () => {
  const page = await open('/sensors?sort=name')
  await until(async () => (await names(page))[0] === 'Cold store')
  await page.getByRole('grid').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press(' ')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press(' ')
  await page.getByText('2 selected').waitFor()
  const current = await page.getByRole('grid').getAttribute('aria-activedescendant')
  const row = page.locator('.table-row', { has: page.locator(`[id="${current}"]`) })
  await eventually(async () => expect(await row.getAttribute('aria-selected')).toBe('true'))
  const id = (await row.locator('.sensor-name').getAttribute('href'))?.split('/').at(-1)
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/portal/sensors/${id}(\\?|$)`))
}, 300_000)

test('a bulk tag is added and undone; switching off shows at once', async () => {
  const page = await open('/sensors?tag=yard&sort=name')
  await until(async () => (await names(page)).length === 3)
  const before = await listed()
  await page.getByLabel('Select the loaded rows').click()
  await page.getByText('3 selected').waitFor()
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByRole('textbox', { name: 'Tag' }).fill('x'.repeat(51))
  await page.getByRole('button', { name: 'Add tag' }).click()
  await page.getByText('A tag has 1 to 50 characters.').waitFor()
  await page.getByRole('textbox', { name: 'Tag' }).fill('<b>spring</b>')
  await page.getByRole('button', { name: 'Add tag' }).click()
  await page.getByText('3 sensors changed.').waitFor()
  expect((await listed()).filter(({ tags }) => tags.includes('<b>spring</b>')).length).toBe(3)
  await rowOf(page, 'Cold store').getByText('<b>spring</b>').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => !(await listed()).some(({ tags }) => tags.includes('<b>spring</b>')), 'the undo')
  expect((await listed()).map(({ tags }) => tags)).toEqual(before.map(({ tags }) => tags))

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Switch off' }).click()
  await rowOf(page, 'Cold store').locator('[data-state="off"]').waitFor()
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await until(async () => (await sensorNamed('Cold store')).enabled, 'the undo')
  // it was off before
  expect(await sensorNamed('Old gateway')).toMatchObject({ enabled: false })
}, 300_000)

test('several sensors are deleted only after their number was typed', async () => {
  for (const name of ['Spare A', 'Spare B'])
    await instance.manage('POST', `/enterprises/${fleet.enterpriseId}/sensors`, { name, channels: [] })
  const page = await open('/sensors?q=Spare')
  await until(async () => (await names(page)).length === 2)
  await page.getByLabel('Select the loaded rows').click()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  const button = dialog.getByRole('button', { name: 'Delete 2 sensors' })
  expect(await button.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('3')
  expect(await button.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('2')
  await button.click()
  await page.getByText('No sensor matches').waitFor()
  expect((await listed()).filter(({ name }) => name.startsWith('Spare'))).toEqual([])
}, 300_000)

test('a reading changes the state of its sensor without a reload, and fills a column with a comma in its name', async () => {
  // the parts of the name are channels too, and the row has three channels without being asked
  const others = ['a', 'b', 'a,b'].map((name) => ({ name, measurement: 'number' as const, unit: 'm' }))
  const sensor = await instance.sensor(
    fleet.enterpriseId,
    [{ name: 'level', measurement: 'number', unit: 'm' }, ...others],
    'Tide gauge',
  )
  const page = await open('/sensors?q=Tide&columns=state,name,latest,c.a%252Cb')
  await rowOf(page, 'Tide gauge').locator('[data-state="new"]').waitFor()
  await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { level: 1.25, 'a,b': 44.5 } }] })
  await rowOf(page, 'Tide gauge').locator('[data-state="sending"]').waitFor()
  await rowOf(page, 'Tide gauge').locator('.sensor-values').getByText('1.25 m').waitFor()
  await rowOf(page, 'Tide gauge').locator('.table-number').getByText('44.5').waitFor()
}, 300_000)

test('names are shown as text, and a lost connection is reported and restored', async () => {
  const name = '<img src=x onerror=alert(1)>\u202e مضخة'
  await instance.manage('POST', `/enterprises/${fleet.enterpriseId}/sensors`, { name, channels: [] })
  const page = await open('/sensors?q=onerror')
  await rows(page).first().waitFor()
  expect(await page.locator('.table img').count()).toBe(0)
  expect(await page.locator('.sensor-name').first().textContent()).toBe(name)

  const context = page.context()
  await context.setOffline(true)
  await page.getByText('No connection.').waitFor()
  await page.getByRole('searchbox').fill('Roof')
  await page.getByText('The server cannot be reached.').waitFor()
  await context.setOffline(false)
  await until(async () => (await names(page)).join() === 'Roof station')
  await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' })
}, 300_000)

test('in Arabic the page is mirrored and complete; on a phone the sensors in the worst state are in view', async () => {
  const page = await open('/sensors', { language: 'ar' })
  await rows(page).first().waitFor()
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
  const first = await page.getByRole('columnheader').nth(1).boundingBox()
  const last = await page.getByRole('columnheader').last().boundingBox()
  expect(first?.x ?? 0).toBeGreaterThan(last?.x ?? 0)
  await page
    .getByRole('button', { name: 'إنشاء مستشعر' })
    .or(page.getByRole('link', { name: 'إنشاء مستشعر' }))
    .waitFor()
  await expectAccessible(page)

  const phone = await open('/sensors', { width: 390, height: 800 })
  await rows(phone).first().waitFor()
  await until(
    () => phone.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'),
    'a page without a bar',
  )
  await expectAccessible(phone)
}, 300_000)
