/**
 * Receivers of webhooks as a process: `COUNT HANGING`. Prints a line with their ports, the hanging ones first, and after
 * the end of its input a line with the milliseconds from the time in each event to its arrival, by receiver. Those that
 * hang never answer.
 */
export {}

const [count, hanging] = process.argv.slice(2).map(Number) as [number, number]
const delays: number[][] = Array.from({ length: count }, () => [])
const servers = delays.map((own, i) =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const atMs = Date.now()
      const { timestamp } = (await request.json()) as { timestamp: string }
      own.push(atMs - Date.parse(timestamp))
      return i < hanging ? new Promise<Response>(() => undefined) : new Response()
    },
  }),
)
process.stdout.write(`${JSON.stringify(servers.map(({ port }) => port))}\n`)
await Bun.stdin.text()
process.stdout.write(`${JSON.stringify(delays)}\n`)
process.exit(0)
