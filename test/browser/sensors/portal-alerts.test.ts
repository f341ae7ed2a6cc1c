/** Alerts in Chromium: what fires, acknowledgements, silences, history, one alert, and bands on charts. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { fleetPages } from '../../support/browser/fleet-pages.ts'
import { seedAlerts, seedRule } from '../../support/browser/portal-alerts.ts'
import { expectAccessible, widthOf } from '../../support/browser/portal-pages.ts'
import { memberAccount } from '../../support/sessions.ts'
import { eventually } from '../../support/until.ts'

const { instance, fleet, open, openOwn, as } = fleetPages({ width: 1440 })

const plain = (text: string): string =>
  text
    .replace(/[\u2066-\u2069]/g, '')
    .replaceAll('\u00a0', ' ')
    .trim()
const rows = (page: Page) => page.locator('.alert-table tbody tr')
/** Severity, and names of rule and sensor, of each row. */
const listed = async (page: Page): Promise<string[][]> =>
  rows(page).evaluateAll((found) =>
    found.map((row) => [
      row.getAttribute('data-severity') ?? '',
      ...[...row.querySelectorAll('.alert-name a, .alert-open bdi')].map((one) => one.textContent ?? ''),
    ]),
  )
const badge = async (page: Page): Promise<string> =>
  (await page.locator('.rail-badge [aria-hidden]').allTextContents()).join()
/** The row of an alert that is no group. */
const rowOf = (page: Page, severity: string, name: string) =>
  page.locator(`.alert-table tbody tr[data-severity="${severity}"]`).filter({ hasText: name })

test('what fires is listed worst first, opens by rule, and is acknowledged, silenced and taken back', async () => {
  const page = await openOwn('/alerts')
  await eventually(async () =>
    expect(await listed(page)).toEqual([
      ['critical', 'Cold store too warm', 'Cold store'],
      ['warning', 'Silent for long'],
      ['info', 'Cold store too warm', 'Pump 1'],
    ]),
  )
  await eventually(async () => expect(await badge(page)).toBe('5'))
  const critical = rowOf(page, 'critical', 'Cold store')
  // the value with its unit, and the curve with the threshold of the rule
  await eventually(async () =>
    expect(plain((await critical.locator('.alert-value').textContent()) ?? '')).toBe('23.4 °C'),
  )
  await critical.locator('.alert-curve path').waitFor()
  await eventually(async () => expect(await critical.locator('.alert-curve-threshold').count()).toBe(1))
  await page.getByRole('button', { name: 'Silent for long' }).first().click()
  await eventually(async () =>
    expect((await listed(page)).slice(1, 5).map(([, name]) => name)).toEqual([
      'Silent for long',
      'Cold store',
      'Roof station',
      'Truck 7',
    ]),
  )
  await expectAccessible(page)

  await critical.getByRole('checkbox').check()
  await rowOf(page, 'warning', 'Truck 7').getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Acknowledge 2 alerts' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Comment (optional)').fill('On my way')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Acknowledge 2 alerts' }).click()
  await page.getByText('2 alerts are acknowledged.').waitFor()
  await eventually(async () => expect(await badge(page)).toBe('3'))
  expect(await critical.locator('.alert-hands > span').getAttribute('title')).toBe('On my way')
  await critical.getByRole('button', { name: /^Take back the acknowledgement/ }).click()
  await eventually(async () => expect(await badge(page)).toBe('4'))

  await page
    .locator('.alert-group')
    .getByRole('button', { name: /^Silence…/ })
    .click()
  expect(await dialog.getByRole('radio', { name: 'Rules' }).isChecked()).toBe(true)
  await eventually(async () =>
    expect(await dialog.getByRole('checkbox', { name: 'Silent for long' }).isChecked()).toBe(true),
  )
  await dialog.getByLabel('Reason (optional)').fill('New batteries')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create silence' }).click()
  // two of the three were neither acknowledged nor silenced
  await eventually(async () => expect(await badge(page)).toBe('2'))
  await page.getByText(/^.5 alerts are firing., .1 acknowledged.,? and .3 silenced.$/).waitFor()

  // an alert that begins now appears by itself
  const door = await seedRule(instance, fleet.enterpriseId, 'Door <b>open</b>')
  const [, harbour] = fleet.sensors
  if (harbour === undefined) throw new Error('the fleet has too few sensors')
  await seedAlerts(instance, fleet.enterpriseId, [{ rule: door, sensor: harbour, severity: 'critical', started: 0 }])
  await rowOf(page, 'critical', 'Door <b>open</b>').waitFor()
  await eventually(async () => expect(await badge(page)).toBe('3'))

  await page.getByRole('tab', { name: 'Silences' }).click()
  const silence = page.getByRole('row').filter({ hasText: 'New batteries' })
  expect(await silence.locator('th').textContent()).toContain('Silent for long')
  await expectAccessible(page)
  await silence.getByRole('button', { name: 'End silence' }).click()
  await page.getByRole('heading', { name: 'No silences' }).waitFor()
  await eventually(async () => expect(await badge(page)).toBe('5'))
}, 300_000)

test('filters of the history are in the address; charts show when alerts were firing, and the palette finds them', async () => {
  const page = await openOwn('/alerts?tab=history&state=resolved')
  const names = async () => (await listed(page)).map(([severity, , sensor]) => [severity, sensor])
  await eventually(async () =>
    expect(await names()).toEqual([
      ['critical', 'Pump 1'],
      ['warning', 'مضخة الميناء'],
    ]),
  )
  expect(plain((await rows(page).first().locator('.alert-lasted').textContent()) ?? '')).toBe('1.7 hr')
  await page.getByLabel('Severity').selectOption('Warning')
  await eventually(async () => expect(await names()).toEqual([['warning', 'مضخة الميناء']]))
  expect(new URL(page.url()).searchParams.get('severity')).toBe('warning')
  await page.getByText('Found late').waitFor()
  await page.getByRole('button', { name: 'Remove the filters' }).click()
  await page.getByRole('button', { name: 'Sensor', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Roof station' }).click()
  await eventually(async () => expect(await names()).toEqual([['warning', 'Roof station']]))
  await page.locator('.chip').filter({ hasText: 'Roof station' }).waitFor()
  await expectAccessible(page)

  const [pump] = fleet.sensors
  await page.goto(`/portal/sensors/${pump?.id}`)
  const toggle = page.getByRole('button', { name: '2 alerts' })
  await toggle.waitFor()
  await page.locator('.chart-panels[data-points]').waitFor()
  await page.locator('.chart-panels').focus()
  await page.keyboard.press('End')
  await page.locator('.chart-mark').filter({ hasText: 'Info: ' }).waitFor()
  await toggle.click()
  await eventually(async () => expect(new URL(page.url()).searchParams.get('alerts')).toBe('off'))
  expect(await page.locator('.chart-mark').filter({ hasText: 'Info: ' }).count()).toBe(0)
  await page.getByRole('tab', { name: 'Alerts' }).click()
  await eventually(async () => expect((await listed(page)).map(([severity]) => severity)).toEqual(['info', 'critical']))

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('too warm cold')
  await page.getByRole('option', { name: /Cold store too warm.*Cold store/ }).click()
  await page.waitForURL(/\/alerts\/alr_/)
  await page.getByText('Call the duty engineer.').waitFor()
  const steps = page.locator('.alert-note a')
  expect(await steps.getAttribute('href')).toBe('https://wiki.example.org/cold-store?id=7')
  // bands on a chart of several sensors name the sensor
  await page.goto(`/portal/sensors/compare?with=${pump?.id},${fleet.sensors[3]?.id}&range=24h`)
  await page.getByRole('button', { name: '4 alerts' }).waitFor()
  await page.goto('/portal/')
  await page.locator('.alert-list li').first().waitFor()
  expect(await page.locator('.overview-verdict').textContent()).toMatch(/^\d alerts are firing\./)
  expect(await page.locator('.alert-list li').first().getAttribute('data-severity')).toBeNull()
  expect(await page.locator('.alert-list [data-severity]').first().getAttribute('data-severity')).toBe('critical')
}, 300_000)

test('a member on a phone acknowledges an alert in Arabic, and cannot silence it', async () => {
  const member = await memberAccount(instance, fleet.enterpriseId, 'member')
  const device = { enterprise: fleet.enterpriseId, language: 'ar' as const, width: 390, height: 844 }
  const page = await open(await as(member, device), '/alerts')
  await rowOf(page, 'critical', 'Cold store').first().waitFor()
  expect(await widthOf(page)).toBe(390)
  await expectAccessible(page)
  expect(await page.getByRole('button', { name: /^كتم/ }).count()).toBe(0)
  await page.goto(`/portal${fleet.addressOf('/alerts/:id')}`)
  await page.getByRole('button', { name: 'الإقرار بالتنبيه' }).click()
  await page.getByRole('dialog').getByLabel('تعليق (اختياري)').fill('سأذهب الآن')
  await page.getByRole('dialog').getByRole('button', { name: 'الإقرار بالتنبيه' }).click()
  await page.locator('.alert-facts').getByText('سأذهب الآن').waitFor()
  await page.locator('.alert-facts').getByText(member.email).waitFor()
  // the threshold of the rule is in the chart, with its unit
  await page.locator('.chart-zero').filter({ hasText: 'الحد' }).waitFor()
  expect(await widthOf(page)).toBe(390)
  await expectAccessible(page)
  await page.goto('/portal/alerts/alr_0')
  await page.getByRole('heading', { name: 'هذا التنبيه غير موجود' }).waitFor()
}, 300_000)

test('without rules, the page says what a rule is and where to make one', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Empty', tier: 'starter' })
  const owner = await memberAccount(instance, id, 'owner')
  const page = await open(owner, '/alerts')
  await page.getByRole('heading', { name: 'No rules yet' }).waitFor()
  await expectAccessible(page)
  expect(await badge(page)).toBe('')
  await page.getByRole('link', { name: 'Create rule' }).click()
  await page.waitForURL(/\/portal\/rules\/new/)
}, 300_000)
