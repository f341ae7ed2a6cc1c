/** Alerts over HTTP: acknowledgement, silences, states of rules, the stream. Rows are stored as the judge stores them. */
import { expect, test } from 'bun:test'
import { firstRuleJudged } from '../../support/alerts/alert-rules.ts'
import { A } from '../../support/role-policy.ts'
import { lacksArabic, type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { ownedThings } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { watchStream } from '../../support/server/streams.ts'
import { type Account, callAs, memberAccount, personAccount } from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'

const instance = await sharedInstance()
const things = ownedThings(instance)
const organization = await instance.organization('scale')
const home = organization.id
const [admin, member] = [await memberAccount(instance, home, 'admin'), await memberAccount(instance, home, 'member')]
const sensor = await things.sensor(home)
await instance.manage('PATCH', `/sensors/${sensor.id}`, { tags: ['cold'] })

type Alert = {
  id: string
  severity: string
  silenced: boolean
  acknowledgedBy: string | null
  acknowledgedAt: string | null
  comment: string | null
}
type Silence = { id: string; state: string; from: string; to: string }
type Made = { sensorId?: string; rule?: string; ent?: string; severity?: string; resolved?: boolean; started?: string }
let made = 0

async function alert({ sensorId = sensor.id, rule = 'rul_gone', ent = home, ...more }: Made = {}): Promise<string> {
  const { severity = 'warning', resolved = false, started = new Date(Date.now() - 60_000).toISOString() } = more
  const id = `alr_${process.pid}_${++made}_${ent}`
  const [end, by] = resolved ? [new Date().toISOString(), 'cleared'] : [null, null]
  await withSql(
    instance,
    (sql) => sql`INSERT INTO alerts
      (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at, resolved_at, resolved_by, value, "values")
      VALUES (${id}, ${ent}, ${rule}, ${sensorId}, ${severity}, ${started}, ${started}, ${end}, ${by}, 71.5, '{"a": 71.5}')`,
  )
  return id
}
const call = <T = Alert>(account: Account, method: string, path: string, body?: object, headers = {}) =>
  callAs<T>(instance.url(), account, method, A + path, { enterprise: home, headers, ...(body && { body }) })
/** @param enabled whether it is judged */
async function ruleOf(name: string, sensorIds: string[], enabled = true): Promise<string> {
  const conditions = [{ channel: 'a', op: '>', value: 70 }]
  const body = { kind: 'threshold', name, sensorIds, conditions, enabled }
  const { status, data } = await call<{ id: string }>(admin, 'POST', '/rules', body)
  expect(status).toBe(200)
  return data.id
}
const silence = (more: object, headers = {}) =>
  call<Silence>(
    admin,
    'POST',
    '/alert-silences',
    { to: new Date(Date.now() + 3_600_000).toISOString(), ...more },
    headers,
  )
const shown = async (id: string): Promise<Alert> => (await call(member, 'GET', `/alerts/${id}`)).data
const idsOf = async (path: string): Promise<string[]> =>
  (await call<{ items: { id: string }[] }>(member, 'GET', path)).data.items.map(({ id }) => id)

await firstRuleJudged(instance)

test('an alert has the names of its rule and sensor, and outlives both', async () => {
  const gone = await things.sensor(home)
  const rule = await ruleOf('Too warm', [gone.id])
  const started = '2026-02-01T10:00:00.000Z'
  const id = await alert({ sensorId: gone.id, rule, started })
  const { name } = await instance.manage<Record<string, string>>('GET', `/sensors/${gone.id}`)
  expect(await shown(id)).toMatchObject({
    id,
    ruleId: rule,
    ruleName: 'Too warm',
    sensorId: gone.id,
    sensorName: name,
    polygon: null,
    severity: 'warning',
    startedAt: started,
    firedAt: started,
    resolvedAt: null,
    resolvedBy: null,
    value: 71.5,
    values: { a: 71.5 },
    late: false,
    silenced: false,
    acknowledgedBy: null,
    acknowledgedAt: null,
    comment: null,
  })
  await instance.manage('DELETE', `/sensors/${gone.id}`)
  await call(admin, 'DELETE', `/rules/${rule}`)
  expect(await shown(id)).toMatchObject({ ruleId: rule, ruleName: null, sensorId: gone.id, sensorName: null })
  expect(await idsOf(`/alerts?rule=${rule}&sensor=${gone.id}`)).toEqual([id])
})

test('the first acknowledgement stays until it is taken back, and the log has no address in its records', async () => {
  const id = await alert()
  const first = await call(member, 'POST', `/alerts/${id}/acknowledge`, { comment: 'On the way' })
  expect(first.data).toMatchObject({ acknowledgedBy: `member ${member.email}`, comment: 'On the way' })
  expect(Date.parse(first.data.acknowledgedAt ?? '')).toBeCloseTo(Date.now(), -5)
  const second = await call(admin, 'POST', `/alerts/${id}/acknowledge`, {})
  expect(second.data).toEqual(first.data)
  const back = await call(admin, 'DELETE', `/alerts/${id}/acknowledge`)
  expect(back.data).toMatchObject({ acknowledgedBy: null, acknowledgedAt: null, comment: null })
  expect((await call(admin, 'DELETE', `/alerts/${id}/acknowledge`)).status).toBe(200)
  // a call without a comment needs no body
  const again = await call(admin, 'POST', `/alerts/${id}/acknowledge`)
  expect(again.data).toMatchObject({ acknowledgedBy: `admin ${admin.email}`, comment: null })
  type Entry = {
    actor: string
    action: string
    before: object
    after: { acknowledgedAt: string | null; comment: string | null }
  }
  const { items } = await instance.manage<{ items: Entry[] }>('GET', `/audit?subject=${id}`)
  expect(items.map(({ actor, action, after }) => [actor, action, after.comment])).toEqual([
    [`admin ${admin.email}`, 'update', null],
    [`admin ${admin.email}`, 'update', null],
    [`member ${member.email}`, 'update', 'On the way'],
  ])
  expect(JSON.stringify(items.map(({ before, after }) => [before, after]))).not.toContain('@')
})

test('several alerts are acknowledged together, or none of them', async () => {
  const ids = [await alert(), await alert({ resolved: true }), await alert()]
  const foreign = await alert({ ent: (await things.enterprise()).id })
  for (const wrong of [foreign, 'alr_none']) {
    const refused = await call(member, 'POST', '/alerts/acknowledge', { ids: [...ids, wrong] })
    expect([refused.status, refused.code]).toEqual([404, 'NOT_FOUND'])
    expect((await shown(ids[0] as string)).acknowledgedBy).toBeNull()
  }
  await call(admin, 'POST', `/alerts/${ids[2]}/acknowledge`, { comment: 'Mine' })
  const { data } = await call<{ items: Alert[] }>(member, 'POST', '/alerts/acknowledge', { ids, comment: 'All' })
  const comments = Object.fromEntries(data.items.map(({ id, comment }) => [id, comment]))
  expect(comments).toEqual({ [ids[0] as string]: 'All', [ids[1] as string]: 'All', [ids[2] as string]: 'Mine' })
  for (const [body, field] of [
    [{ ids: [] }, 'body.ids'],
    [{ ids: Array.from({ length: 1_001 }, (_, i) => `alr_${i}`) }, 'body.ids'],
    [{ ids: [ids[0], ids[0]] }, 'body.ids'],
    [{ ids, comment: ' ' }, 'body.comment'],
    [{ ids, comment: 'x'.repeat(2_001) }, 'body.comment'],
  ] as const)
    expect(await call(member, 'POST', '/alerts/acknowledge', body)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ field }],
    })
})

test('a silence holds alerts of a sensor, a tag or a rule while it lasts', async () => {
  const other = await things.sensor(home)
  const rule = await ruleOf('Cold store', [sensor.id])
  const [ofSensor, ofRule] = [await alert(), await alert({ sensorId: other.id, rule })]
  for (const [target, held] of [
    [{ sensorIds: [sensor.id] }, [true, false]],
    [{ tags: ['cold'] }, [true, false]],
    [{ ruleIds: [rule] }, [false, true]],
    [{ tags: ['warm'] }, [false, false]],
    [{ tags: ['cold'], from: new Date(Date.now() + 60_000).toISOString() }, [false, false]],
  ] as const) {
    const { data } = await silence(target)
    expect([(await shown(ofSensor)).silenced, (await shown(ofRule)).silenced]).toEqual([...held])
    const holding = await Promise.all([ofSensor, ofRule].map((id) => idsOf(`/alert-silences?alert=${id}`)))
    expect(holding).toEqual(held.map((isHeld) => (isHeld ? [data.id] : [])))
    expect(await idsOf('/alert-silences?state=planned')).toEqual('from' in target ? [data.id] : [])
    expect((await call(admin, 'DELETE', `/alert-silences/${data.id}`)).status).toBe(200)
    expect((await shown(ofSensor)).silenced).toBe(false)
  }
  expect((await call(admin, 'DELETE', '/alert-silences/sil_none')).code).toBe('NOT_FOUND')
  const key = { 'idempotency-key': crypto.randomUUID() }
  const body = { tags: ['cold'], to: new Date(Date.now() + 3_600_000).toISOString(), comment: 'Defrosting' }
  const [first, repeated] = [await silence(body, key), await silence(body, key)]
  expect(repeated.data).toEqual(first.data)
  expect(first.data).toMatchObject({ state: 'active', comment: 'Defrosting', createdBy: `admin ${admin.email}` })
  await withSql(
    instance,
    (sql) =>
      sql`UPDATE alert_silences SET starts_at = now() - interval '2 h', ends_at = now() WHERE id = ${first.data.id}`,
  )
  expect((await shown(ofSensor)).silenced).toBe(false)
  expect(await idsOf('/alert-silences?state=ended')).toEqual([first.data.id])
})

test('a silence needs a target of the enterprise and an end within 366 days', async () => {
  const foreign = await things.sensor((await things.enterprise()).id)
  const days = (n: number): string => new Date(Date.now() + n * 86_400_000).toISOString()
  for (const [body, field] of [
    [{}, 'body.sensorIds'],
    [{ sensorIds: [], tags: [] }, 'body.sensorIds'],
    [{ sensorIds: [sensor.id, foreign.id] }, 'body.sensorIds.1'],
    [{ ruleIds: ['rul_none'] }, 'body.ruleIds.0'],
    [{ tags: [''] }, 'body.tags.0'],
    [{ tags: ['a'], to: 'tomorrow' }, 'body.to'],
    [{ tags: ['a'], to: days(-1) }, 'body.to'],
    [{ tags: ['a'], to: days(367) }, 'body.to'],
    [{ tags: ['a'], from: days(2), to: days(1) }, 'body.from'],
    [{ tags: ['a'], extra: 1 }, 'body.extra'],
  ] as const) {
    const refused = { body, ...(await silence(body)) }
    expect(refused).toMatchObject({ body, code: 'VALIDATION_FAILED', errors: [{ field }] })
    expect(refused.errors?.filter(lacksArabic)).toEqual([])
  }
  expect((await call(admin, 'POST', '/alert-silences', { tags: ['a'] })).errors).toMatchObject([{ field: 'body.to' }])
})

test('queries of alerts are checked', async () => {
  for (const [query, field] of [
    ['state=gone', 'query.state'],
    ['severity=warning,loud', 'query.severity'],
    ['from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z', 'query.from'],
    ['cursor=x', 'query.cursor'],
    ['limit=0', 'query.limit'],
    ...['x', '2026-02-30 00:00:00+00', '2026-02-03 24:00:00+00', '0000-01-01 00:00:00+00'].map((at) => [
      `cursor=${Buffer.from(JSON.stringify({ sort: '-firedAt', values: [at, 'alr_1'] })).toString('base64url')}`,
      'query.cursor',
    ]),
  ])
    expect(await call(member, 'GET', `/alerts?${query}`)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ field }],
    })
  expect((await call(member, 'GET', '/alerts/alr_none')).code).toBe('NOT_FOUND')
})

test('stored states of a rule that is not judged: firing with its alert, cleared, and not known', async () => {
  const [firing, cleared, silent] = [await things.sensor(home), await things.sensor(home), await things.sensor(home)]
  const rule = await ruleOf('States', [firing.id, cleared.id, silent.id], false)
  const started = '2026-02-01T10:00:00.000Z'
  const alertId = await alert({ sensorId: firing.id, rule, started })
  await alert({ sensorId: cleared.id, rule, resolved: true })
  const { data } = await call<{ items: { sensorId: string; since: string }[] }>(member, 'GET', `/rules/${rule}/states`)
  expect(data.items).toMatchObject([
    { sensorId: firing.id, state: 'firing', since: started, alertId },
    { sensorId: cleared.id, state: 'ok' },
    { sensorId: silent.id, state: 'unknown', since: null },
  ])
  expect((await call(member, 'GET', '/rules/rul_none/states')).code).toBe('NOT_FOUND')
})

test('states between alerts come from the process that judges', async () => {
  const own = await instance.organization('scale')
  const sensors = await Promise.all(
    Array.from({ length: 4 }, () => instance.sensor(own.id, [{ name: 'a', measurement: 'number' }])),
  )
  const [firing, pending, ok, silent] = sensors as [MadeSensor, MadeSensor, MadeSensor, MadeSensor]
  const headers = { 'x-api-key': own.publicKey, 'x-api-secret': own.secretKey }
  const conditions = [{ channel: 'a', op: '>', value: 10 }]
  const body = { kind: 'threshold', name: 'Hot', all: true, conditions, forSeconds: 60, maxGapSeconds: 300 }
  const rule = await callAs<{ id: string }>(instance.url(), undefined, 'POST', `${A}/rules`, { headers, body })
  expect(rule).toMatchObject({ status: 200 })
  const at = (agoS: number): string => new Date(nowMs - agoS * 1000).toISOString()
  const nowMs = Date.now()
  const send = async (to: MadeSensor, values: [number, number][]) =>
    outcomeOf(await instance.send(to, { readings: values.map(([agoS, a]) => ({ at: at(agoS), values: { a } })) }))
  await send(firing, [
    [130, 5],
    [120, 20],
    [60, 20],
    [30, 20],
  ])
  await send(pending, [
    [100, 5],
    [50, 20],
    [40, 20],
  ])
  await send(ok, [
    [100, 20],
    [90, 5],
    [80, 5],
  ])
  type State = { sensorId: string; state: string; since: string | null; alertId?: string }
  const path = `/rules/${rule.data.id}/states`
  const states = async () =>
    new Map((await instance.query<{ items: State[] }>(own, path)).data.items.map((one) => [one.sensorId, one]))
  await until(
    async () => (await states()).get(ok.id)?.state === 'ok' && (await states()).get(firing.id)?.alertId !== undefined,
    'the states',
  )
  const found = await states()
  expect(found.get(firing.id)).toMatchObject({
    state: 'firing',
    since: at(120),
    alertId: expect.stringMatching(/^alr_/),
  })
  expect(found.get(pending.id)).toEqual({ sensorId: pending.id, state: 'pending', since: at(50) })
  expect(found.get(ok.id)).toEqual({ sensorId: ok.id, state: 'ok', since: at(90) })
  expect(found.get(silent.id)).toEqual({ sensorId: silent.id, state: 'unknown', since: null })
  // the process that judges hears of it with the next readings
  for (const held of [true, false])
    for (const { id } of [firing, pending]) {
      await instance.manage('PATCH', `/sensors/${id}`, { held, heldReason: held ? 'Test' : null })
      if (held || id === firing.id)
        expect((await states()).get(id)).toEqual({ sensorId: id, state: 'unknown', since: null })
    }
}, 60_000)

test('the stream has each change of an alert once, groups of very many, and other silences', async () => {
  const own = await instance.organization('scale')
  const theirs = await things.sensor(own.id)
  const make = (more: Made = {}) => alert({ sensorId: theirs.id, ent: own.id, ...more })
  const stream = await watchStream(instance, own, 'topics=alerts')
  const items = () => stream.received.filter(({ event }) => event === 'alerts').flatMap(({ data }) => data.items ?? [])
  const [first, second] = [await make(), await make({ severity: 'critical' })]
  await until(() => items().length === 2, 'two alerts')
  expect(
    items()
      .map(({ id, severity, silenced }) => [id, severity, silenced])
      .sort(),
  ).toEqual([
    [first, 'warning', false],
    [second, 'critical', false],
  ])
  await withSql(
    instance,
    (sql) => sql`UPDATE alerts SET resolved_at = now(), resolved_by = 'cleared' WHERE id = ${first}`,
  )
  await until(() => items().length === 3, 'the end')
  expect(items()[2]).toMatchObject({ id: first, resolvedBy: 'cleared', sensorName: expect.any(String) })
  const body = { tags: [], sensorIds: [theirs.id], to: new Date(Date.now() + 3_600_000).toISOString() }
  const headers = { 'x-api-key': own.publicKey, 'x-api-secret': own.secretKey }
  await callAs(instance.url(), undefined, 'POST', `${A}/alert-silences`, { headers, body })
  const groups = () => stream.received.map(({ data }) => data as object).filter((data) => 'groups' in data)
  await until(() => groups().length === 1, 'the silence')
  expect(groups()[0]).toMatchObject({ counts: { firing: 1, silenced: 1 }, groups: [{ ruleId: 'rul_gone', count: 1 }] })
  await withSql(
    instance,
    (sql) => sql`INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at)
      SELECT ${own.id} || n, ${own.id}, 'rul_many', ${theirs.id}, 'info', now(), now() FROM generate_series(1, 5000) AS n`,
  )
  await until(() => groups().length === 2, 'groups')
  expect(groups()[1]).toMatchObject({
    counts: { firing: 5_001, silenced: 5_001, bySeverity: { info: 5_000, warning: 0, critical: 1 } },
    groups: [
      { ruleId: 'rul_many', count: 5_000 },
      { ruleId: 'rul_gone', count: 1 },
    ],
  })
  // alerts after very many are single again, and none of the earlier ones is repeated
  const last = await make()
  await until(() => items().length > 3, 'one more')
  expect(items().slice(3)).toMatchObject([{ id: last, silenced: true }])
  expect(groups()).toHaveLength(2)
  await stream.leave()
}, 60_000)

test('the address of a deleted account leaves alerts and silences', async () => {
  const person = await personAccount(instance)
  const leaving = { ...person, ...(await memberAccount(instance, home, 'admin', person)) }
  const id = await alert()
  await call(leaving, 'POST', `/alerts/${id}/acknowledge`, {})
  const body = { tags: ['x'], to: new Date(Date.now() + 60_000).toISOString() }
  const made = await call<Silence & { createdBy: string }>(leaving, 'POST', '/alert-silences', body)
  expect([(await shown(id)).acknowledgedBy, made.data.createdBy]).toEqual([
    `admin ${leaving.email}`,
    `admin ${leaving.email}`,
  ])
  await instance.manage('DELETE', `/members/${leaving.memberIds[home]}`)
  await instance.manage('DELETE', `/people/${person.personId}`)
  expect((await shown(id)).acknowledgedBy).toMatch(/^admin acc_/)
  const { data } = await call<{ items: object[] }>(member, 'GET', '/alert-silences')
  expect(JSON.stringify(data.items)).toContain(made.data.id)
  expect(JSON.stringify(data.items)).not.toContain(leaving.email)
})
