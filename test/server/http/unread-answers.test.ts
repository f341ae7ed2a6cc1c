/** Clients that ask for long answers and read nothing cost neither much memory nor the time of others. */
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { bodyOf } from '../../../src/http/long-answers.ts'
import { hold } from '../../../src/http/request-context.ts'
import { type Channel, createInstance, fromNow } from '../../support/server/instance.ts'

test('the API description, requested by many connections that do not read', async () => {
  const instance = await createInstance()
  const channels: Channel[] = [{ name: 'level', measurement: 'number' }]
  const sensor = await instance.sensor((await instance.organization()).id, channels)
  const memoryMb = async (): Promise<number> => {
    const text = await (await fetch(`${instance.url()}/metrics`)).text()
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 2 ** 20
  }
  try {
    await (await fetch(`${instance.url()}/openapi.json`)).arrayBuffer()
    const before = await memoryMb()
    const get = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'
    const sockets = Array.from({ length: 600 }, (_, i) => {
      // some send further requests before they have an answer
      const socket = connect(instance.port(), '127.0.0.1', () => socket.write(i % 2 === 0 ? get : get.repeat(3)))
      socket.on('error', () => undefined)
      return socket.pause()
    })
    for (let i = 0; i < 5; i++) {
      const sent = { readings: [{ at: fromNow(-60_000 - i), values: { level: i } }] }
      expect((await instance.send(sensor, sent)).status).toBe(200)
    }
    expect((await memoryMb()) - before).toBeLessThan(100)
    for (const socket of sockets) socket.destroy()
  } finally {
    await instance.remove()
  }
}, 120_000)

test('unread answers in memory are limited for each owner', async () => {
  const [MIB, LONG] = [2 ** 20, 100 * 2 ** 20]
  const text = new Uint8Array(LONG).fill(32)
  const ask = (owner: string): ReadableStream<Uint8Array> => {
    const request = new Request('http://localhost/')
    const holding = { as: 'somebody', ids: ['application', owner], expiresMs: Number.POSITIVE_INFINITY }
    hold(request, holding, async () => holding)
    return bodyOf(request, text) as ReadableStream<Uint8Array>
  }
  const reader = ask('one').getReader()
  expect((await reader.read()).value?.length).toBeLessThanOrEqual(MIB)
  expect(() => ask('one')).toThrow('Answers of 100 MB are waiting to be read')
  const other = ask('other').getReader()
  expect((await other.read()).done).toBe(false)
  await reader.cancel()
  // the rest of a partly read answer counts until its end
  let bytes = 0
  for await (const piece of ask('one')) bytes += piece.length
  expect(bytes).toBe(LONG)
  await ask('one').cancel()
  await other.cancel()
  expect(bodyOf(new Request('http://localhost/'), 'short')).toBe('short')
})
