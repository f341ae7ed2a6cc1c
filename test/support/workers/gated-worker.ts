/** A worker process whose runs end when the test creates the file that their input names. */
import { existsSync } from 'node:fs'
import { openServerChannel } from '../../../src/engine/server-channel.ts'

type Order = { run: number; input: { gate: string } }

const channel = openServerChannel(async (text) => {
  const { run, input } = JSON.parse(text) as Order
  while (!existsSync(input.gate)) await Bun.sleep(2)
  channel.send(JSON.stringify({ run, result: { data: {} }, cachedBytes: 0 }))
})
channel.send(JSON.stringify({ ready: true }))
