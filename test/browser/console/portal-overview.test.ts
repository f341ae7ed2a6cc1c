/** The overview in Chromium: sensors in trouble, the curve of two days, newest events, and a map that loads late. */
import { expect, test } from 'bun:test'
import { fleetPages } from '../../support/browser/fleet-pages.ts'
import { expectAccessible, widthOf } from '../../support/browser/portal-pages.ts'
import { eventually } from '../../support/until.ts'

const { instance, fleet, device, open } = fleetPages()

/** 60 readings a minute in each step of today, and 40 a day before. */
const rates = {
  from: new Date(Date.now() - 86_400_000).toISOString(),
  stepSeconds: 600,
  today: new Array<number>(144).fill(60),
  yesterday: new Array<number>(144).fill(40),
}

test('the overview shows sensors in trouble only, compares two days, and loads its map when it comes into view', async () => {
  const truck = fleet.sensors[4]
  if (truck === undefined) throw new Error('the fleet has too few sensors')
  for (const [i, location] of [
    [30, 30],
    [31.2, 30.1],
  ].entries())
    await instance.send(truck, {
      readings: [{ at: new Date(Date.now() - 7_000_000 + i * 1000).toISOString(), location, values: {} }],
    })
  const context = await device({ width: 390, height: 844 })
  await context.route('**/assets/sensors/rates', (route) => route.fulfill({ json: { ok: true, data: rates } }))
  const page = await open(context, '/')
  await page.locator('.overview-table tbody tr').first().waitFor()
  const states = page.locator('.overview-table tbody [data-state]')
  // refusals are counted after two seconds
  await eventually(async () =>
    expect(await states.evaluateAll((all) => all.map((one) => one.getAttribute('data-state')))).toEqual([
      'refused',
      'silent',
      'late',
    ]),
  )
  await page.getByText('86,400 readings in the last 24 h').waitFor()
  await page.getByText(/50%.? more than in the 24 h before/).waitFor()
  // the value axis begins at zero: the lines of constant rates are at the top and at two thirds of the height
  const paths = await page.locator('.overview-plot path').evaluateAll((all) => all.map((one) => one.getAttribute('d')))
  expect(paths.map((path) => new Set([...(path ?? '').matchAll(/ ([\d.]+)/g)].map(([, y]) => y)))).toEqual([
    new Set(['21.3']),
    new Set(['0.0']),
  ])
  await eventually(async () =>
    expect(await page.locator('.overview-events').textContent()).toContain(
      '\u2068Truck 7\u2069 entered \u2068Yard\u2069',
    ),
  )
  expect(await widthOf(page)).toBe(390)
  await expectAccessible(page)
  expect(await page.locator('.map').count()).toBe(0)
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.waitForSelector('.map-small[data-ready="true"]')
  await page.getByRole('link', { name: 'Open the map' }).waitFor()
}, 300_000)
