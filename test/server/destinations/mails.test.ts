/** Mails of destinations and to people, sent to a real SMTP server and read from its bytes. */
import { afterAll, expect, test } from 'bun:test'
import sharp from 'sharp'
import { above, putRules } from '../../support/alerts/alert-rules.ts'
import { openMailServer, type ReceivedMail, textOf } from '../../support/destinations/mail-server.ts'
import { createInstance, fromNow, lacksArabic } from '../../support/server/instance.ts'
import { callAs, memberAccount, nextEmail } from '../../support/sessions.ts'
import { connectTo } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'

const PUBLIC_URL = 'http://gis.example.org'
const smtp = await openMailServer()
const instance = await createInstance({ SMTP_URL: smtp.url, PUBLIC_URL, DELIVERY_TIME_SCALE: '10000' })
const sql = connectTo(instance)
afterAll(async () => {
  await sql.close()
  await instance.remove()
  await smtp.close()
})

type Destination = {
  id: string
  to: string[]
  addresses: { email: string; state: string }[]
  disabledReason: string | null
}
type Delivery = {
  type: string
  recipient: string
  status: string
  statusCode: number | null
  failure: string | null
  answer: string | null
}
const of = (enterprise: string, id = '') => `/enterprises/${enterprise}/destinations${id && `/${id}`}`
const create = (enterprise: string, to: string | string[], more: object = {}) =>
  instance.manage<Destination>('POST', of(enterprise), {
    kind: 'email',
    name: 'Night <shift>',
    to,
    events: ['job.finished'],
    ...more,
  })
const read = (enterprise: string, id: string) => instance.manage<Destination>('GET', of(enterprise, id))
const log = async (enterprise: string, id: string): Promise<Delivery[]> =>
  (await instance.manage<{ items: Delivery[] }>('GET', `${of(enterprise, id)}/deliveries`)).items.toReversed()
/** Without the link with which the account was made. */
const mailsTo = (address: string) =>
  smtp.mails.filter(({ to, subject }) => to.includes(address) && !subject.startsWith('Invitation'))
async function mailTo(address: string, count = 1): Promise<ReceivedMail> {
  await until(() => mailsTo(address).length >= count, `mail ${count} to ${address}`)
  return mailsTo(address)[count - 1] as ReceivedMail
}
/** The address of this server in place of the public one. */
const local = (url: string): string => url.replace(PUBLIC_URL, instance.url())
const linkOf = (mail: ReceivedMail, kind: string): string =>
  local(new RegExp(`${PUBLIC_URL}/mail/${kind}/[\\w.-]+`).exec(textOf(mail, 'text/plain'))?.[0] ?? '')
/** The minute between two mails is over. */
const nextMinute = (id: string) =>
  sql`UPDATE destination_addresses SET next_mail_at = now() WHERE destination_id = ${id}`

let jobs = 0
async function job(enterprise: string): Promise<string> {
  const id = `job_mail_${++jobs}`
  await sql`INSERT INTO jobs (id, enterprise_id, application_id, tool_id, tool_version, call, status)
    VALUES (${id}, ${enterprise}, 'app_1', 'vector.buffer', '1', '{}', 'running')`
  const owner = await memberAccount(instance, enterprise, 'owner')
  const { status } = await callAs(instance.url(), owner, 'DELETE', `/enterprise/v1/gis/jobs/${id}`, { enterprise })
  expect(status).toBe(200)
  return id
}

async function home() {
  const { id } = await instance.organization('scale')
  const member = await memberAccount(instance, id, 'admin')
  return { id, member: member.email }
}

test('an address that is no member’s gets nothing until it has confirmed by the button of its page', async () => {
  const { id, member } = await home()
  const outside = nextEmail('outside')
  const made = await create(id, [member, outside.toUpperCase()])
  expect(made.addresses).toEqual([
    { email: member, state: 'confirmed' },
    { email: outside, state: 'unconfirmed' },
  ])
  const asked = await mailTo(outside)
  expect(textOf(asked, 'text/plain')).toContain('“Night <shift>”')
  expect(textOf(asked, 'text/html')).toContain('Night &lt;shift&gt;')
  const link = linkOf(asked, 'confirm')
  await job(id)
  await mailTo(member)
  expect((await log(id, made.id)).map(({ recipient }) => recipient)).toEqual([member])

  // a program that examines mails opens the link
  const page = await fetch(link)
  expect([page.status, (await page.text()).includes('<form method="post">')]).toEqual([200, true])
  expect((await read(id, made.id)).addresses[1]?.state).toBe('unconfirmed')
  expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  expect((await read(id, made.id)).addresses[1]?.state).toBe('confirmed')
  await job(id)
  await mailTo(outside, 2)
  const stored = JSON.stringify(await sql`SELECT * FROM destination_addresses`)
  expect(stored).not.toContain(link.split('/').at(-1) as string)
  expect(instance.log()).not.toContain(link.split('/').at(-1) as string)
})

test('the state of an address shows that the mail with its link could not be sent, until it is asked again', async () => {
  const { id } = await home()
  const outside = nextEmail('outside')
  smtp.refuse = (address) => (address === outside ? 550 : undefined)
  const made = await create(id, outside)
  const state = async () => (await read(id, made.id)).addresses[0]?.state
  await until(async () => (await state()) === 'unreachable', 'the refusal')
  smtp.refuse = () => undefined
  await instance.manage('PATCH', of(id, made.id), { to: outside })
  expect(await state()).toBe('unconfirmed')
  expect((await fetch(linkOf(await mailTo(outside), 'confirm'), { method: 'POST' })).status).toBe(200)
  expect(await state()).toBe('confirmed')
})

test('a link that confirms expires, and only the newest one of an address works', async () => {
  const { id } = await home()
  const outside = nextEmail('outside')
  const made = await create(id, outside, { language: 'ar' })
  const first = linkOf(await mailTo(outside), 'confirm')
  await instance.manage('PATCH', of(id, made.id), { to: outside })
  const second = linkOf(await mailTo(outside, 2), 'confirm')
  expect((await fetch(first, { method: 'POST' })).status).toBe(410)
  const page = await (await fetch(second)).text()
  expect(page).toContain('<html lang="ar" dir="rtl">')
  await sql`UPDATE destination_addresses SET token_expires_at = now() WHERE destination_id = ${made.id}`
  expect([(await fetch(second)).status, (await fetch(second, { method: 'POST' })).status]).toEqual([410, 410])
  expect((await read(id, made.id)).addresses[0]?.state).toBe('unconfirmed')
  expect((await fetch(`${instance.url()}/mail/confirm/abc`)).status).toBe(410)
})

test('one click stops the mails to an address, without a session and as often as it is clicked, and a GET does not', async () => {
  const { id, member } = await home()
  const made = await create(id, member)
  await job(id)
  const mail = await mailTo(member)
  expect(mail.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const header = mail.headers.get('list-unsubscribe') ?? ''
  const url = local(header.slice(1, -1))
  expect([header[0], header.at(-1), url]).toEqual(['<', '>', linkOf(mail, 'unsubscribe')])
  await job(id)
  expect((await fetch(url)).status).toBe(200)
  expect((await read(id, made.id)).to).toEqual([member])
  const click = () =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
  expect([(await click()).status, (await click()).status]).toEqual([200, 200])
  expect(await read(id, made.id)).toMatchObject({ to: [], addresses: [{ email: member, state: 'unsubscribed' }] })
  // what waited for its minute is not sent any more
  expect((await log(id, made.id)).map(({ status, failure }) => [status, failure])).toEqual([
    ['delivered', null],
    ['failed', 'unsubscribed'],
  ])
  expect((await fetch(`${url}x`, { method: 'POST' })).status).toBe(410)
  // a member who left gets mails again only after a confirmation
  await instance.manage('PATCH', of(id, made.id), { to: [member] })
  expect((await read(id, made.id)).addresses).toEqual([{ email: member, state: 'unconfirmed' }])
  expect((await click()).status).toBe(200)
  await instance.manage('DELETE', of(id, made.id))
  expect((await click()).status).toBe(200)
})

test('the first event is sent at once, and the events of the next minute together', async () => {
  const { id, member } = await home()
  const made = await create(id, member)
  await job(id)
  await mailTo(member)
  await job(id)
  await job(id)
  await Bun.sleep(2_500)
  expect(mailsTo(member)).toHaveLength(1)
  expect((await log(id, made.id)).map(({ status }) => status)).toEqual(['delivered', 'pending', 'pending'])
  await nextMinute(made.id)
  const digest = await mailTo(member, 2)
  expect(digest.subject).toBe('2 events: Night <shift>')
  expect(textOf(digest, 'text/plain').match(/^Job finished$/gm)).toHaveLength(2)
  await until(async () => (await log(id, made.id)).every(({ status }) => status === 'delivered'), 'the log')
  expect(mailsTo(member)).toHaveLength(2)
})

test.each([
  { language: 'en', subject: '[Warning] Alert: rul_en, <b>Boiler</b> Bcc: eve@example.org', direction: 'ltr' },
  { language: 'ar', subject: '[تحذير] تنبيه: rul_ar، <b>Boiler</b> Bcc: eve@example.org', direction: 'rtl' },
])(
  'the mail of an alert has its facts, link and curve, and a name changes nothing but its text: $language',
  async (expected) => {
    const { language, subject, direction } = expected
    const organization = await instance.organization('scale')
    const { email } = await memberAccount(instance, organization.id, 'admin')
    const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number', unit: '°C' }])
    await sql`UPDATE sensors SET name = ${'<b>Boiler</b>\r\nBcc: eve@example.org'} WHERE id = ${sensor.id}`
    await putRules(instance, organization, [{ id: `rul_${language}`, kind: 'threshold', definition: above(30) }])
    await create(organization.id, email, { events: ['alert.firing'], language })
    const readings = [20, 25, 22, 41].map((a, i) => ({ at: fromNow(-1000 * (200 - 60 * i)), values: { a } }))
    expect((await instance.send(sensor, { readings })).status).toBe(200)
    const mail = await mailTo(email)
    expect(mail.subject).toBe(subject)
    expect([...mail.headers.keys()]).not.toContain('bcc')
    expect(mail.to).toEqual([email])
    const [text, html] = [textOf(mail, 'text/plain'), textOf(mail, 'text/html')]
    const [{ id: alertId }] = (await sql`SELECT id FROM alerts WHERE sensor_id = ${sensor.id}`) as [{ id: string }]
    const link = `${PUBLIC_URL}/portal/alerts/${alertId}`
    expect([text.includes(link), html.includes(`href="${link}"`)]).toEqual([true, true])
    expect(html).toContain(`<html lang="${language}" dir="${direction}">`)
    expect(html).toContain('&lt;b&gt;Boiler&lt;/b&gt;')
    expect(html).not.toContain('<b>Boiler')
    expect(text).toContain('41')
    const picture = mail.parts.find(({ headers }) => headers.get('content-type')?.startsWith('image/png'))
    expect(picture?.headers.get('content-id')).toBe('<curve-0>')
    expect(html).toContain('src="cid:curve-0"')
    // libpng reads it, and it has the colour of the curve and of the limit
    const { data, info } = await sharp(picture?.body).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height, info.channels]).toEqual([1120, 280, 3])
    const colours = new Set<string>()
    for (let i = 0; i < data.length; i += 3) colours.add(data.subarray(i, i + 3).toString('hex'))
    expect([...colours]).toEqual(expect.arrayContaining(['ffffff', '1f6f5c', 'c2410c']))
  },
)

test('the curve of a rule with steps has the limit of the step that the alert has reached', async () => {
  const organization = await instance.organization('scale')
  const { email } = await memberAccount(instance, organization.id, 'admin')
  const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  const steps = [{ severity: 'critical' as const, value: 40 }]
  await putRules(instance, organization, [{ id: 'rul_steps', kind: 'threshold', definition: { ...above(30), steps } }])
  await create(organization.id, email, { events: ['alert.firing'] })
  const readings = [20, 45].map((a, i) => ({ at: fromNow(-1000 * (100 - 60 * i)), values: { a } }))
  expect((await instance.send(sensor, { readings })).status).toBe(200)
  const mail = await mailTo(email)
  expect(mail.subject).toStartWith('[Critical]')
  const picture = mail.parts.find(({ headers }) => headers.get('content-type')?.startsWith('image/png'))
  const { data, info } = await sharp(picture?.body).raw().toBuffer({ resolveWithObject: true })
  const rows = new Set<number>()
  for (let i = 0; i < data.length; i += 3)
    if (data.subarray(i, i + 3).toString('hex') === 'c2410c') rows.add(Math.floor(i / 3 / info.width))
  // 20 is 12 pixels above the lower edge of 280, and 45 as far below the upper one
  const middle = 268 - ((40 - 20) / (45 - 20)) * 256
  expect([...rows].every((row) => Math.abs(row - middle) < 3)).toBe(true)
  expect(rows.size).toBeGreaterThan(0)
})

test('a mailbox that does not exist is final for itself alone, and a server that is busy is asked again', async () => {
  const { id, member } = await home()
  const [gone, busy] = [await memberAccount(instance, id, 'admin'), await memberAccount(instance, id, 'admin')]
  const made = await create(id, [member, gone.email, busy.email])
  let refusals = 0
  smtp.refuse = (address) => (address === gone.email ? 550 : address === busy.email && refusals++ < 2 ? 451 : undefined)
  await job(id)
  await until(async () => !(await log(id, made.id)).some(({ status }) => status === 'pending'), 'the log')
  smtp.refuse = () => undefined
  const found = await log(id, made.id)
  const one = (email: string) => found.find(({ recipient }) => recipient === email)
  expect(one(member)).toMatchObject({ status: 'delivered', attempts: 1 })
  expect(one(gone.email)).toMatchObject({ status: 'failed', attempts: 1, statusCode: 550 })
  expect(one(gone.email)?.answer).toContain('no such mailbox')
  expect(one(busy.email)).toMatchObject({ status: 'delivered', attempts: 3 })
  expect([mailsTo(member).length, mailsTo(busy.email).length]).toEqual([1, 1])
})

test('a destination that fails for three days is disabled, and its owners hear of it by mail', async () => {
  const { id, member } = await home()
  const owner = await memberAccount(instance, id, 'owner')
  const made = await create(id, member)
  smtp.refuse = (address) => (address === member ? 451 : undefined)
  await job(id)
  await until(async () => (await log(id, made.id))[0]?.statusCode === 451, 'an attempt')
  await sql`UPDATE destinations SET failing_since = now() - interval '30 seconds' WHERE id = ${made.id}`
  await until(async () => (await read(id, made.id)).disabledReason === 'failing', 'the end')
  smtp.refuse = () => undefined
  const mail = await mailTo(owner.email)
  expect(mail.subject).toBe('A destination was switched off · أُوقفت وجهة')
  expect(textOf(mail, 'text/plain')).toContain('Night <shift>')
  expect(textOf(mail, 'text/html')).toContain('dir="rtl"')
})

test('a person hears of a key that expires', async () => {
  const email = nextEmail('person')
  const { id } = await instance.manage<{ id: string }>('POST', '/people', { email, plan: 'pro' })
  await sql`INSERT INTO person_events (id, person_id, type, data) VALUES (${`evt_${id}`}, ${id}, 'key.expiring',
    ${JSON.stringify({ name: 'Laptop', lastFour: 'abcd', daysLeft: 3, expiresAt: '2030-01-02T03:04:05.000Z' })}::text::jsonb)`
  const mail = await mailTo(email)
  expect(mail.subject).toBe('A key expires · مفتاح تنتهي صلاحيته')
  expect(textOf(mail, 'text/plain')).toContain('Expires: \u20682030-01-02 03:04 UTC\u2069')
  await until(async () => {
    const [event] = (await sql`SELECT next_attempt_at FROM person_events WHERE person_id = ${id}`) as {
      next_attempt_at: Date | null
    }[]
    return event?.next_attempt_at === null
  }, 'the end of the mail')
  expect(mailsTo(email)).toHaveLength(1)
})

test('a test, a resend and a replay are sent by mail too', async () => {
  const { id, member } = await home()
  const made = await create(id, member)
  const outside = await create(id, nextEmail('outside'))
  await instance.manage('POST', `${of(id, made.id)}/test`)
  expect((await mailTo(member)).subject).toBe('Test of this destination')
  const owner = await memberAccount(instance, id, 'owner')
  const refused = await callAs(instance.url(), owner, 'POST', `/manage/v1${of(id, outside.id)}/test`)
  expect([refused.status, refused.code]).toEqual([409, 'CONFLICT'])
  await job(id)
  await nextMinute(made.id)
  await mailTo(member, 2)
  const from = new Date(Date.now() - 60_000).toISOString()
  const period = { from, to: new Date(Date.now() + 60_000).toISOString() }
  await until(async () => (await log(id, made.id)).every(({ status }) => status === 'delivered'), 'the log')
  expect(await instance.manage<object>('POST', `${of(id, made.id)}/replay`, period)).toEqual({ deliveries: 1 })
  const [, delivery] = await log(id, made.id)
  await instance.manage('POST', `${of(id, made.id)}/deliveries/${(delivery as unknown as { id: string }).id}/resend`)
  await nextMinute(made.id)
  expect((await mailTo(member, 3)).subject).toBe('2 events: Night <shift>')
})

test('wrong addresses and fields of the other kind are refused', async () => {
  const { id, member } = await home()
  const owner = await memberAccount(instance, id, 'owner')
  const body = { kind: 'email', name: 'Night', to: member, events: ['job.finished'] }
  const post = async (more: object) => {
    const call = { body: { ...body, ...more } }
    const { status, errors = [] } = await callAs(instance.url(), owner, 'POST', `/manage/v1${of(id)}`, call)
    expect(errors.filter(lacksArabic)).toEqual([])
    return [status, errors[0]?.field]
  }
  expect(await post({ to: 'a@b.example\r\nBcc: eve@example.org' })).toEqual([422, 'body.to'])
  expect(await post({ to: [member, 'no address'] })).toEqual([422, 'body.to[1]'])
  expect(await post({ to: [member, member.toUpperCase()] })).toEqual([422, 'body.to'])
  expect((await post({ to: Array.from({ length: 21 }, (_, i) => `a${i}@example.org`) }))[0]).toBe(422)
  expect(await post({ to: undefined })).toEqual([422, 'body.to'])
  expect(await post({ url: 'https://example.org' })).toEqual([422, 'body.url'])
  expect(await post({ headers: { a: 'b' } })).toEqual([422, 'body.headers'])
  expect((await post({ language: 'fr' }))[0]).toBe(422)
  expect(await post({ kind: 'webhook', url: 'https://example.org' })).toEqual([422, 'body.to'])
  expect(await post({})).toEqual([200, undefined])
})

test('without SMTP_URL there are no mails', async () => {
  const { id, member } = await home()
  const made = await create(id, member)
  await instance.kill('SIGTERM')
  await instance.restart({ SMTP_URL: '' })
  const owner = await memberAccount(instance, id, 'owner')
  const body = { kind: 'email', name: 'Night', to: member, events: ['job.finished'] }
  const { status, errors } = await callAs(instance.url(), owner, 'POST', `/manage/v1${of(id)}`, { body })
  expect([status, errors?.[0]?.field, errors?.filter(lacksArabic)]).toEqual([422, 'body.kind', []])
  await job(id)
  await Bun.sleep(1_500)
  expect((await log(id, made.id)).map(({ status }) => status)).toEqual(['pending'])
  expect(mailsTo(member)).toEqual([])
})
