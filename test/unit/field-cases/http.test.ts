/** Requests in the forms that browsers, old clients and standards use. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { FormError, FormParts, readPart } from '../../../src/http/body/form-parts.ts'
import { parseQueryTimestamp } from '../../../src/ingest/timestamp.ts'
import type { Envelope } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { TUS, uploadsOf } from '../../support/server/uploads.ts'
import { callTool, FIXTURES, fetchFile, GIS, keysOf, POINTS, STATIONS } from '../../support/workers/tools.ts'

const instance = await sharedInstance()
const organization = await instance.organization('scale')
const post = (
  path: string,
  body: string | Uint8Array<ArrayBuffer> | FormData,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${instance.url()}${GIS}${path}`, { method: 'POST', headers: { ...keysOf(organization), ...headers }, body })

test('empty file inputs of a form count as not sent', async () => {
  const pdf = new File([readFileSync(join(FIXTURES, 'report.pdf'))], 'report.pdf')
  const form = (more: [string, string | File][]): FormData => {
    const made = new FormData()
    made.append('file', pdf)
    for (const [field, value] of more) made.append(field, value)
    return made
  }
  const logo = new File([readFileSync(join(FIXTURES, 'logo.png'))], 'logo.png')
  const nothing = new File([], '')
  expect(
    (
      await post(
        '/pdf-watermark',
        form([
          ['text', 'hi'],
          ['logo', nothing],
        ]),
      )
    ).status,
  ).toBe(200)
  expect(
    (
      await post(
        '/pdf-watermark',
        form([
          ['wm_mode', 'image'],
          ['text', ''],
          ['logo', logo],
        ]),
      )
    ).status,
  ).toBe(200)
  const missing = await post(
    '/pdf-watermark',
    form([
      ['text', ''],
      ['logo', nothing],
    ]),
  )
  expect([missing.status, ((await missing.json()) as Envelope).message]).toEqual([
    422,
    expect.stringContaining('neither'),
  ])
  // an empty file with a name counts as a file
  const empty = await post(
    '/pdf-watermark',
    form([
      ['wm_mode', 'image'],
      ['logo', new File([], 'logo.png')],
    ]),
  )
  expect([empty.status, ((await empty.json()) as Envelope).code]).toEqual([422, 'INPUT_UNREADABLE'])
})

test('a stored file is still found by its key', async () => {
  const { data } = (await (await callTool(instance, organization, '/buffer', STATIONS, true)).json()) as Envelope
  const { key } = data as { key: string }
  expect((await callTool(instance, organization, '/buffer', { ...STATIONS, file: key }, true)).status).toBe(200)
})

test('white space after a boundary', async () => {
  const body = readFileSync(join(import.meta.dir, '../../fixtures/field-cases/61-boundary-padding.bin'))
  const answer = await post('/buffer', body, { 'content-type': 'multipart/form-data; boundary=B' })
  expect(answer.status).toBe(200)
})

const splitOf = async (text: string, size: number): Promise<string[]> => {
  const contents: string[] = []
  const form = new FormParts('B', (head) => {
    readPart('B', head)
    const at = contents.push('') - 1
    return {
      write: (bytes) => {
        contents[at] += bytes.toString()
      },
      end: () => undefined,
    }
  })
  const body = Buffer.from(text)
  for (let at = 0; at < body.length; at += size) await form.add(Buffer.from(body.subarray(at, at + size)))
  form.end()
  return contents
}
const HEAD = 'content-disposition: form-data; name="a"'

test.each([1, 2, 5, 1_000])('white space after boundaries, in chunks of %i bytes', async (size) => {
  expect(await splitOf(`--B \t \r\n${HEAD}\r\n\r\none\r\n--B\t\r\n${HEAD}\r\n\r\ntwo\r\n--B--  \r\n`, size)).toEqual([
    'one',
    'two',
  ])
  for (const broken of [
    `--B x\r\n${HEAD}\r\n\r\none\r\n--B--`,
    `--B${' '.repeat(2_000)}\r\n${HEAD}\r\n\r\none\r\n--B--`,
  ])
    await expect(splitOf(broken, size)).rejects.toThrow(FormError)
})

test('parts that would be lost or misread are refused', async () => {
  const type = { 'content-type': 'multipart/form-data; boundary=B' }
  for (const [head, words] of [
    ['content-disposition: attachment; name="file"', 'form-data'],
    ['content-type: text/plain', 'form-data'],
    ['content-disposition: form-data; name="file"; filename="a"\r\ncontent-transfer-encoding: BASE64', 'base64'],
  ] as const) {
    const answer = await post('/buffer', `--B\r\n${head}\r\n\r\neHg=\r\n--B--\r\n`, type)
    expect([answer.status, ((await answer.json()) as Envelope).message]).toEqual([400, expect.stringContaining(words)])
  }
})

test('the method of a resumable upload in a header', async () => {
  const { begin, offset } = uploadsOf(
    () => instance,
    () => organization,
  )
  const path = await begin(3)
  const override = (method: string, more: Record<string, string> = {}, body: string | null = null): Promise<Response> =>
    fetch(`${instance.url()}${GIS}${path}`, {
      method: 'POST',
      headers: { ...keysOf(organization), ...TUS, 'x-http-method-override': method, ...more },
      body,
    })
  const octets = { 'content-type': 'application/offset+octet-stream' }
  const added = await override('PATCH', { ...octets, 'upload-offset': '0' }, 'abc')
  expect([added.status, added.headers.get('upload-offset')]).toEqual([204, '3'])
  const state = await override('HEAD')
  expect([state.status, state.headers.get('upload-offset')]).toEqual([200, '3'])
  expect(await offset(path)).toBe(3)
  const second = await begin(3)
  const removed = await fetch(`${instance.url()}${GIS}${second}`, {
    method: 'POST',
    headers: { ...keysOf(organization), ...TUS, 'x-http-method-override': 'DELETE' },
  })
  expect(removed.status).toBe(204)
  // other methods, and other protocols, are not overridden
  expect((await override('PUT')).status).toBe(405)
  const run = await fetch(`${instance.url()}${GIS}/files/fil_x`, {
    method: 'POST',
    headers: { ...keysOf(organization), 'x-http-method-override': 'DELETE' },
  })
  expect(run.status).toBe(405)
})

test('a plus sign in a query', async () => {
  const utc = Date.UTC(2025, 2, 31, 22)
  for (const text of ['2025-04-01T00:00:00+02:00', '2025-04-01T00:00:00 02:00', '2025-03-31T22:00:00Z'])
    expect(parseQueryTimestamp(text)).toBe(utc)
  for (const text of ['2025-04-01 02:00', '2025-04-01T00:00:00  02:00', '2025-04-01T00:00:00 2:00', ' 02:00'])
    expect(parseQueryTimestamp(text)).toBeNaN()
  const jobs = await fetch(`${instance.url()}${GIS}/jobs?from=2025-04-01T00:00:00+02:00`, {
    headers: keysOf(organization),
  })
  expect(jobs.status).toBe(200)
})

test('ranges of a stored file', async () => {
  const { data } = (await (await callTool(instance, organization, '/buffer', STATIONS, true)).json()) as Envelope
  const { key } = data as { key: string }
  const { length } = await fetchFile(instance, organization, key)
  const get = (method: string, range: string): Promise<Response> =>
    fetch(`${instance.url()}${GIS}/files/${key}`, { method, headers: { ...keysOf(organization), range } })
  const head = await get('HEAD', 'bytes=0-9')
  expect([head.status, head.headers.get('content-length'), head.headers.get('content-range')]).toEqual([
    200,
    String(length),
    null,
  ])
  for (const range of ['bytes=99999999-', 'bytes=9-3', 'bytes=-0']) {
    const outside = await get('GET', range)
    expect([outside.status, outside.headers.get('content-range'), ((await outside.json()) as Envelope).code]).toEqual([
      416,
      `bytes */${length}`,
      'RANGE_NOT_SATISFIABLE',
    ])
  }
  expect((await get('GET', 'bytes=0-9')).status).toBe(206)
})

test.each(['gzip', 'GZIP', 'x-gzip', ' X-GZip '])('content coding %p', async (coding) => {
  const body = gzipSync(JSON.stringify(POINTS))
  const answer = await post('/distance-bearing', body, {
    'content-type': 'application/json',
    'content-encoding': coding,
  })
  expect(answer.status).toBe(200)
})

test('the coding identity in any case', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'Identity' }
  expect((await post('/distance-bearing', JSON.stringify(POINTS), headers)).status).toBe(200)
  const unknown = { ...headers, 'content-encoding': 'constructor' }
  expect((await post('/distance-bearing', JSON.stringify(POINTS), unknown)).status).toBe(415)
})
