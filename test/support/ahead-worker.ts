/**
 * A worker process that reads files ahead as far as their lengths go. A run says what the process has read for it, and
 * ends when the test creates the file that its input names, if it names one. With a file `stubborn` in the scratch
 * folder, the process goes on when the file is given up; with `busy`, when the file is whole.
 */
import { existsSync } from 'node:fs'
import { createArrivingFiles } from '../../src/engine/arriving-files.ts'
import type { FromWorker, Order, ToWorker } from '../../src/engine/protocol.ts'

const send = (message: FromWorker): void => void process.send?.(message)
const files = createArrivingFiles()
let read: { id: string | undefined; bytes: number } | undefined

async function readAhead({ run, ahead, scratch, arriving }: Order): Promise<void> {
  const arrivals = files.open(run, arriving?.maxBytes ?? 0)
  try {
    for (let [bytes, isWhole] = [0, false]; !isWhole; ) {
      ;({ bytes, isWhole } = await arrivals.after(bytes))
      read = { id: ahead, bytes }
    }
    while (existsSync(`${scratch}/busy`)) await Bun.sleep(5)
  } catch {
    while (existsSync(`${scratch}/stubborn`)) await Bun.sleep(5)
    read = undefined
  }
  files.close(run)
  send({ run, value: null })
}

process.on('message', async (message) => {
  const order = message as ToWorker
  if ('arrived' in order) return files.receive(order)
  if (!('tool' in order)) return
  if (order.arriving !== undefined) return readAhead(order)
  const { gate } = order.input
  while (typeof gate === 'string' && !existsSync(gate)) await Bun.sleep(2)
  send({
    run: order.run,
    result: { data: { read: read?.id === order.ahead ? (read?.bytes ?? 0) : 0 } },
    cachedBytes: 0,
  })
  read = undefined
})
process.on('disconnect', () => process.exit(0))
send({ ready: true })
