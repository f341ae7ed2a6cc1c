/** Destinations of a server, and events for them that are recorded in its embedded PostgreSQL at a steady rate. */
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { attachEmbeddedPostgres, type Postgres } from '../../../src/stores/postgres/client.ts'
import { recordEvents } from '../../../src/stores/postgres/events/events.ts'
import { ROOT } from '../../../test/support/processes.ts'

type Managed = { dir: string; manage<T>(method: string, path: string, body?: object): Promise<T> }

export type EventSource = {
  postgres: Postgres
  /**
   * Each event of a subject, to one of the destinations after the other. A transaction records the events of 50 ms, as the
   * server stores the alerts of a second together.
   */
  run(perSecond: number, seconds: number): Promise<void>
  /** @returns milliseconds from the time in the event to its arrival, by receiver */
  stop(): Promise<number[][]>
}

const RECORDED_TOGETHER_MS = 50

/** Each destination gets the events of one rule. The first `hanging` receivers do not answer. */
export async function startEventSource(
  { dir, manage }: Managed,
  enterpriseId: string,
  receivers: number,
  hanging: number,
): Promise<EventSource> {
  const child = Bun.spawn(
    [process.execPath, 'bench/support/events/webhook-receivers.ts', String(receivers), String(hanging)],
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
  async function record(count: number): Promise<void> {
    const first = number
    number += count
    await postgres.db.transaction((tx) =>
      recordEvents(
        tx,
        [enterpriseId],
        sql`SELECT ${enterpriseId}::text AS enterprise_id, 'alert.firing' AS type, key, key AS subject, NULL::text AS severity,
          'rule ' || n % ${receivers}::integer AS rule_id, NULL::text AS sensor_id, n AS ordinal, jsonb_build_object('id', key) AS data
        FROM generate_series(${first}::integer, ${number - 1}::integer) AS n CROSS JOIN LATERAL (SELECT 'bench ' || n AS key) AS keys`,
      ),
    )
  }
  return {
    postgres,
    async run(perSecond, seconds) {
      const startedMs = performance.now()
      const all = perSecond * seconds
      for (let recorded = 0; recorded < all; ) {
        await Bun.sleep(RECORDED_TOGETHER_MS)
        const due = Math.min(all, Math.floor(((performance.now() - startedMs) / 1000) * perSecond))
        await record(due - recorded)
        recorded = due
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
