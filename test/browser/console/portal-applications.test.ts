/** Applications and usage in Chromium: keys, grants and usage, in both languages, as people use them. */
import { expect, test } from 'bun:test'
import { pressTab } from '../../support/browser/browser.ts'
import { consolePages, HOSTILE } from '../../support/browser/console-pages.ts'
import { cellsOf, expectAccessible, widthOf } from '../../support/browser/portal-pages.ts'
import type { Envelope } from '../../support/server/instance.ts'
import { callAs, memberAccount, personAccount } from '../../support/sessions.ts'
import { eventually } from '../../support/until.ts'
import { callTool, formOf, GIS, keysOf, POINTS, STATIONS } from '../../support/workers/tools.ts'

const { instance, organization, people, open } = consolePages()

async function run(command: string[]): Promise<string> {
  const running = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(running.stdout).text()
  expect(await running.exited).toBe(0)
  return text
}

test('an application is made, its commands work, its keys change without a break, and its grants are chosen', async () => {
  const page = await open(people.owner, '/settings/applications')
  await page.getByRole('button', { name: 'Create application' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the application').fill(HOSTILE)
  // pressed twice, created once
  await dialog.getByRole('button', { name: 'Create application' }).dblclick()
  await page.waitForSelector('.key-box')
  await page.waitForURL(/applications\/[^/]+$/)
  const id = new URL(page.url()).pathname.split('/').at(-1) as string
  const { items } = await instance.manage<{ items: { name: string }[] }>(
    'GET',
    `/enterprises/${organization.id}/applications`,
  )
  expect(items.filter(({ name }) => name === HOSTILE)).toHaveLength(1)
  const pairShown = async () => ({
    publicKey: (await page.textContent('[data-testid="public-key"]'))?.trim() ?? '',
    secretKey: (await page.textContent('[data-testid="key"]'))?.trim() ?? '',
  })
  const first = await pairShown()
  for (const language of ['curl', 'Python', 'JavaScript'] as const) {
    await pressTab(page, language)
    const code = (await page.textContent('.key-box pre'))?.trim() ?? ''
    const command = {
      curl: ['bash', '-c', code],
      Python: ['python3', '-c', code],
      JavaScript: [process.execPath, '-e', code],
    }
    expect(await run(command[language])).toContain('vector.buffer')
  }
  await expectAccessible(page)
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.waitForSelector('.key-box', { state: 'detached' })
  expect(await page.content()).not.toContain(first.secretKey)

  const statusOf = async (pair: { publicKey: string; secretKey: string }, path = '/runs'): Promise<number> =>
    (await fetch(`${instance.url()}${GIS}${path}`, { headers: keysOf({ ...organization, ...pair }) })).status
  await page.getByRole('button', { name: 'Replace' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('second')
  await page.getByRole('dialog').getByRole('button', { name: 'Add key pair' }).click()
  await page.waitForSelector('.key-box:has-text("Both pairs work now")')
  const second = await pairShown()
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.reload()
  const oldRow = page.locator('tr', { hasText: first.secretKey.slice(-4) })
  // the key was used by the earlier commands
  await eventually(async () => expect(await oldRow.locator('td').nth(3).textContent()).not.toBe('never'))
  await oldRow.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await oldRow.waitFor({ state: 'detached' })
  expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])

  await page.getByLabel('Only those that I choose').check()
  await page.getByLabel('Search tools').fill('DISTANCE')
  await page.getByLabel('Distance and bearing').check()
  await page.waitForSelector('text=/chosen/')
  await page.getByRole('button', { name: 'Save grants' }).click()
  await page.waitForSelector('.toast:has-text("Saved")')
  const saved = await instance.manage<{ tools: string[]; assets: boolean }>('GET', `/applications/${id}`)
  expect(saved).toMatchObject({ tools: ['measure.distance-bearing'], assets: true })
  const own = { ...organization, ...second }
  const stations = { file: 'stations.geojson', target_format: 'geojson', distance_m: '10' }
  expect((await callTool(instance, own, '/distance-bearing', POINTS, false)).status).toBe(200)
  expect((await callTool(instance, own, '/buffer', stations, true)).status).toBe(403)

  // somebody else changes the grants meanwhile
  await instance.manage('PATCH', `/applications/${id}`, { tools: ['vector.clip'] })
  await page.getByLabel('May read sensors and readings').uncheck()
  await page.getByRole('button', { name: 'Save grants' }).click()
  await page.waitForSelector('dialog:has-text("Clip")')
  await page.getByRole('button', { name: 'Keep the saved version' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.reload()
  await page.waitForSelector('.newest-runs li:has-text("Distance and bearing")')
  await eventually(async () => {
    const usage = await instance.manage<{ days: { requests: number }[] }>('GET', `/applications/${id}/usage`)
    expect(await page.textContent('#keys + section')).toContain(`${usage.days[0]?.requests} requests today.`)
  })
  await expectAccessible(page)

  const device = { language: 'ar', theme: 'dark', width: 390, height: 844 } as const
  const list = await open(people.admin, '/settings/applications', device)
  await list.waitForSelector('.plain-table tbody tr')
  await expectAccessible(list)
  expect(await widthOf(list)).toBe(390)
  await list.locator(`a[href$="${id}"]`).click()
  await list.waitForSelector('#keys .plain-table')
  // tables without controls, which scroll on a phone
  await list.waitForSelector('.newest-runs li')
  await list.waitForSelector('.day-bars ~ .plain-table')
  await expectAccessible(list)
  expect(await widthOf(list)).toBe(390)

  // a tab that was open when the role was withdrawn
  const leaver = await memberAccount(instance, organization.id, 'admin')
  const tab = await open(leaver, `/settings/applications/${id}`)
  await tab.waitForSelector('#keys .plain-table')
  await instance.manage('PATCH', `/members/${leaver.memberIds[organization.id]}`, { role: 'member' })
  await tab.getByRole('button', { name: 'Add key pair' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Add key pair' }).click()
  // at the form, or instead of the page, which disappears as soon as the new role is known
  await tab.waitForSelector('text=An owner or administrator')
  await tab.goto('/portal/settings/applications')
  await tab.waitForSelector('text=You may not do this')

  // a record of another enterprise: as if it did not exist
  const other = await instance.organization()
  await page.goto(`/portal/settings/applications/${other.applicationId}`)
  await page.waitForSelector('h1:has-text("This application does not exist")')

  await page.goto(`/portal/settings/applications/${id}`)
  await page.getByRole('button', { name: 'Delete application' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill(HOSTILE)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete application' }).click()
  await page.waitForURL('**/settings/applications')
  expect(await statusOf(second)).toBe(401)
}, 300_000)

test('usage shows the sum of the runs, and a forecast with its assumption', async () => {
  const stations = { file: 'stations.geojson', target_format: 'geojson', distance_m: '10' }
  for (let i = 0; i < 4; i++) await callTool(instance, organization, '/buffer', stations, true)
  const all = await fetch(`${instance.url()}${GIS}/runs?limit=1000`, { headers: keysOf(organization) })
  const { items } = ((await all.json()) as Envelope<{ items: { creditsCharged: number }[] }>).data
  const credits = items.reduce((sum, run) => sum + run.creditsCharged, 0)
  const page = await open(people.admin, '/settings/usage')
  await page.waitForSelector('.usage-total')
  await eventually(async () => {
    expect(await page.textContent('.usage-total strong')).toBe(String(credits))
    const rows = await cellsOf(page, '.settings-part > .plain-table tbody tr')
    expect(rows.find(([name]) => name === 'Buffer')?.slice(1)).toEqual(['4', '0', String(credits), '100%'])
  })
  await page.getByRole('tab', { name: 'By application' }).click()
  await page.waitForURL('**by=application')
  await page.waitForSelector('.settings-part > .plain-table tr:has-text("Test")')
  await expectAccessible(page)

  const USED = 3_000
  await page.route('**/owners/*/usage', async (route) => {
    const envelope = (await (await route.fetch()).json()) as Envelope<{ credits: object }>
    Object.assign(envelope.data.credits, { used: USED, allowance: 1_000_000 })
    await route.fulfill({ json: envelope })
  })
  const now = new Date()
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const [start, end] = [Date.UTC(year, month), Date.UTC(year, month + 1)]
  const expectedAt = (ms: number): number => Math.round((USED * (end - start)) / (ms - start))
  await page.goto('/portal/settings/usage')
  if (now.getUTCDate() <= 3) await page.waitForSelector('text=A forecast needs three whole days of the month.')
  else {
    await page.waitForSelector('.usage-forecast')
    const text = (await page.textContent('.usage-forecast')) ?? ''
    expect(text).toContain('A straight line from the start of the month until now')
    const expected = Number(/About \u2068?([\d,]+)/.exec(text)?.[1]?.replace(',', ''))
    expect(expected).toBeLessThanOrEqual(expectedAt(now.getTime()))
    expect(expected).toBeGreaterThanOrEqual(expectedAt(Date.now()))
  }
  await expectAccessible(page)

  const person = await personAccount(instance, 'pro')
  const own = await open(person, '/settings/usage', { language: 'ar', width: 390, height: 844 })
  await own.waitForSelector('text=لم يُشغَّل شيء في هذا الشهر.')
  expect(await own.locator('text=القراءات في اليوم').count()).toBe(0)
  await expectAccessible(own)
  expect(await widthOf(own)).toBe(390)

  // its files are deleted at the end of the grace period, a week from now
  await callAs(instance.url(), person, 'POST', `${GIS}/buffer`, { body: formOf(STATIONS) })
  await instance.manage('PATCH', `/people/${person.personId}`, { storedDays: 1 })
  await own.reload()
  await own.waitForSelector('[role="note"]:has-text("سيُحذف ملفان")')
  await expectAccessible(own)
  expect(await widthOf(own)).toBe(390)
  const list = await callAs<{ items: { runId: string }[] }>(instance.url(), person, 'GET', `${GIS}/runs`)
  await own.goto(`/portal/runs/${list.data.items[0]?.runId}`)
  await own.waitForSelector('.run-facts dt:has-text("تُحذف الملفات في")')
}, 300_000)
