/** A worker process whose runs end when the test creates the file that their input names. */
import { existsSync } from 'node:fs'

type Order = { run: number; input: { gate: string } }

process.on('message', async (message) => {
  const { run, input } = message as Order
  while (!existsSync(input.gate)) await Bun.sleep(2)
  process.send?.({ run, result: { data: {} }, cachedBytes: 0 })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ ready: true })
