/**
 * A worker process whose runs share their parts, which are numbers that it doubles. The helper that gets the part named
 * in its input kills itself; the owner, which waits until another process has started a part, does not.
 */
import { existsSync, writeFileSync } from 'node:fs'
import type { FromWorker, ToWorker } from '../../../src/engine/protocol.ts'
import { openServerChannel } from '../../../src/engine/server-channel.ts'
import { createSharing } from '../../../src/engine/sharing.ts'

const send = (message: FromWorker): void => channel.send(JSON.stringify(message))
/** Folder of the test, for marks that all processes see. */
const folder = process.env.MARKS
const sharing = createSharing(send)

const channel = openServerChannel(async (text) => {
  const order = JSON.parse(text) as ToWorker
  if (!('tool' in order)) {
    if ('grantedPart' in order || 'part' in order) sharing.receive(order)
    return
  }
  const { run, input } = order
  const helped = `${folder}/helped`
  if ('part' in order) {
    writeFileSync(helped, '')
    if (existsSync(`${folder}/deadly`)) process.kill(process.pid, 'SIGKILL')
    return send({ run, value: 2 * (order.part as number) })
  }
  const work = async (part: unknown): Promise<unknown> => {
    while (!existsSync(helped)) await Bun.sleep(2)
    return 2 * (part as number)
  }
  const doubled = await sharing.share(run, input.parts as number[], work, () => undefined)
  send({ run, result: { data: { doubled } }, cachedBytes: 0 })
})
send({ ready: true })
