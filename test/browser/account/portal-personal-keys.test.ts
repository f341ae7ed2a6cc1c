/** Personal API keys on the page of the account, in Chromium: made, used, revoked; not offered with other plans. */
import { expect, test } from 'bun:test'
import { pressTab } from '../../support/browser/browser.ts'
import { expectAccessible, portalPages, widthOf } from '../../support/browser/portal-pages.ts'
import { callWithKey, type PersonalKey } from '../../support/personal-keys.ts'
import { personAccount } from '../../support/sessions.ts'

const { instance, open } = portalPages()
const runs = async (key: string): Promise<string> =>
  (await callWithKey(instance, { key }, 'GET', '/enterprise/v1/gis/runs')).code
const keysOf = async (personId: string): Promise<PersonalKey[]> =>
  (await instance.manage<{ items: PersonalKey[] }>('GET', `/people/${personId}/api-keys`)).items

test('a person makes a key, its commands work as shown, and a revoked key does not', async () => {
  const person = await personAccount(instance)
  const page = await open(person, '/account')
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'API keys', exact: true }) })
  await section.getByText('There are no keys.').waitFor()
  await section.getByRole('button', { name: 'Add a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add a key' }).click()
  // the name is required
  await dialog.locator('.field-error').waitFor()
  await dialog.getByLabel('Name').fill('nightly <b>script</b>')
  await dialog.getByLabel('Expires').fill('2090-01-31T12:00')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add a key' }).click()
  const key = (await page.textContent('[data-testid="key"]'))?.trim() ?? ''
  expect(key).toMatch(/^svcpa_[\w-]{43}$/)
  await expectAccessible(page)
  for (const language of ['curl', 'Python', 'JavaScript'] as const) {
    await pressTab(page, language)
    const code = (await page.textContent('.key-box pre'))?.trim() ?? ''
    const program = {
      curl: ['bash', '-c', code],
      Python: ['python3', '-c', code],
      JavaScript: [process.execPath, '-e', code],
    }
    const running = Bun.spawn(program[language], { stdout: 'pipe', stderr: 'inherit' })
    expect(JSON.parse(await new Response(running.stdout).text())).toMatchObject({ ok: true, code: 'SUCCESS' })
    expect(await running.exited).toBe(0)
  }
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.waitForSelector('.key-box', { state: 'detached' })
  expect(await page.content()).not.toContain(key)
  await page.reload()
  const row = section.getByRole('row', { name: /nightly <b>script<\/b>/ })
  await row.getByText(`…${key.slice(-4)}`).waitFor()
  expect(await row.locator('time[datetime^="2090-01-31"]').count()).toBe(1)
  expect((await keysOf(person.personId))[0]?.lastUsedAt).not.toBeNull()
  expect(await row.getByText('Never').count()).toBe(0)

  await row.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByText('Calls with this key are refused at once.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await runs(key)).toBe('SUCCESS')
  await row.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await section.getByText('There are no keys.').waitFor()
  expect(await runs(key)).toBe('API_KEY_INVALID')
}, 120_000)

test('keys are not offered with another plan, which the page says; earlier ones can be revoked', async () => {
  const person = await personAccount(instance)
  await instance.manage('POST', `/people/${person.personId}/api-keys`, { name: 'earlier' })
  await instance.manage('PATCH', `/people/${person.personId}`, { plan: 'free' })
  const page = await open(person, '/account', { language: 'ar', width: 360 })
  await page.getByText('لا تشمل باقتك').waitFor()
  expect(await page.getByRole('button', { name: 'إضافة مفتاح' }).count()).toBe(0)
  await expectAccessible(page)
  expect(await widthOf(page)).toBeLessThanOrEqual(360)
  await page
    .getByRole('row', { name: /earlier/ })
    .getByRole('button', { name: 'إلغاء المفتاح' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'إلغاء المفتاح' }).click()
  await page.getByText('لا توجد مفاتيح.').waitFor()
  expect(await keysOf(person.personId)).toEqual([])
}, 120_000)
