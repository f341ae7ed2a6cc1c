/**
 * The upper bound for ingestion: a server that only parses the same bodies and answers. With `sink` as its argument it
 * does not parse either, which gives the upper bound of the load generator.
 */
const sink = process.argv[2] === 'sink'
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (sink) return Response.json({ accepted: (await request.arrayBuffer()).byteLength })
    const { readings } = (await request.json()) as { readings: unknown[] }
    return Response.json({ accepted: readings.length })
  },
})
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)
