/** Sensors in relation to each other: compared in one chart, one after the other, and with statistics and thresholds. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { sensorPages } from '../../support/browser/sensor-pages.ts'
import { eventually, until } from '../../support/until.ts'

const { instance, organization, sensorWith, signedIn, open } = sensorPages()

const plain = (text: string | null): string => (text ?? '').replaceAll(/[\u2066-\u2069]/g, '').replaceAll(/\s+/g, ' ')
const drawn = (page: Page) => page.waitForSelector('.chart-panels[aria-busy="false"][data-points] canvas')

/** Readings of five hours, and the plain statistics of their temperatures. */
function fiveHours(base: number) {
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000
  const readings = Array.from({ length: 300 }, (_, i) => ({
    at: new Date(nowMs - (300 - i) * 60_000).toISOString(),
    values: { temperature: base + ((i * 7) % 13) / 4, 'pressure, gauge': 1.5 },
  }))
  const values = readings.map((one) => one.values.temperature)
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return { readings, count: 300, min: Math.min(...values), mean, max: Math.max(...values), last: values.at(-1) }
}

test('two sensors are compared in three clicks from the list, with one request and their statistics', async () => {
  const [cellar, roof] = [fiveHours(10), fiveHours(30)]
  const sensors = [await sensorWith(cellar.readings, 'Cellar'), await sensorWith(roof.readings, 'Roof')]
  await sensorWith([], 'Unused')
  for (const sensor of sensors)
    await until(async () => {
      const { data } = await instance.query<{ at: string }>(organization, `/sensors/${sensor.id}/latest`)
      return data.at === cellar.readings.at(-1)?.at
    }, 'the last reading')
  const page = await open(await signedIn({ width: 1440 }), `/sensors?enterprise=${organization.id}&sort=name`)
  const asked: string[] = []
  page.on('request', (request) => {
    if (/\/series\?/.test(request.url())) asked.push(request.url())
  })
  for (const name of ['Cellar', 'Roof'])
    await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').click()
  await page.getByRole('link', { name: 'Compare', exact: true }).click()
  await drawn(page)
  expect(new URL(page.url()).searchParams.get('with')?.split(',').sort()).toEqual(sensors.map(({ id }) => id).sort())
  // a panel for each unit, and one for booleans
  await eventually(async () => expect(await page.locator('.chart-panel').count()).toBe(3))
  const [first] = await page.locator('.chart-legend').all()
  expect(plain((await first?.textContent()) ?? '')).toMatch(/Cellar · temperature.*Roof · temperature/)
  // lines differ in colour and in dash
  const styles = await first
    ?.locator('.chart-swatch')
    .evaluateAll((all) =>
      all.map((one) => [one.getAttribute('class'), one.querySelector('line')?.getAttribute('stroke-dasharray')]),
    )
  expect(styles?.[0]?.[0]).not.toBe(styles?.[1]?.[0])
  expect(styles?.[0]?.[1]).not.toBe(styles?.[1]?.[1])

  const rowOf = async (name: string): Promise<number[]> => {
    const cells = page
      .locator('[aria-label="Statistics of this range"] tbody tr')
      .filter({ hasText: `${name} · temperature` })
    const texts = await cells.locator('td').allTextContents()
    return texts.map((text) => Number.parseFloat(plain(text)))
  }
  await eventually(async () => {
    for (const [name, { count, min, mean, max, last = Number.NaN }] of [
      ['Cellar', cellar],
      ['Roof', roof],
    ] as const) {
      const [shownCount, low, average = 0, high, newest] = await rowOf(name)
      expect([shownCount, low, high, newest]).toEqual([count, min, max, last])
      expect(average).toBeCloseTo(mean, 2)
    }
  })
  expect(asked.filter((url) => url.includes('avg') && url.includes('step=auto')).length).toBe(1)
  await expectAccessible(page)

  // a threshold is kept in the address
  await page.getByRole('button', { name: 'Thresholds' }).first().click()
  await page
    .getByRole('dialog')
    .getByLabel(/Thresholds in/)
    .fill('25 60')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.waitForURL(/limits=/)
  await page.reload()
  await drawn(page)
  await eventually(async () =>
    expect(plain(await page.locator('.chart-zero').first().textContent())).toContain('Threshold 25 °C and 60 °C'),
  )
}, 300_000)

test('a sensor is compared from its chart, and links to its neighbours in the order of the list', async () => {
  const names = ['Neighbour C', 'Neighbour A', 'Neighbour B']
  for (const name of names) await sensorWith(fiveHours(5).readings.slice(-5), name)
  const page = await open(
    await signedIn({ width: 1440 }),
    `/sensors?enterprise=${organization.id}&sort=name&order=desc&q=Neighbour`,
  )
  await page.getByRole('gridcell', { name: 'Neighbour B' }).waitFor()
  await page.getByRole('link', { name: 'Neighbour B' }).click()
  await page.waitForSelector('.values')
  await page.getByText(/2.? of .?3/).waitFor()
  await page.getByRole('link', { name: 'Next sensor' }).click()
  await page.getByRole('heading', { name: 'Neighbour A' }).waitFor()
  expect(await page.getByRole('link', { name: 'Next sensor' }).count()).toBe(0)
  await page.reload()
  await page.getByRole('link', { name: 'Previous sensor' }).click()
  await page.getByRole('heading', { name: 'Neighbour B' }).waitFor()

  await page.getByRole('button', { name: 'Compare with…' }).click()
  await page.getByRole('dialog').getByLabel('Neighbour C').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Compare', exact: true }).click()
  await page.waitForURL(/sensors\/compare\?/)
  await drawn(page)
  await eventually(async () =>
    expect(plain(await page.locator('.compare-sensors').textContent())).toBe('Neighbour BNeighbour C'),
  )
}, 300_000)

/** Left edges of parts of a text, in the first element that has the first part. */
const leftOf = (page: Page, selector: string, parts: readonly string[]): Promise<number[]> =>
  page.evaluate(`(() => {
    const [selector, parts] = ${JSON.stringify([selector, parts])}
    const element = [...document.querySelectorAll(selector)].find((one) => one.textContent.includes(parts[0]))
    if (element === undefined) return []
    const nodes = []
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) nodes.push(walker.currentNode)
    return parts.map((part) => {
      const node = nodes.find(({ data }) => data.includes(part))
      const range = document.createRange()
      range.setStart(node, node.data.indexOf(part))
      range.setEnd(node, node.data.indexOf(part) + part.length)
      return range.getBoundingClientRect().left
    })
  })()`)

test('a name of the other direction keeps the order of the page, and a past range has no newest readings', async () => {
  const { readings } = fiveHours(5)
  const [arabic, latin] = [await sensorWith(readings, 'غرفة التبريد'), await sensorWith(readings, 'Depot 7')]
  for (const { id } of [arabic, latin])
    await until(async () => {
      const { data } = await instance.query<{ at: string }>(organization, `/sensors/${id}/latest`)
      return data.at === readings.at(-1)?.at
    }, 'the last reading')
  const [from, to] = [readings[100]?.at, readings[160]?.at]
  const past = new URLSearchParams({ from: String(from), to: String(to) })
  const texts = {
    en: ['Last readings of this range', /^Means of the last [\d.]+ \w+ of this range$/],
    ar: ['آخر قراءات هذه المدة', /^متوسطات آخر .+ من هذه المدة$/],
  } as const
  for (const language of ['en', 'ar'] as const) {
    const context = await signedIn({ width: 1440, language })
    const compared = `/sensors/compare?enterprise=${organization.id}&with=${arabic.id},${latin.id}`
    const page = await open(context, `${compared}&${past}`)
    await drawn(page)
    const isStartLeft = language === 'en'
    for (const name of ['غرفة التبريد', 'Depot 7'])
      for (const selector of ['.chart-pair', '[aria-label] tbody th']) {
        await eventually(async () => {
          const [sensor = Number.NaN, channel = sensor] = await leftOf(page, selector, [name, 'temperature'])
          expect(sensor).not.toBe(channel)
          expect([selector, name, sensor < channel]).toEqual([selector, name, isStartLeft])
        })
      }
    expect(plain(await page.locator('.chart-time').textContent())).toBe(texts[language][0])
    // a long range has means
    await page.goto(`/portal${compared}&from=2026-01-01T00:00:00Z&to=${to}`)
    await drawn(page)
    await eventually(async () =>
      expect(plain(await page.locator('.chart-time').textContent())).toMatch(texts[language][1]),
    )
  }
}, 300_000)
