/** Destinations of events in Chromium, with receivers on this machine: made, tested, repaired and deleted as people do. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { pressTab } from '../../support/browser/browser.ts'
import { consolePages, HOSTILE } from '../../support/browser/console-pages.ts'
import { expectAccessible, widthOf } from '../../support/browser/portal-pages.ts'
import { openMailServer } from '../../support/destinations/mail-server.ts'
import { callAs } from '../../support/sessions.ts'
import { connectTo } from '../../support/stores/with-sql.ts'
import { eventually, until } from '../../support/until.ts'

// the longest pause between attempts is 22 seconds
const mail = await openMailServer()
afterAll(() => mail.close())
const { instance, organization, people, as, open } = consolePages({
  WEBHOOK_ALLOW: '127.0.0.1',
  DELIVERY_TIME_SCALE: '1000',
  SMTP_URL: mail.url,
  PUBLIC_URL: 'http://groundwave.example.org',
})
const dir = mkdtempSync(join(tmpdir(), 'groundwave-verifiers-'))
afterAll(() => rmSync(dir, { recursive: true }))

type Received = { headers: Record<string, string>; body: string }
type Receiver = { url: string; received: Received[]; answer: () => Response }
function receiver(): Receiver {
  const one: Receiver = { url: '', received: [], answer: () => new Response('thanks') }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      one.received.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
      return one.answer()
    },
  })
  afterAll(() => server.stop(true))
  one.url = `http://127.0.0.1:${server.port}/hook`
  return one
}

type Destination = { id: string; name: string; enabled: boolean; events: string[]; headerNames: string[] }
const path = (id = ''): string => `/enterprises/${organization.id}/destinations${id && `/${id}`}`
const stored = (id: string): Promise<Destination> => instance.manage('GET', path(id))
const made = (url: string, name: string): Promise<Destination> =>
  instance.manage('POST', path(), { kind: 'webhook', name, url, events: ['job.finished'] })
const idOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''

let jobs = 0
/** A job that ends, which is an event. */
async function job(): Promise<void> {
  const id = `job_page_${++jobs}`
  const sql = connectTo(instance)
  await sql`INSERT INTO jobs (id, enterprise_id, application_id, tool_id, tool_version, call, status)
    VALUES (${id}, ${organization.id}, 'app_1', 'vector.buffer', '1', '{}', 'running')`
  await sql.close()
  const enterprise = { enterprise: organization.id }
  const { status } = await callAs(instance.url(), people.owner, 'DELETE', `/enterprise/v1/gis/jobs/${id}`, enterprise)
  expect(status).toBe(200)
}

/** Whether a program of the page takes the request. */
async function isTaken(language: 'Python' | 'JavaScript', code: string, { headers, body }: Received): Promise<boolean> {
  const [file, program] =
    language === 'Python'
      ? [
          'check.py',
          `${code}\n\nimport json, sys\ngiven = json.load(sys.stdin)\nprint(is_ours(given["headers"], given["body"].encode()))`,
        ]
      : [
          'check.mjs',
          `${code}\nconst given = await Bun.stdin.json()\nconsole.log(isOurs(given.headers, Buffer.from(given.body)))`,
        ]
  await Bun.write(join(dir, file), program)
  const command = language === 'Python' ? 'python3' : process.execPath
  const input = new Blob([JSON.stringify({ headers, body })])
  const running = Bun.spawn([command, join(dir, file)], { stdin: input, stdout: 'pipe', stderr: 'inherit' })
  const said = (await new Response(running.stdout).text()).trim().toLowerCase()
  expect(['true', 'false']).toContain(said)
  return said === 'true'
}

test('a destination is made in the form, its secret checks what arrives, and a test shows how it went', async () => {
  const hook = receiver()
  const page = await open(people.owner, '/settings/destinations')
  await page.getByText('Send events to where people look').waitFor()
  await expectAccessible(page)
  await page.getByRole('main').getByRole('link', { name: 'Create destination' }).first().click()
  await page.getByLabel('An alert begins').uncheck()
  await page.getByLabel('An alert ends').uncheck()
  await page.getByRole('button', { name: 'Create destination' }).click()
  await page.getByText('3 fields need your attention.').waitFor()
  await expectAccessible(page)

  await page.getByLabel('Name', { exact: true }).fill(HOSTILE)
  await page.getByLabel('Address').fill('http://192.168.0.1/hook')
  await page.getByRole('checkbox', { name: 'Alerts' }).check()
  await page.getByLabel('A job ends').check()
  await page.getByRole('button', { name: 'Add a header' }).click()
  const header = page.getByRole('group', { name: 'Header 1' })
  await header.getByLabel('Name of the header').fill('Authorization')
  await header.getByLabel('Value').fill('Bearer abc')
  await page.getByRole('button', { name: 'Create destination' }).click()
  // the server's own rule, at its field
  await page.locator('.field-wrong', { hasText: 'Address' }).waitFor()
  expect(await page.evaluate<string>('sessionStorage.length + JSON.stringify(sessionStorage)')).not.toContain('Bearer')
  await page.getByLabel('Address').fill(hook.url)
  await page.getByRole('button', { name: 'Create destination' }).click()
  await page.waitForURL(/destinations\/dst_/)
  const id = idOf(page)
  expect(await stored(id)).toMatchObject({
    name: HOSTILE,
    events: ['alert.firing', 'alert.resolved', 'job.finished'],
    headerNames: ['Authorization'],
  })
  const secret = (await page.getByTestId('key').textContent())?.trim() ?? ''
  expect(secret).toMatch(/^whsec_/)
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Send a test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/The receiver took it: .*200.* after/).waitFor()
  await dialog.getByText('thanks', { exact: true }).waitFor()
  await expectAccessible(page)
  const [sent] = hook.received as [Received]
  expect(sent.headers.authorization).toBe('Bearer abc')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  for (const language of ['Python', 'JavaScript'] as const) {
    await pressTab(page, language)
    const code = (await page.locator('.key-box pre').textContent()) ?? ''
    expect(code).toContain(secret)
    expect(await isTaken(language, code, sent)).toBe(true)
    expect(await isTaken(language, code, { ...sent, body: `${sent.body} ` })).toBe(false)
    const old = { ...sent.headers, 'webhook-timestamp': '1000000000' }
    expect(await isTaken(language, code, { ...sent, headers: old })).toBe(false)
  }
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.reload()
  await page.getByRole('group', { name: 'Deliveries of the last 30 days' }).getByText('Delivered').waitFor()
  expect(await page.content()).not.toContain(secret)

  // the stored headers are named, and their values stay hidden
  await pressTab(page, 'Settings')
  await page.getByText('Stored, with hidden values:').waitFor()
  await page.getByText('Authorization', { exact: true }).waitFor()
  expect(await page.content()).not.toContain('Bearer abc')
  await page.getByLabel('Name', { exact: true }).fill('Control room')
  await page.getByLabel('A job ends').uncheck()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Control room' }).waitFor()
  expect(await stored(id)).toMatchObject({
    name: 'Control room',
    events: ['alert.firing', 'alert.resolved'],
    headerNames: ['Authorization'],
  })
  await page.getByRole('button', { name: 'Replace headers' }).click()
  await page.getByRole('group', { name: 'Header 1' }).getByLabel('Value').fill('Bearer def')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Replace headers' }).waitFor()
  await page.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
  await page.locator('.key-box').waitFor()
  expect((await page.getByTestId('key').textContent())?.trim()).not.toBe(secret)
  await page.getByRole('button', { name: 'I have saved it' }).click()

  // a delivery that arrives meanwhile does not close the question
  await page.getByRole('button', { name: 'Delete destination' }).click()
  const question = page.getByRole('dialog')
  await instance.manage('POST', `${path(id)}/test`)
  await until(() => hook.received.length === 2, 'the second test')
  expect(hook.received[1]?.headers.authorization).toBe('Bearer def')
  await question.getByRole('textbox').fill('Control room')
  await question.getByRole('button', { name: 'Delete destination' }).click()
  await page.waitForURL(/settings\/destinations(\?|$)/)
  const { items } = await instance.manage<{ items: Destination[] }>('GET', path())
  expect(items.map((one) => one.id)).not.toContain(id)
}, 300_000)

test('a receiver that fails and goes away is shown with the reason, switched on again, and gets what it missed', async () => {
  const hook = receiver()
  hook.answer = () => new Response('queue is full', { status: 503 })
  const { id } = await made(hook.url, 'Maintenance')
  const page = await open(people.owner, `/settings/destinations/${id}`)
  await page.getByText('Nothing was sent yet. Send a test').waitFor()
  await job()
  await page.getByRole('heading', { name: 'The receiver does not take events' }).waitFor()
  const log = page.getByRole('group', { name: 'Deliveries of the last 30 days' })
  await log.getByRole('link', { name: 'A job ends' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/It failed: .*503.* It is tried again/).waitFor()
  await dialog.getByText('queue is full').waitFor()
  hook.answer = () => new Response('', { status: 410 })
  await dialog.getByText(/It failed: .*410/).waitFor()
  await dialog.getByText('The answer had no text.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  await page.getByRole('heading', { name: 'Switched off: the receiver says that it is gone' }).waitFor()
  await expectAccessible(page)
  const bar = page.locator('.reminder-bar')
  const elsewhere = await open(people.admin, '/')
  await elsewhere.locator('.reminder-bar', { hasText: 'switched off a destination: ⁨Maintenance⁩' }).waitFor()
  await elsewhere.locator('.reminder-bar').getByRole('link', { name: 'Look' }).click()
  await elsewhere.waitForURL(new RegExp(id))

  // events of the time while it is off
  await job()
  hook.answer = () => new Response('thanks')
  const before = hook.received.length
  await page.getByRole('button', { name: 'Switch on again' }).click()
  await until(async () => (await stored(id)).enabled, 'the destination to be on')
  await page.reload()
  await log.waitFor()
  expect(await bar.count()).toBe(0)
  await page.locator('.chip', { hasText: 'Failed' }).click()
  await page.waitForURL(/status=failed/)
  await eventually(async () => expect(await log.locator('tbody tr').count()).toBe(1))

  await page.getByRole('button', { name: 'Replay…' }).first().click()
  await dialog.getByLabel('Only those that were never delivered').check()
  await dialog.getByRole('button', { name: 'Replay events' }).click()
  await page.getByText('2 events are sent again.').waitFor()
  await until(() => hook.received.length === before + 2, 'what it missed')
  await page.locator('.chip', { hasText: 'Delivered' }).click()
  await eventually(async () => expect(await log.locator('tbody tr').count()).toBe(2))
  await log.getByRole('link', { name: 'A job ends' }).first().click()
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await until(() => hook.received.length === before + 3, 'the event again')
  await dialog.getByText(/The receiver took it/).waitFor()
  const again = hook.received.map(({ headers }) => headers['webhook-id'])
  expect(again.at(-1)).toBe(again.slice(before, before + 2).find((one) => one === again.at(-1)))
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  await page.getByRole('main').getByRole('switch').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
  await page.getByRole('heading', { name: 'This destination is off' }).waitFor()
  expect(await stored(id)).toMatchObject({ enabled: false, disabledReason: 'owner' } as object)
  // only what the server switched off raises the alarm
  expect(await bar.count()).toBe(0)
}, 300_000)

test('mails go to addresses once they have confirmed, and say so', async () => {
  const page = await open(people.owner, '/settings/destinations/new')
  await page.getByLabel('E-mail', { exact: true }).check()
  await page.getByLabel('Name', { exact: true }).fill('Night shift')
  await page.getByLabel('E-mail addresses').fill(`${people.owner.email}\nnight@example.org`)
  await page.getByLabel('Language of the mails').selectOption('ar')
  await page.getByLabel('Send again after').fill('10 s')
  await page.getByRole('button', { name: 'Create destination' }).click()
  await page.getByText(/Must be from .*1\smin.* to .*1\sd/).waitFor()
  await page.getByLabel('Send again after').fill('15m')
  await page.getByLabel('Events together within').fill('2 min')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create destination' }).click()
  await page.waitForURL(/destinations\/dst_/)
  const id = idOf(page)
  expect(await stored(id)).toMatchObject({
    kind: 'email',
    to: [people.owner.email, 'night@example.org'],
    language: 'ar',
    groupSeconds: 120,
    repeatSeconds: 900,
  } as object)
  const unconfirmed = page.locator('.notice', { hasText: 'night@example.org' })
  await unconfirmed.getByText('has not confirmed yet').waitFor()
  expect(await unconfirmed.getByText(people.owner.email).count()).toBe(0)
  await expectAccessible(page)
  const links = () => mail.mails.filter(({ to }) => to.includes('night@example.org'))
  await until(() => links().length === 1, 'the link')
  await page.getByRole('button', { name: 'Send new links' }).click()
  await until(() => links().length === 2, 'the new link')
  const text =
    links()[1]
      ?.parts.map(({ body }) => body.toString())
      .join() ?? ''
  const link = new URL(/https?:\/\/[^\s"<]+/.exec(text)?.[0] ?? '')
  expect((await fetch(instance.url() + link.pathname + link.search, { method: 'POST' })).status).toBe(200)
  await unconfirmed.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page
    .getByRole('dialog')
    .getByText(/The receiver took it/)
    .waitFor()
  await until(() => mail.mails.some(({ to, raw }) => to.includes(people.owner.email) && raw.length > 0), 'the test')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

  await pressTab(page, 'Settings')
  await page.getByLabel('E-mail addresses').fill('night@example.org')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await until(
    async () => ((await stored(id)) as object as { to: string[] }).to.join() === 'night@example.org',
    'the change',
  )
}, 300_000)

test('two people change a destination: both versions are shown', async () => {
  const { id } = await made('https://example.org/hook', 'First')
  const page = await open(people.admin, `/settings/destinations/${id}?tab=settings`)
  const name = page.getByLabel('Name', { exact: true })
  await name.waitFor()
  await name.fill('Mine')
  await instance.manage('PATCH', path(id), { name: 'Theirs' })
  // the page loads again by itself, and what was typed stays
  await page.getByRole('heading', { name: 'Theirs' }).waitFor()
  expect(await name.inputValue()).toBe('Mine')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog').getByText('Theirs').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Save mine' }).click()
  await until(async () => (await stored(id)).name === 'Mine', 'the change')
}, 300_000)

test('a rule names the destinations that get its alerts', async () => {
  const rule = { kind: 'threshold', sensorIds: 'all', conditions: [{ channel: 'temperature', op: '>', value: 30 }] }
  const body = { ...rule, name: 'Too warm', severity: 'warning' }
  const { data } = await callAs<{ id: string }>(instance.url(), people.owner, 'POST', '/enterprise/v1/assets/rules', {
    enterprise: organization.id,
    body,
  })
  const alerts = { kind: 'webhook', url: 'https://example.org/hook', events: ['alert.firing'] }
  const add = (name: string, more: object) => instance.manage('POST', path(), { ...alerts, name, ...more })
  await add('Of this rule', { ruleIds: [data.id], tags: ['roof'] })
  await add('Of any rule', { minSeverity: 'warning' })
  await add('Worse ones', { minSeverity: 'critical' })
  await add('Of jobs', { events: ['job.finished'] })
  const page = await open(people.admin, `/rules/${data.id}`)
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Where its alerts are sent' }) })
  await section.getByText('only sensors with').waitFor()
  const names = await section.getByRole('link').allTextContents()
  expect(names).toContain('Of this rule')
  expect(names).toContain('Of any rule')
  expect(names).not.toContain('Worse ones')
  expect(names).not.toContain('Of jobs')
  await expectAccessible(page)
}, 300_000)

test('in Arabic on a phone, and not for members', async () => {
  const hook = receiver()
  const { id } = await made(hook.url, 'غرفة التحكم')
  const device = { language: 'ar', theme: 'dark', width: 390, height: 844 } as const
  const page = await open(people.admin, '/settings/destinations', device)
  await page.locator('.plain-table tbody tr').first().waitFor()
  await expectAccessible(page)
  expect(await widthOf(page)).toBe(390)
  await page.getByRole('main').getByRole('link', { name: 'إنشاء وجهة' }).first().click()
  await page.getByLabel('الشكل').selectOption('pagerduty')
  await eventually(async () => expect(await page.getByLabel('العنوان').inputValue()).toContain('events.pagerduty.com'))
  await page.getByRole('button', { name: 'إنشاء وجهة' }).click()
  await page.getByText('حقلان يحتاجان إلى انتباهك.').waitFor()
  await expectAccessible(page)
  expect(await widthOf(page)).toBe(390)
  await page.getByLabel('الاسم', { exact: true }).fill('المناوبة')
  await page.getByLabel('مفتاح التكامل').fill('R0UT1NG')
  await page.getByRole('button', { name: 'إنشاء وجهة' }).click()
  await page.waitForURL(/destinations\/dst_/)
  // the form of another service has no signature to check
  expect(await page.locator('.key-box').count()).toBe(0)
  await page.goto(`/portal/settings/destinations/${id}`)
  await page.getByRole('button', { name: 'إرسال تجربة' }).click()
  await page
    .getByRole('dialog')
    .getByText(/أخذه المستقبِل/)
    .waitFor()
  await expectAccessible(page)
  expect(await widthOf(page)).toBe(390)
  await page.goto(`/portal/settings/destinations/${id}?tab=settings`)
  await page.locator('.destination-form').waitFor()
  await expectAccessible(page)
  expect(await widthOf(page)).toBe(390)

  const member = await (await as(people.member)).newPage()
  await member.goto('/portal/settings/destinations')
  await member
    .getByText(/administrator/i)
    .first()
    .waitFor()
  expect(await member.getByRole('link', { name: 'Destinations' }).count()).toBe(0)
}, 300_000)
