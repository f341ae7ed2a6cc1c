/** A duplicated parameter is refused: rights could be checked for one value while the other one is used. */
import { beforeAll, expect, test } from 'bun:test'
import type { Organization } from '../../support/server/instance.ts'
import { fileForm, ownedThings } from '../../support/server/owned-things.ts'
import { exchange } from '../../support/server/raw-http.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { cookieOf, memberAccount } from '../../support/sessions.ts'
import { keysOf } from '../../support/workers/tools.ts'

const instance = await sharedInstance()
const things = ownedThings(instance)
let organization: Organization
beforeAll(async () => {
  organization = await instance.organization()
})

/** The answer to a request with exactly these header lines. */
async function answerTo(target: string, lines: string[], body = '') {
  const head = [target, 'Host: x', ...lines, `Content-Length: ${body.length}`, 'Connection: close']
  const { text } = await exchange([`${head.join('\r\n')}\r\n\r\n${body}`], { port: instance.port(), firstMs: 10_000 })
  return { status: Number(text.slice(9, 12)), body: JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) }
}

test('a duplicated owner opens no log, in any order and notation', async () => {
  const other = await instance.organization()
  const account = await memberAccount(instance, organization.id, 'owner')
  const headers = { cookie: cookieOf(account) }
  const own = `owner=${organization.id}`
  for (const route of ['/audit', '/audit/actors', '/audit/export'])
    for (const query of [`${own}&owner=${other.id}`, `owner=${other.id}&${own}`, `${own}&%6fwner=${other.id}`]) {
      const answer = await fetch(`${instance.url()}/manage/v1${route}?${query}&format=csv`, { headers })
      expect({ query, status: answer.status }).toEqual({ query, status: 422 })
      expect(await answer.json()).toMatchObject({ errors: [{ field: 'query.owner', rule: 'once' }] })
    }
  const answer = await fetch(`${instance.url()}/manage/v1/audit?${own}`, { headers })
  expect(answer.status).toBe(200)
})

test('any other parameter that is sent twice is refused too, except a declared list', async () => {
  const headers = keysOf(organization)
  const statusOf = async (path: string): Promise<number> => (await fetch(instance.url() + path, { headers })).status
  expect(await statusOf('/enterprise/v1/assets/sensors?limit=1&limit=2')).toBe(422)
  expect(await statusOf('/no/such/route?a=1&a=1')).toBe(422)
  const range = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&step=1h'
  expect(await statusOf(`/enterprise/v1/assets/series?sensors=all&channel=a&channel=b&${range}`)).toBe(200)
})

test('a header that decides about rights is refused when it is sent twice, on every surface and also with equal values', async () => {
  const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  const account = await memberAccount(instance, organization.id, 'owner')
  const pair = [`X-Api-Key: ${organization.publicKey}`, `X-Api-Secret: ${organization.secretKey}`]
  const session = [`Cookie: ${cookieOf(account)}`, `X-CSRF-Token: ${account.csrfToken}`]
  const json = 'Content-Type: application/json'
  const token = `Authorization: Bearer ${instance.operatorToken()}`
  const assets = 'GET /enterprise/v1/assets/sensors HTTP/1.1'
  const enterprises = 'POST /manage/v1/enterprises HTTP/1.1'
  const input = JSON.stringify({ name: 'Sent twice', tier: 'starter' })
  const readings = JSON.stringify({ readings: [{ at: new Date().toISOString(), values: { a: 1 } }] })
  const cases: [field: string, target: string, lines: string[], body?: string][] = [
    ['X-Enterprise', assets, [...session, `X-Enterprise: ${organization.id}`]],
    ['X-Api-User', assets, [...pair, `X-Api-User: ${account.email}`]],
    ['X-Api-Key', assets, pair.toReversed()],
    ['X-Api-Secret', assets, pair],
    ['Authorization', assets, [`Authorization: Bearer ${organization.publicKey}:${organization.secretKey}`]],
    ['Authorization', enterprises, [json, token], input],
    ['X-Operator', enterprises, [json, token, 'X-Operator: amal'], input],
    ['Idempotency-Key', enterprises, [json, token, `Idempotency-Key: ${crypto.randomUUID()}`], input],
    ['X-CSRF-Token', 'POST /auth/sign-out HTTP/1.1', session],
    // with the router and without
    [
      'Authorization',
      `POST /sensors/${sensor.id}/readings HTTP/1.1`,
      [`Authorization: Bearer ${sensor.key}`],
      readings,
    ],
    [
      'Authorization',
      `POST /sensors/${sensor.id}/readings? HTTP/1.1`,
      [`Authorization: Bearer ${sensor.key}`],
      readings,
    ],
  ]
  for (const [field, target, lines, body] of cases) {
    const last = lines.at(-1) as string
    // header names are case-insensitive
    for (const repeat of [last, last.toLowerCase(), `${last.split(':')[0]}: other`]) {
      const { status, body: answer } = await answerTo(target, [...lines, repeat], body)
      expect({ target, repeat, status, errors: answer.errors }).toMatchObject({
        target,
        repeat,
        status: 422,
        errors: [{ field, rule: 'once', message: 'must be sent only once' }],
      })
    }
  }
  // each of these requests succeeds when it is sent once; the last one signs out
  for (const [, target, lines, body] of cases.toSorted(
    ([a], [b]) => Number(a === 'X-CSRF-Token') - Number(b === 'X-CSRF-Token'),
  ))
    expect((await answerTo(target, lines, body)).status).toBeLessThan(300)
})

test('a field of a form that is sent twice is refused, except lists of files', async () => {
  const upload = async (...parts: [name: string, value: string | File][]): Promise<[number, unknown]> => {
    const form = new FormData()
    for (const [name, value] of parts) form.append(name, value)
    const response = await fetch(`${instance.url()}/manage/v1/owners/${organization.id}/files`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${instance.operatorToken()}` },
    })
    const { errors } = (await response.json()) as { errors?: [{ field: string; rule: string }] }
    return [response.status, errors?.[0] && [errors[0].field, errors[0].rule]]
  }
  const file = fileForm().get('file') as File
  expect(await upload(['file', file], ['file', file])).toEqual([422, ['file', 'once']])
  expect(await upload(['file', file], ['file', 'fil_other'])).toEqual([422, ['file', 'once']])
  expect(await upload(['file', 'fil_other'], ['file', file])).toEqual([422, ['file', 'once']])
  expect(await upload(['file', file])).toEqual([200, undefined])
  const tool = async (name: string, ...fields: [name: string, value: string | File][]): Promise<[number, unknown]> => {
    const form = new FormData()
    for (const [field, value] of fields) form.append(field, value)
    const response = await fetch(`${instance.url()}/enterprise/v1/gis/${name}`, {
      method: 'POST',
      body: form,
      headers: keysOf(organization),
    })
    const { errors } = (await response.json()) as { errors?: { field: string; rule: string }[] }
    return [response.status, errors?.map(({ field, rule }) => [field, rule])]
  }
  const key = (await things.file(organization.id)).id
  const target: [string, string] = ['target_format', 'geojson']
  for (const twice of [file, key])
    expect(await tool('centroids', ['file', file], ['file', twice], target)).toEqual([422, [['file', 'once']]])
  const other: [string, string] = ['target_format', 'csv']
  expect(await tool('centroids', ['file', file], target, other)).toEqual([422, [['target_format', 'once']]])
  for (const name of ['__proto__', 'constructor', 'toString'])
    expect(await tool('centroids', ['file', file], target, [name, 'x'])).toEqual([422, [[name, 'unknown']]])
  expect((await tool('centroids', ['file', file], target))[0]).toBe(200)
})
