/** Destinations of a server, and events for them that are recorded in its embedded PostgreSQL at a steady rate. */
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { attachEmbeddedPostgres, type Postgres } from '../../src/stores/postgres/client.ts'
import { recordEvents } from '../../src/stores/postgres/events/events.ts'
import { ROOT } from '../../test/support/processes.ts'

type Managed = { dir: string; manage<T>(method: string, path: string, body?: object): Promise<T> }

export type EventSource = {
  postgres: Postgres
  /** Each event of a subject, to one of the destinations after the other. */
  run(perSecond: number, seconds: number): Promise<void>
  /** @returns milliseconds from the time in the event to its arrival, by receiver */
  stop(): Promise<number[][]>
}

/** Each destination gets the events of one rule. The first `hanging` receivers do not answer. */
export async function startEventSource(
  { dir, manage }: Managed,
  enterpriseId: string,
  receivers: number,
  hanging: number,
): Promise<EventSource> {
  const child = Bun.spawn(
    [process.execPath, 'bench/support/webhook-receivers.ts', String(receivers), String(hanging)],
    { cwd: ROOT, stdin: 'pipe', stdout: 'pipe' },
  )
  const lines = child.stdout.pipeThrough(new TextDecoderStream() as never) as unknown as ReadableStream<string>
  const reader = lines.getReader()
  let text = ''
  async function line<T>(): Promise<T> {
    while (!text.includes('\n')) {
      const { value, done } = await reader.read()
      if (done) throw new Error('the receivers ended')
      text += value
    }
    const [first = '', ...rest] = text.split('\n')
    text = rest.join('\n')
    return JSON.parse(first) as T
  }
  const ports = await line<number[]>()
  const postgres = attachEmbeddedPostgres(join(dir, 'run/postgres'))
  for (const [i, port] of ports.entries()) {
    const { id } = await manage<{ id: string }>('POST', `/enterprises/${enterpriseId}/destinations`, {
      kind: 'webhook',
      name: `Receiver ${i}`,
      url: `http://127.0.0.1:${port}/`,
      events: ['alert.firing'],
    })
    await postgres.db.execute(sql`UPDATE destinations SET rule_ids = ARRAY[${`rule ${i}`}::text] WHERE id = ${id}`)
  }
  let number = 0
  async function record(): Promise<void> {
    const key = `bench ${number}`
    const rule = `rule ${number++ % receivers}`
    await postgres.db.transaction((tx) =>
      recordEvents(
        tx,
        [enterpriseId],
        sql`SELECT ${enterpriseId}::text AS enterprise_id, 'alert.firing' AS type, ${key}::text AS key, ${key}::text AS subject,
          NULL::text AS severity, ${rule}::text AS rule_id, NULL::text AS sensor_id, 1 AS ordinal,
          jsonb_build_object('id', ${key}::text) AS data`,
      ),
    )
  }
  return {
    postgres,
    async run(perSecond, seconds) {
      const startedMs = performance.now()
      for (let i = 0; i < perSecond * seconds; i++) {
        const waitMs = startedMs + (i * 1000) / perSecond - performance.now()
        if (waitMs > 0) await Bun.sleep(waitMs)
        await record()
      }
    },
    async stop() {
      await postgres.close()
      await child.stdin.end()
      const delays = await line<number[][]>()
      await child.exited
      return delays
    },
  }
}
