/** Broken and oversized forms: each gets an answer with a code of the error table, and the server keeps serving. */
import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { killRandom } from '../../support/random.ts'
import { someOf } from '../../support/rounds.ts'
import type { Envelope } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const random = killRandom('hostile-uploads')('sizes')
const instance = await sharedInstance()
const organization = await instance.organization()
afterAll(async () => {
  expect(instance.log()).not.toMatch(/"level":60|"status":5\d\d/)
})

type Target = { path: string; headers: Record<string, string>; field: string }

const targets = (): Target[] => {
  const keys = { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey }
  return [
    { path: '/enterprise/v1/gis/merge-images', headers: keys, field: 'files' },
    { path: '/enterprise/v1/gis/extract-exif', headers: keys, field: 'image' },
    { path: '/enterprise/v1/gis/buffer', headers: keys, field: 'file' },
    {
      path: `/manage/v1/owners/${organization.id}/files`,
      headers: { authorization: `Bearer ${instance.operatorToken()}` },
      field: 'file',
    },
  ]
}

async function isServing(): Promise<void> {
  expect((await fetch(`${instance.url()}/health/live`)).status).toBe(200)
}

/** An answer of the error table; a failure of the server would be INTERNAL_ERROR or TOOL_FAILED. */
async function expectRefusal(response: Response, what: string): Promise<void> {
  const { code } = (await response.json()) as Envelope
  expect({ what, status: response.status, code }).toEqual({
    what,
    status: expect.any(Number),
    code: expect.any(String),
  })
  if (response.status < 400 || response.status >= 500) throw new Error(`${what}: ${response.status} ${code}`)
}

test('more files than the tool takes, at sizes around every buffer', async () => {
  for (const { path, headers, field } of targets())
    for (const count of [2, 3, 40, 201])
      for (const size of [1, 1_000, 65_535, 65_536, 65_537, 100_000, 300_000]) {
        if (count * size > 20_000_000) continue
        const form = new FormData()
        for (let i = 0; i < count; i++) form.append(field, new Blob([new Uint8Array(size)]), `file-${i}`)
        const response = await fetch(instance.url() + path, { method: 'POST', headers, body: form })
        const what = `${path} with ${count} files of ${size} bytes`
        if (path.endsWith('/files') || count > 1) await expectRefusal(response, what)
        await isServing()
      }
}, 120_000)

const BOUNDARY = 'x'.repeat(24)
const part = (field: string, content: string): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"; filename="a"\r\n\r\n${content}`

/** Bodies that break off or were never a form, around a part of some size. */
function broken(field: string, size: number): Record<string, string> {
  const content = 'y'.repeat(size)
  return {
    'no end': part(field, content),
    'end in the boundary': `${part(field, content)}\r\n--${BOUNDARY.slice(1)}`,
    'end in the headers': `${part(field, content)}\r\n--${BOUNDARY}\r\ncontent-disposition: form-da`,
    'a header without end': `--${BOUNDARY}\r\ncontent-disposition: ${content}`,
    'no headers': `--${BOUNDARY}\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`,
    'no name': `--${BOUNDARY}\r\ncontent-disposition: form-data; filename="a"\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`,
    'another boundary': part(field, content).replaceAll(BOUNDARY, 'z'.repeat(24)),
    'text after the end': `${part(field, content)}\r\n--${BOUNDARY}--\r\n${content}`,
    nothing: '',
    'bytes without a form': content,
    'line feeds alone': `${part(field, content)}\r\n--${BOUNDARY}--\r\n`.replaceAll('\r\n', '\n'),
    'no blank line after the headers': `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"\r\n${content}\r\n--${BOUNDARY}--\r\n`,
    'an endless header': `--${BOUNDARY}\r\n${'x'.repeat(100)}: ${content}\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`,
    'a disposition of another kind': `--${BOUNDARY}\r\ncontent-disposition: attachment; name="${field}"\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`,
    'a name that is not text': `--${BOUNDARY}\r\ncontent-disposition: form-data; name="\xff\0${field}"; filename="\0/../../a"\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`,
    'an unknown charset': `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"; filename*=nothing''%ff%zz\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`,
    'a form within the form': `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"\r\ncontent-type: multipart/mixed; boundary=inner\r\n\r\n--inner\r\n\r\n${content}\r\n--inner--\r\n--${BOUNDARY}--\r\n`,
    'the end before the start': `--${BOUNDARY}--\r\n${part(field, content)}`,
    'the first part again and again': part(field, content).slice(0, 300).repeat(50),
  }
}

test('malformed forms', async () => {
  for (const { path, headers, field } of targets())
    for (const size of someOf([0, 1, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 200_000], 4, random))
      for (const [what, body] of Object.entries(broken(field, size))) {
        const response = await fetch(instance.url() + path, {
          method: 'POST',
          headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
          body,
        })
        // a complete form is a file that some routes accept
        if (response.status >= 500) throw new Error(`${path}, ${what}, ${size} bytes: ${response.status}`)
        await response.arrayBuffer()
        await isServing()
      }
}, 120_000)

test.each([
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=""',
  `multipart/form-data; boundary=${'x'.repeat(10_000)}`,
  'multipart/form-data; boundary=a; boundary=b',
  'multipart/form-data; boundary="\\"',
  'multipart/form-data; boundary=é',
  'multipart/mixed; boundary=x',
  'multipart/form-data, multipart/form-data; boundary=x',
])('the content type %j', async (type) => {
  for (const { path, headers, field } of targets()) {
    const response = await fetch(instance.url() + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': type },
      body: `${part(field, 'content')}\r\n--${BOUNDARY}--\r\n`,
    })
    await expectRefusal(response, `${path} with ${type}`)
    await isServing()
  }
})

test('broken forms whose bytes arrive in pieces of every size', async () => {
  for (const { path, headers, field } of targets().slice(0, 2))
    for (const [what, body] of Object.entries(broken(field, 70_000)))
      for (const piece of [7_919, 16_384, 65_536]) {
        const bytes = Buffer.from(body, 'latin1')
        const pieces = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let at = 0; at < bytes.length; at += piece) controller.enqueue(bytes.subarray(at, at + piece))
            controller.close()
          },
        })
        const response = await fetch(instance.url() + path, {
          method: 'POST',
          headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
          body: pieces,
        })
        if (response.status >= 500) throw new Error(`${path}, ${what}, pieces of ${piece}: ${response.status}`)
        await response.arrayBuffer()
        await isServing()
      }
}, 120_000)

test('a client that disconnects in the middle of a form', async () => {
  for (const { path, headers, field } of targets())
    for (const size of [0, 1, 65_536, 200_000]) {
      const body = part(field, 'y'.repeat(size))
      const lines = Object.entries({
        ...headers,
        host: 'localhost',
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': '1000000',
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      const socket = connect(instance.port(), '127.0.0.1')
      socket.on('error', () => undefined)
      await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
      await new Promise<void>((resolve) =>
        socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`, () => resolve()),
      )
      await Bun.sleep(5)
      socket.resetAndDestroy()
      await isServing()
    }
}, 120_000)
