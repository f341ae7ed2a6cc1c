/** Invalid calls of readings: broken, endless, slow or malformed bodies, and more than the log accepts. */
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import {
  createInstance,
  fromNow,
  type MadeSensor,
  outcomeOf,
  readingTimes,
  untilStored,
} from '../../support/server/instance.ts'
import { CHANNELS, codeOf, failure, one } from '../../support/server/readings.ts'
import { limitedInstance, sharedInstance } from '../../support/server/shared-instance.ts'
import { until } from '../../support/until.ts'

const instance = await sharedInstance()
const organization = await instance.organization()

const newSensor = (): Promise<MadeSensor> => instance.sensor(organization.id, CHANNELS)

describe('bad input does no harm', () => {
  test('invalid compressed bodies', async () => {
    const sensor = await newSensor()
    const body = new Uint8Array(Buffer.from('not packed'))
    expect(await failure(await instance.send(sensor, body, { 'content-encoding': 'gzip' }))).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
    })
    expect(await failure(await instance.send(sensor, body, { 'content-encoding': 'br' }))).toMatchObject({
      status: 415,
      code: 'MEDIA_TYPE_UNSUPPORTED',
    })
  })

  /** Sends raw bytes and returns the answer received until the connection ends or the time is up. */
  function raw(
    head: string,
    chunks: (string | Buffer)[],
    everyMs: number,
    forMs: number,
    port = instance.port(),
  ): Promise<string> {
    return new Promise((resolve) => {
      let answer = ''
      const socket = connect(port, '127.0.0.1')
      const timers: ReturnType<typeof setTimeout>[] = []
      const end = (): void => {
        for (const timer of timers) clearTimeout(timer)
        socket.destroy()
        resolve(answer)
      }
      socket.on('data', (data) => {
        answer += data
        if (answer.includes('"requestId"')) end()
      })
      socket.on('error', end)
      socket.on('close', end)
      socket.write(head)
      chunks.forEach((chunk, i) => {
        timers.push(setTimeout(() => socket.write(chunk), i * everyMs))
      })
      timers.push(setTimeout(end, forMs))
    })
  }
  const head = (sensor: MadeSensor, more: string): string =>
    `POST /sensors/${sensor.id}/readings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sensor.key}\r\n${more}\r\n\r\n`
  const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

  test('a chunked body is accepted, an endless one is cut off at 1 MB', async () => {
    const sensor = await newSensor()
    const body = JSON.stringify(one())
    const answer = await raw(
      head(sensor, 'Transfer-Encoding: chunked'),
      [chunk(body.slice(0, 20)), chunk(body.slice(20)), '0\r\n\r\n'],
      20,
      5000,
    )
    expect(answer).toContain('200 OK')
    const endless = Array.from({ length: 40 }, () => chunk(' '.repeat(65_536)))
    expect(await raw(head(sensor, 'Transfer-Encoding: chunked'), endless, 5, 5000)).toContain('BODY_TOO_LARGE')
  })

  test('a slow body times out, and so does one shorter than its length', async () => {
    const slow = await limitedInstance()
    const owner = await slow.organization()
    const sensor = await slow.sensor(owner.id, CHANNELS)
    const dawdling = Array.from({ length: 60 }, () => chunk(' '))
    expect(await raw(head(sensor, 'Transfer-Encoding: chunked'), dawdling, 100, 9000, slow.port())).toContain(
      'REQUEST_TIMEOUT',
    )
    expect(await raw(head(sensor, 'Content-Length: 500'), ['{"readings":'], 10, 9000, slow.port())).toContain(
      'REQUEST_TIMEOUT',
    )
    expect((await slow.send(sensor, one())).status).toBe(200)
  }, 120_000)

  test('wrong Content-Length headers', async () => {
    const sensor = await newSensor()
    const body = JSON.stringify(one())
    expect(await raw(head(sensor, 'Content-Length: 99999999999999'), [body], 1, 3000)).toContain('413')
    const short = await raw(head(sensor, 'Content-Length: 10'), [body], 1, 1000)
    expect(short).toContain('400 Bad Request')
    expect(await raw(head(sensor, 'Content-Length: -5'), [body], 1, 1000)).not.toContain('200 OK')
    expect((await instance.send(sensor, one())).status).toBe(200)
  })

  test('broken UTF-8, prototypes, nesting and wrong types at every level', async () => {
    const sensor = await newSensor()
    const at = fromNow(-5000)
    const bodies: (string | Uint8Array)[] = [
      Uint8Array.of(0x7b, 0xff, 0xfe),
      '{"__proto__":{"readings":[1]}}',
      '{"readings":"x"}',
      '{"readings":[]}',
      '['.repeat(100_000),
      `{"readings":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    ]
    for (const body of bodies) {
      const status = (await instance.send(sensor, body)).status
      expect([200, 400]).toContain(status)
    }
    const tricky = `{"readings":[{"at":"${at}","values":{"__proto__":5,"temperature":1}},{"at":"${at}","values":{"temperature":1}},{"at":"${at}","__proto__":{"values":{"temperature":1}}}]}`
    const outcome = await outcomeOf(await instance.send(sensor, tricky))
    expect(outcome.accepted).toEqual([at])
    expect(outcome.refused.map(({ reason }) => reason)).toEqual([
      'SENSOR_READING_UNKNOWN_CHANNEL',
      'SENSOR_READING_BAD_VALUE',
    ])
  })

  test('a full log answers 503 with Retry-After, loses nothing and recovers', async () => {
    // only full segments are loaded before a minute is over, and the log is limited to one megabyte
    const small = await createInstance({
      LOG_CEILING_MB: '1',
      LOAD_INTERVAL_MS: '60000',
      SENSOR_CALLS_PER_MINUTE: '1000',
    })
    const owner = await small.organization('scale')
    const sensor = await small.sensor(owner.id, CHANNELS)
    const accepted: string[] = []
    let calls = 0
    async function fill(): Promise<Response> {
      for (;;) {
        const readings = Array.from({ length: 500 }, (_, k) => ({
          at: fromNow(-80_000_000 + (calls * 500 + k) * 1000),
          values: { temperature: 1, count: k, open: true },
          location: [1, 2],
        }))
        const response = await small.send(sensor, { readings })
        if (response.status !== 200) return response
        accepted.push(...(await outcomeOf(response)).accepted)
        calls++
        expect(calls).toBeLessThan(150)
      }
    }
    const refused = await fill()
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await codeOf(refused)).toBe('INGEST_UNAVAILABLE')
    // a segment that is loaded after the refusal makes room again
    await until(async () => {
      await fill()
      return (await fetch(`${small.url()}/health/ready`)).status === 503
    }, 'the server to be unready')
    await small.kill('SIGKILL')
    await small.restart({ LOAD_INTERVAL_MS: '50' })
    await until(async () => (await small.send(sensor, one())).status === 200, 'room in the log')
    await untilStored(() => small, owner, sensor, accepted.length)
    const stored = (await readingTimes(() => small, owner, sensor)).length
    expect(accepted.length).toBeGreaterThan(5000)
    expect(stored).toBeGreaterThanOrEqual(accepted.length)
    expect(stored).toBeLessThanOrEqual(accepted.length + 1)
    await small.remove()
  }, 120_000)
})
