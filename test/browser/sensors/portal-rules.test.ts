/** Rules in Chromium: made in a form and from a line on a chart, tried on stored readings, switched off and deleted. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { boxOf, pressTab } from '../../support/browser/browser.ts'
import { expectAccessible, widthOf } from '../../support/browser/portal-pages.ts'
import { sensorPages } from '../../support/browser/sensor-pages.ts'
import type { MadeSensor } from '../../support/server/instance.ts'
import { eventually, until } from '../../support/until.ts'

const { instance, organization, sensorWith, signedIn, open, openSensor } = sensorPages()

type Rule = Record<string, unknown> & { id: string; name: string; enabled: boolean }

const plain = (text: string | null): string => (text ?? '').replaceAll(/[\u2066-\u2069]/g, '').replaceAll(/\s+/g, ' ')
const drawn = (page: Page) => page.waitForSelector('.chart-panels[aria-busy="false"][data-points] canvas')
const rules = async (): Promise<Rule[]> => (await instance.query<{ items: Rule[] }>(organization, '/rules')).data.items
const ruleNamed = async (name: string): Promise<Rule | undefined> => (await rules()).find((rule) => rule.name === name)
const inEnterprise = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}enterprise=${organization.id}`

const SPIKES = 3
/** A reading each minute of five hours, at 20 °C, with three spikes of ten minutes at 30 °C. */
async function sensorWithSpikes(name: string): Promise<MadeSensor> {
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000
  const readings = Array.from({ length: 300 }, (_, i) => ({
    at: new Date(nowMs - (300 - i) * 60_000).toISOString(),
    values: { temperature: i % 100 >= 40 && i % 100 < 50 ? 30 : 20, running: true },
  }))
  const sensor = await sensorWith(readings, name)
  await until(async () => {
    const { data } = await instance.query<{ at: string }>(organization, `/sensors/${sensor.id}/latest`)
    return data.at === readings.at(-1)?.at
  }, 'the last reading')
  return sensor
}

test('a rule is made in the form with its own messages, tried on the last days, read in words, and deleted', async () => {
  const sensor = await sensorWithSpikes('Cold store')
  const page = await open(await signedIn(), inEnterprise('/rules'))
  await page.getByRole('main').getByRole('link', { name: 'Create rule' }).first().click()
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.getByText('Give the rule a name.').waitFor()
  expect(await page.getByText('Choose a channel.').count()).toBe(1)
  expect(await page.evaluate<string>('document.activeElement.value')).toBe('')
  await expectAccessible(page)

  await page.getByLabel('Name').fill('Store too warm')
  await page.getByLabel('Channel').selectOption('temperature')
  await page.getByLabel(/^Value, /).fill('25')
  await page.getByLabel('Ends at').fill('26')
  await page.getByText('Must not be above the value').waitFor()
  await page.getByLabel('Ends at').fill('22')
  await page.getByLabel('For at least').fill('5')
  await page.getByLabel('For at least').blur()
  await page.getByText('Write a time with its unit').waitFor()
  await page.getByLabel('For at least').fill('5m')
  await page.getByLabel('For at least').blur()
  await eventually(async () => expect(await page.getByLabel('For at least').inputValue()).toBe('5 min'))
  await page.getByRole('button', { name: 'Add a step' }).click()
  const step = page.getByRole('group', { name: 'Step 1' })
  await step.getByLabel(/^Value, .*°C/).fill('40')
  await page.getByLabel('Sensors', { exact: true }).selectOption('chosen')
  await page.getByRole('searchbox', { name: 'Chosen sensors' }).fill('Cold store')
  await page.getByLabel('Cold store').check()

  await page.getByRole('button', { name: 'Try on the last 7 days' }).click()
  const count = page.getByTestId('preview-count')
  await eventually(async () => expect(plain(await count.textContent())).toBe(`It would have fired ${SPIKES} times.`))
  await eventually(async () =>
    expect(
      await page
        .getByRole('group', { name: `The first ${SPIKES}` })
        .locator('tbody tr')
        .count(),
    ).toBe(SPIKES),
  )
  await page
    .getByLabel(/^Value, /)
    .first()
    .fill('24')
  await page.getByText('The rule has changed since.').waitFor()
  await expectAccessible(page)

  // the draft survives a reload
  await page.reload()
  await eventually(async () => expect(await page.getByLabel('Name').inputValue()).toBe('Store too warm'))
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.waitForURL(/\/rules\/rul_/)
  const made = await ruleNamed('Store too warm')
  expect(made).toMatchObject({
    kind: 'threshold',
    severity: 'warning',
    sensorIds: [sensor.id],
    conditions: [{ channel: 'temperature', op: '>', value: 24, clearValue: 22 }],
    steps: [{ severity: 'critical', value: 40 }],
    forSeconds: 300,
    maxGapSeconds: null,
  })
  const says = page.locator('.rule-says')
  await eventually(async () =>
    expect(plain(await says.textContent())).toContain('Fires when temperature is above 24 °C, for at least 5 minutes.'),
  )
  expect(plain(await says.textContent())).toContain('Critical when temperature is above 40 °C.')
  await page.getByRole('group', { name: 'States of the sensors' }).getByRole('link', { name: 'Cold store' }).waitFor()
  await expectAccessible(page)

  await pressTab(page, 'Settings')
  await page.getByLabel('Name').fill('Store warm')
  await page.getByText('More settings').click()
  await page.getByLabel('Note').fill('Call Sami')
  // the saved rule arrives late, while a question is open
  let late = Promise.withResolvers<void>()
  await page.route(/\/rules\/rul_\w+$/, async (route) => {
    if (route.request().method() === 'GET') await late.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await until(async () => (await ruleNamed('Store warm'))?.note === 'Call Sami', 'the change')
  await page.getByText('The rule was saved.').waitFor()

  // off ends its alerts, which the question says
  const main = page.getByRole('main')
  await main.locator('.page-actions').getByRole('switch').click()
  const question = page.getByText('Its firing alerts end with the reason “rule changed”')
  await question.waitFor()
  late.resolve()
  await main.getByRole('heading', { name: 'Store warm' }).waitFor()
  expect(await question.isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Switch off' }).click()
  await until(async () => (await ruleNamed('Store warm'))?.enabled === false, 'the rule to be off')
  await main.locator('.page-actions').getByText('Off', { exact: true }).waitFor()

  // the question before the deletion stays too, and then asks for the new name
  late = Promise.withResolvers()
  await page.getByLabel('Name').fill('Store hot')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await until(async () => (await ruleNamed('Store hot')) !== undefined, 'the change of the name')
  await page.getByRole('button', { name: 'Delete rule' }).click()
  const deletion = page.getByRole('dialog')
  await deletion.getByRole('textbox').fill('Store warm')
  late.resolve()
  await main.getByRole('heading', { name: 'Store hot' }).waitFor({ state: 'attached' })
  await eventually(async () => expect(await deletion.getByRole('textbox', { name: /Store hot/ }).count()).toBe(1))
  expect(await deletion.getByRole('textbox').inputValue()).toBe('Store warm')
  expect(await deletion.getByRole('button', { name: 'Delete rule' }).isDisabled()).toBe(true)
  await deletion.getByRole('textbox').fill('Store hot')
  await deletion.getByRole('button', { name: 'Delete rule' }).click()
  await page.waitForURL(/\/rules(\?|$)/)
  expect(await ruleNamed('Store hot')).toBeUndefined()
}, 300_000)

test('rules of the other kinds are made in Arabic on a phone, and listed', async () => {
  const page = await open(await signedIn({ language: 'ar', width: 390 }), inEnterprise('/rules/new'))
  await page.getByLabel('الاسم').waitFor()
  // an example begins where a name would
  const ofName = "getComputedStyle(document.querySelector('.rule-form input')).direction"
  const direction = (): Promise<string> => page.evaluate<string>(ofName)
  expect(await direction()).toBe('rtl')
  await page.getByLabel('الاسم').fill('Silent')
  expect(await direction()).toBe('ltr')
  await page.getByLabel('الاسم').fill('صامت')
  await page.getByLabel('النوع').selectOption('silence')
  await page.getByLabel('صامت لمدة').fill('٢ ساعة')
  await page.getByLabel('صامت لمدة').blur()
  await eventually(async () => expect(await page.getByLabel('صامت لمدة').inputValue()).toBe('2 س'))
  await page.getByText('إعدادات أخرى').click()
  await page.getByRole('switch', { name: 'في أوقات معيّنة فقط' }).check()
  await page.getByLabel('إلى', { exact: true }).fill('08:00')
  await page.getByLabel('إلى', { exact: true }).blur()
  await page.getByText('يجب أن يختلف الوقتان.').waitFor()
  await page.getByLabel('إلى', { exact: true }).fill('06:00')
  await page.getByText('تنتهي في اليوم التالي.').waitFor()
  await expectAccessible(page)
  expect(await widthOf(page)).toBeLessThanOrEqual(390)
  await page.getByRole('button', { name: 'إنشاء قاعدة' }).click()
  await page.waitForURL(/\/rules\/rul_/)
  const says = page.locator('.rule-says')
  await eventually(async () =>
    expect(plain(await says.textContent())).toContain('يُرفع تنبيه عندما لا يرسل مستشعر شيئًا لمدة ساعتان.'),
  )
  expect(await widthOf(page)).toBeLessThanOrEqual(390)
  expect(await ruleNamed('صامت')).toMatchObject({
    kind: 'silence',
    channel: null,
    forSeconds: 7_200,
    sensorIds: 'all',
    schedule: { tz: 'UTC', weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '06:00' }] },
  })
  const list = await open(await signedIn(), inEnterprise('/rules'))
  await list.getByRole('link', { name: 'صامت' }).waitFor()
  await list.getByText(/^Fires when a sensor sends nothing for .?2\shours/).waitFor()
  await expectAccessible(list)
}, 300_000)

test('a line on a chart is dragged and moved by keys, the episodes are counted as it moves, and it becomes a rule', async () => {
  const sensor = await sensorWithSpikes('Store with a line')
  const page = await openSensor(await signedIn(), sensor, 'range=6h')
  await drawn(page)
  await page.getByRole('button', { name: 'Alert me' }).click()
  const line = page.getByRole('slider')
  // at the newest value, which is above nothing
  await eventually(async () => expect(await line.getAttribute('aria-valuenow')).toBe('20'))
  const count = async (): Promise<string> => plain(await page.getByTestId('line-count').textContent())
  await line.scrollIntoViewIfNeeded()
  const box = await boxOf(line)
  await page.mouse.move(box.x + 40, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + 40, box.y + box.height / 2 - 40, { steps: 5 })
  await page.mouse.up()
  await eventually(async () => {
    expect(Number(await line.getAttribute('aria-valuenow'))).toBeGreaterThan(20)
    expect(await count()).toBe(`It would have fired ${SPIKES} times in the shown time.`)
  })
  // dragging does not zoom
  expect(new URL(page.url()).searchParams.get('range')).toBe('6h')
  await expectAccessible(page)
  const before = Number(await line.getAttribute('aria-valuenow'))
  await line.press('ArrowUp')
  await eventually(async () => expect(Number(await line.getAttribute('aria-valuenow'))).toBeGreaterThan(before))
  await page.getByLabel('For at least').fill('15 min')
  await eventually(async () => expect(await count()).toBe('It would not have fired in the shown time.'))
  await page.getByLabel('For at least').fill('5 min')
  await page.getByLabel(/^Line at, /).fill('28')
  await eventually(async () => expect(await count()).toBe(`It would have fired ${SPIKES} times in the shown time.`))
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.getByRole('link', { name: 'Show rule' }).click()
  await page.waitForURL(/\/rules\/rul_/)
  const name = 'Store with a line: temperature above 28 °C'
  await page.getByRole('heading', { name }).waitFor()
  expect(await ruleNamed(name)).toMatchObject({
    sensorIds: [sensor.id],
    conditions: [{ channel: 'temperature', op: '>', value: 28 }],
    forSeconds: 300,
  })
}, 300_000)
