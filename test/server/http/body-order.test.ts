/** Callers are identified before their body is read: every route answers 401 to a body that never arrives. */
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { limitedInstance } from '../../support/server/shared-instance.ts'

// a route that waits for the body answers 408
const instance = await limitedInstance()

type Operations = Record<string, Record<string, object>>
const WITH_BODY = ['post', 'put', 'patch', 'delete']

async function routes(): Promise<{ method: string; path: string }[]> {
  const documents = ['/openapi.json', '/enterprise/v1/gis/openapi.json'].map(async (path) => {
    const { paths } = (await (await fetch(instance.url() + path)).json()) as { paths: Operations }
    return Object.entries(paths).flatMap(([route, operations]) =>
      Object.keys(operations)
        .filter((method) => WITH_BODY.includes(method))
        .map((method) => ({ method: method.toUpperCase(), path: route.replace(/\{\w+\}/g, 'unknown') })),
    )
  })
  const aliases = ['/validate-and-convert', '/reproject', '/watermark-pdf']
  const undocumented = aliases.map((alias) => ({ method: 'POST', path: `/enterprise/v1/gis${alias}` }))
  return [...(await Promise.all(documents)).flat(), ...undocumented]
}

/** The status of the response to a request head that is not followed by its body. */
function statusOf(head: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(instance.port(), '127.0.0.1', () => socket.write(head))
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes
      const found = /^HTTP\/1\.1 (\d+)/.exec(text)
      if (found === null) return
      resolve(Number(found[1]))
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`${head.slice(0, 300)} was closed after ${JSON.stringify(text)}`)))
  })
}

const TYPES = ['application/json', 'multipart/form-data; boundary=xyz']
const KEYS: Record<string, string> = {
  none: '',
  bearer: 'authorization: Bearer wrong\r\n',
  pair: 'x-api-key: svc_pk_wrong\r\nx-api-secret: svc_sk_wrong\r\n',
}

/** Visitors have no key yet; bodies of these routes are small. */
const FOR_VISITORS = ['sign-in', 'sign-up', 'reset-links', 'links/open', 'links/use'].map((name) => `/auth/${name}`)

test('every route answers 401 without waiting for the body', async () => {
  const all = (await routes()).filter(({ path }) => !FOR_VISITORS.includes(path))
  expect(all.length).toBeGreaterThan(90)
  const wrong: string[] = []
  for (const [name, key] of Object.entries(KEYS))
    for (const type of TYPES)
      await Promise.all(
        all.map(async ({ method, path }) => {
          const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${key}content-type: ${type}\r\ncontent-encoding: gzip\r\ncontent-length: 100000\r\n\r\n`
          const status = await statusOf(head)
          if (status !== 401) wrong.push(`${method} ${path}, ${name} key, ${type}: ${status}`)
        }),
      )
  expect(wrong).toEqual([])
}, 120_000)

test('routes for visitors refuse a large body without waiting for it', async () => {
  for (const path of FOR_VISITORS) {
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n`
    expect([path, await statusOf(head)]).toEqual([path, 413])
  }
})
