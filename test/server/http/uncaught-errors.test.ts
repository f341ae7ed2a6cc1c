/** An error that nothing handles fails its own request; the server continues, and reports it in its log and metrics. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const PROGRAM = join(import.meta.dir, '../../support/server/uncaught-server.ts')

test('errors in callbacks, streams and promises do not end the server', async () => {
  const server = Bun.spawn([process.execPath, PROGRAM], { stdout: 'pipe', stderr: 'inherit' })
  const reader = server.stdout.getReader()
  let output = ''
  const read = async (): Promise<boolean> => {
    const { done, value } = await reader.read()
    output += new TextDecoder().decode(value)
    return !done
  }
  while (!/port \d+\n/.test(output)) await read()
  const url = `http://127.0.0.1:${/port (\d+)/.exec(output)?.[1]}`
  try {
    for (const path of ['/timer', '/immediate', '/stream', '/file']) {
      const response = await fetch(url + path)
      expect([path, response.status]).toEqual([path, 500])
      const text = await response.text()
      expect(JSON.parse(text)).toMatchObject({ code: 'INTERNAL_ERROR', path })
      expect(text).not.toMatch(/a bug|nothing\/there/)
      expect(await (await fetch(`${url}/fine`)).text()).toBe('fine')
    }
    expect(await (await fetch(`${url}/rejection`)).text()).toBe('answered')
    expect(await (await fetch(`${url}/fine`)).text()).toBe('fine')
  } finally {
    server.kill('SIGTERM')
    while (await read());
    await server.exited
  }
  expect(server.exitCode).toBe(0)
  expect(output).toContain('uncaught_errors_total{kind="exception"} 4')
  expect(output).toContain('uncaught_errors_total{kind="rejection"} 1')
  const fatal = output.split('\n').filter((line) => line.startsWith('{'))
  expect(fatal).toHaveLength(5)
  for (const line of fatal.slice(0, 4))
    expect(JSON.parse(line)).toMatchObject({ level: 60, requestId: expect.any(String) })
})
