/** Deleting readings on a sensor's page in Chromium, compared with what the API returns afterwards. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from '../../support/browser/portal-pages.ts'
import { LONG_NAME, sensorPages } from '../../support/browser/sensor-pages.ts'
import type { MadeSensor } from '../../support/server/instance.ts'
import { memberAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

// deletions rewrite the parts of all tenants, which takes minutes on a server that other files fill
const env = { SENSOR_CALLS_PER_MINUTE: '100000' }
const { instance, organization, as, sensorWith, signedIn, openSensor } = sensorPages(env)

const HOUR_MS = 3_600_000
/** Two days ago at a full hour, so that the times in the form need no fractions. */
const START = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 48 * HOUR_MS
const at = (hours: number): string => new Date(START + hours * HOUR_MS).toISOString()

type Reading = { at: string; values: Record<string, number | boolean> }

/** Twenty-four readings, one an hour. */
const oneDay = (): Reading[] =>
  Array.from({ length: 24 }, (_, i) => ({ at: at(i), values: { temperature: i, 'pressure, gauge': i / 2 } }))

async function stored(sensor: MadeSensor): Promise<Reading[]> {
  const path = `/sensors/${sensor.id}/readings?limit=1000&from=${at(-1)}`
  const { data } = await instance.query<{ items: Reading[] }>(organization, path)
  return data.items.map(({ at, values }) => ({ at: new Date(at).toISOString(), values }))
}

async function sensorOfADay(name: string): Promise<MadeSensor> {
  const sensor = await sensorWith(oneDay(), name)
  await until(async () => (await stored(sensor)).length === 24, 'the readings')
  return sensor
}

/** In the time zone of the form. */
async function fillPeriod(page: Page, [from, to]: [string, string], fromHours: number, toHours: number) {
  for (const [label, hours] of [
    [from, fromHours],
    [to, toHours],
  ] as const) {
    const local = await page.evaluate(
      (ms) => {
        const shifted = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000)
        return shifted.toISOString().slice(0, 19)
      },
      START + hours * HOUR_MS,
    )
    await page.getByLabel(label, { exact: true }).fill(local)
  }
}
const EN: [string, string] = ['From', 'To, not included']

test('a period is deleted after its figures were shown and the name was typed; its readings may be sent again', async () => {
  const sensor = await sensorOfADay(LONG_NAME)
  const page = await openSensor(await signedIn(), sensor, 'tab=settings')
  await page.getByText('Nothing has been deleted yet.').waitFor()
  await fillPeriod(page, EN, 6, 12)
  await page.getByLabel('These times may be sent again').check()
  await page.getByRole('button', { name: 'Check what would be deleted' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  expect(await dialog.getByTestId('to-delete').textContent()).toBe('6 readings are deleted')
  await expectAccessible(page)
  const confirm = dialog.getByRole('button', { name: 'Delete readings' })
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill(LONG_NAME)
  expect((await stored(sensor)).length).toBe(24)
  await confirm.click()
  await page.locator('.past-deletions tr[data-status="done"]').waitFor()
  expect(await page.locator('.past-deletions tbody tr').textContent()).toContain('may be sent again')
  await expectAccessible(page)
  const isDeleted = ({ at: time }: Reading): boolean => time >= at(6) && time < at(12)
  expect(await stored(sensor)).toEqual(oneDay().filter((reading) => !isDeleted(reading)))
  const corrected = oneDay().map((reading) => ({ ...reading, values: { temperature: 99 } }))
  const answer = await instance.send(sensor, { readings: corrected })
  const { data } = (await answer.json()) as { data: { accepted: unknown[]; duplicates: unknown[] } }
  expect([data.accepted.length, data.duplicates.length]).toEqual([6, 18])
}, 300_000)

test('chosen channels are deleted on a phone, in Arabic', async () => {
  const sensor = await sensorOfADay('مضخة')
  const page = await openSensor(await signedIn({ language: 'ar', width: 390 }), sensor, 'tab=settings')
  await fillPeriod(page, ['من', 'إلى (غير مشمول)'], 0, 24)
  await page.getByLabel('قيم القنوات المختارة فقط').check()
  await page.getByRole('button', { name: 'عرض ما سيُحذف' }).click()
  await page.getByText('اختر قناة واحدة على الأقل.').waitFor()
  await page.getByRole('checkbox', { name: 'pressure, gauge' }).check()
  expect(await page.getByLabel('يجوز إرسال هذه الأوقات من جديد').isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'عرض ما سيُحذف' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  expect(await dialog.textContent()).toContain('pressure, gauge')
  expect((await dialog.getByTestId('to-delete').textContent())?.replace(/[\u2066-\u2069]/g, '')).toBe('تُحذف 24 قراءة')
  await expectAccessible(page)
  await dialog.getByRole('textbox').fill('مضخة')
  await dialog.getByRole('button', { name: 'حذف القراءات' }).click()
  await page.locator('.past-deletions tr[data-status="done"]').waitFor()
  await expectAccessible(page)
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  expect(width).toBeLessThanOrEqual(390)
  expect(await stored(sensor)).toEqual(
    oneDay().map(({ at: time, values: { temperature = 0 } }) => ({ at: time, values: { temperature } })),
  )
}, 300_000)

test('wrong and empty periods are explained, and nothing is deleted', async () => {
  const sensor = await sensorOfADay('Wrong')
  const page = await openSensor(await signedIn(), sensor, 'tab=settings')
  const check = page.getByRole('button', { name: 'Check what would be deleted' })
  await check.click()
  await until(async () => (await page.getByText('Enter a date and a time.').count()) === 2, 'both messages')
  await expectAccessible(page)
  await fillPeriod(page, EN, 12, 12)
  await check.click()
  await page.getByText('Must be later than the start.').waitFor()
  await fillPeriod(page, EN, -12, -1)
  await check.click()
  await page.getByText('There is nothing to delete in this period.').waitFor()
  await fillPeriod(page, EN, 0, 24)
  await page.reload()
  // the typed text survives a reload
  await page.getByLabel(EN[0], { exact: true }).waitFor()
  expect(await page.getByLabel(EN[0], { exact: true }).inputValue()).not.toBe('')
  await page.getByRole('button', { name: 'Check what would be deleted' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await stored(sensor)).length).toBe(24)
}, 300_000)

test('a member does not see the action, and an account without the role deletes nothing from an old tab', async () => {
  const sensor = await sensorOfADay('Rights')
  const contextOf = async (role: 'member' | 'admin') => {
    const account = await memberAccount(instance, organization.id, role)
    return { context: await as(account), memberId: account.memberIds[organization.id] }
  }
  const member = await contextOf('member')
  const memberPage = await openSensor(member.context, sensor, 'tab=settings')
  await memberPage.locator('.sensor-tabs').waitFor()
  expect(await memberPage.getByRole('heading', { name: 'Delete readings' }).count()).toBe(0)

  const admin = await contextOf('admin')
  const page = await openSensor(admin.context, sensor, 'tab=settings')
  await fillPeriod(page, EN, 0, 24)
  await page.getByRole('button', { name: 'Check what would be deleted' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('Rights')
  await instance.manage('PATCH', `/members/${admin.memberId}`, { role: 'member' })
  await page.getByRole('dialog').getByRole('button', { name: 'Delete readings' }).click()
  await page.locator('.toast:has-text("role")').waitFor()
  // the page adapts to the new role
  await page.getByRole('heading', { name: 'Delete readings' }).waitFor({ state: 'detached' })
  expect((await stored(sensor)).length).toBe(24)
  const { items } = await instance.manage<{ items: object[] }>('GET', `/sensors/${sensor.id}/deletions`)
  expect(items).toEqual([])
}, 300_000)
