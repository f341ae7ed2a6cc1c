/** Answers of HTTP/1.1 in pieces of any size, against Python's http.client. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createAnswerReader } from '../../../src/destinations/answer-reader.ts'
import { python } from '../../support/python.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { some } from '../../support/twins/any-layer.ts'

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

function readerOf(text: string, piece = Number.POSITIVE_INFINITY) {
  const reader = createAnswerReader()
  const bytes = bytesOf(text)
  let isComplete = false
  for (let i = 0; i < bytes.length && !isComplete; i += piece) isComplete = reader.read(bytes.subarray(i, i + piece))
  return { reader, isComplete }
}

/** A correct answer with a short body of ASCII. */
function randomAnswer(random: Random): string {
  const body =
    'x'.repeat(whole(random, 3)) +
    whole(random, 2 ** 31)
      .toString(36)
      .repeat(whole(random, 200))
  const interim = some(random, [
    '',
    '',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
  ])
  const status = some(random, [
    '200 OK',
    '200 ',
    '202 Accepted',
    '302 Found',
    '404 Not Found',
    '410 Gone',
    '500 x: y',
    '599 z',
  ])
  const headers = `Server: a\r\n${some(random, ['', 'X: \xff\t:\r\n', 'Content-Type: text/plain\r\n'])}`
  const head = `${interim}HTTP/1.1 ${status}\r\n${headers}`
  const kind = whole(random, 4)
  if (kind === 0) return `${interim}HTTP/1.1 204 No Content\r\n${headers}\r\n`
  if (kind === 1) return `${head}Content-Length:  ${body.length} \r\n\r\n${body}`
  if (kind === 2) return `${head}Connection: close\r\n\r\n${body}`
  let chunks = ''
  for (let i = 0; i < body.length; ) {
    const chunk = body.slice(i, i + 1 + whole(random, 300))
    chunks += `${some(random, ['', '00'])}${chunk.length.toString(16)}${some(random, ['', ';a=b', ' ; a'])}\r\n${chunk}\r\n`
    i += chunk.length
  }
  return `${head}transfer-encoding: Chunked\r\n\r\n${chunks}0\r\n${some(random, ['', 'Trailer: 1\r\n'])}\r\n`
}

test('status and body are what Python reads, in pieces of one byte and in one piece', async () => {
  process.stderr.write(`answers: replay with TEST_SEED=${testSeed}\n`)
  const random = seeded(testSeed)
  const answers = Array.from({ length: 400 }, () => randomAnswer(random))
  const file = join(mkdtempSync(join(tmpdir(), 'groundwave-answers-')), 'answers.json')
  await Bun.write(file, JSON.stringify(answers))
  const program = `
import sys, json, io, http.client
class Socket:
    def __init__(self, data): self.data = data
    def makefile(self, mode): return io.BytesIO(self.data)
def read(text):
    data = text.encode('latin1')
    while True:
        response = http.client.HTTPResponse(Socket(data))
        response.begin()
        if response.status >= 200: break
    return [response.status, response.read().decode('latin1')]
def skipping(text):
    # http.client skips 100 alone
    if text.startswith('HTTP/1.1 103'): text = text.split('\\r\\n\\r\\n', 1)[1]
    return read(text)
print(json.dumps([skipping(text) for text in json.load(open(sys.argv[1]))]))`
  const expected = JSON.parse(await python(program, file)) as [status: number, body: string][]
  rmSync(dirname(file), { recursive: true })
  expect(new Set(expected.map(([status]) => status)).size).toBe(8)
  for (const [i, answer] of answers.entries())
    for (const piece of [1, 7, Number.POSITIVE_INFINITY]) {
      const { reader, isComplete } = readerOf(answer, piece)
      const [status, body] = expected[i]!
      const hasLength = !answer.includes('Connection: close')
      expect([answer, piece, reader.statusCode, reader.text(), isComplete]).toEqual([
        answer,
        piece,
        status,
        body.slice(0, 1024),
        hasLength,
      ])
    }
})

describe('the status line', () => {
  test('counts as soon as it has arrived, and an interim answer does not', () => {
    expect(readerOf('HTTP/1.1 200 OK').reader.statusCode).toBeUndefined()
    expect(readerOf('HTTP/1.1 200 OK\r\n').reader.statusCode).toBe(200)
    expect(readerOf('HTTP/1.1 100 Continue\r\n\r\n').reader.statusCode).toBeUndefined()
    expect(readerOf('HTTP/1.0 503\r\n').reader.statusCode).toBe(503)
    expect(readerOf('HTTP/1.1 101 Switching Protocols\r\n').reader.statusCode).toBe(101)
  })

  test.each([
    'HTTP/2 200\r\n',
    'SSH-2.0-OpenSSH_9\r\n',
    'HTTP/1.1 2000 OK\r\n',
    'HTTP/1.1 000 x\r\n',
    '\r\n',
    ' HTTP/1.1 200 OK\r\n',
    'ICY 200 OK\r\n',
  ])('%j is none', (text) => {
    expect(() => readerOf(text)).toThrow('not an answer of HTTP/1')
  })
})

describe('the body', () => {
  const ofBody = (body: string): string => readerOf(`HTTP/1.1 200 OK\r\n\r\n${body}`).reader.text()

  test('has at most one kilobyte of UTF-8, and no half character', () => {
    expect(ofBody('a'.repeat(5_000))).toBe('a'.repeat(1024))
    const wave = Buffer.from('🌊').toString('latin1')
    expect(ofBody(`a${wave.repeat(500)}`)).toBe(`a${'🌊'.repeat(255)}`)
    expect(Buffer.byteLength(ofBody('\xff'.repeat(5_000)))).toBeLessThanOrEqual(1024)
  })

  test('has no zero byte, which PostgreSQL does not store', () => {
    expect(ofBody('a\0b')).toBe('a\ufffdb')
  })

  test('is empty after a wrong chunk size, and the status stays', () => {
    const { reader, isComplete } = readerOf('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc')
    expect([reader.statusCode, reader.text(), isComplete]).toEqual([200, '', true])
  })
})

test('lines of any length take no memory', () => {
  const reader = createAnswerReader()
  reader.read(bytesOf('HTTP/1.1 200 OK\r\nRetry-After: 7\r\nX: '))
  const before = process.memoryUsage().rss
  const piece = bytesOf('y'.repeat(65_536))
  for (let i = 0; i < 20_000; i++) reader.read(piece)
  // 1.3 GB were read
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
  expect(reader.read(bytesOf('\r\nContent-Length: 2\r\n\r\nok'))).toBe(true)
  expect([reader.statusCode, reader.retryAfterMs, reader.text()]).toEqual([200, 7_000, 'ok'])
})

test('Retry-After is a number of seconds or a date', () => {
  const retryAfter = (value: string) => readerOf(`HTTP/1.1 503 x\r\nretry-after: ${value}\r\n\r\n`).reader.retryAfterMs
  expect(retryAfter('120')).toBe(120_000)
  expect(retryAfter('0')).toBe(0)
  const inAMinute = retryAfter(new Date(Date.now() + 60_000).toUTCString())!
  expect(inAMinute).toBeGreaterThan(57_000)
  expect(inAMinute).toBeLessThanOrEqual(60_000)
  expect(retryAfter('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(0)
  for (const wrong of ['', '-1', '1.5', 'soon', '99999999999', 'Sometime'])
    expect([wrong, retryAfter(wrong)]).toEqual([wrong, undefined])
})
