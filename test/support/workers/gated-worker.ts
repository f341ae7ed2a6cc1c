/** A worker process whose runs end when the test creates the file that their input names. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openServerChannel } from '../../../src/engine/server-channel.ts'

type Order = { run: number; input: { gate: string }; dataPath?: string }

const channel = openServerChannel(async (text) => {
  const { run, input, dataPath } = JSON.parse(text) as Order
  while (!existsSync(input.gate)) await Bun.sleep(2)
  if (dataPath !== undefined) {
    mkdirSync(dirname(dataPath), { recursive: true })
    writeFileSync(dataPath, '{"written":true}')
  }
  const result = { data: {}, ...(dataPath !== undefined && { dataPath }) }
  channel.send(JSON.stringify({ run, result, hasFolder: dataPath !== undefined, cachedBytes: 0 }))
})
channel.send(JSON.stringify({ ready: true }))
