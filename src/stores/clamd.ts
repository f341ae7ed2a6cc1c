/** Client of ClamAV's daemon: sends a file over a socket (clamd(8), INSTREAM) and reads the verdict. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Clamd = {
  /** @returns the name of the malware found; undefined for a clean file. @throws Error without a verdict */
  scan(content: AsyncIterable<Uint8Array>): Promise<string | undefined>
  ping(): Promise<void>
}

const MAX_ANSWER_BYTES = 4096

/** @param url `tcp://host:port`, or `unix:///path` of its socket */
export function createClamd(url: string, timeoutMs: number): Clamd {
  const { protocol, hostname, port, pathname } = new URL(url)
  const target =
    protocol === 'unix:' ? { path: decodeURIComponent(pathname) } : { host: hostname, port: Number(port || 3310) }

  async function ask(send: (socket: Socket) => Promise<void>): Promise<string> {
    const socket = connect(target)
    let answer = ''
    const ended = new Promise<void>((resolve, reject) => {
      socket.setTimeout(timeoutMs, () => socket.destroy(new Error('clamd did not answer in time')))
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1')
        if (answer.length > MAX_ANSWER_BYTES) socket.destroy(new Error('the response of clamd is too long'))
      })
      socket.on('error', reject)
      socket.on('close', () => resolve())
    })
    // may reject before it is awaited
    ended.catch(() => undefined)
    try {
      await Promise.race([once(socket, 'connect'), ended])
      await Promise.race([send(socket), ended])
      await ended
    } finally {
      socket.destroy()
    }
    return answer.replace(/[\0\n]+$/, '')
  }

  const write = async (socket: Socket, bytes: Uint8Array): Promise<void> => {
    if (!socket.write(bytes)) await once(socket, 'drain')
  }

  return {
    async scan(content) {
      const answer = await ask(async (socket) => {
        await write(socket, Buffer.from('zINSTREAM\0'))
        for await (const chunk of content) {
          if (chunk.length === 0) continue
          const length = Buffer.alloc(4)
          length.writeUInt32BE(chunk.length)
          await write(socket, length)
          await write(socket, chunk)
        }
        await write(socket, Buffer.alloc(4))
      })
      if (answer === 'stream: OK') return undefined
      const found = /^stream: (.+) FOUND$/.exec(answer)
      if (found === null) throw new Error(`clamd answered "${answer.slice(0, 200)}"`)
      return found[1]
    },
    async ping() {
      const answer = await ask((socket) => write(socket, Buffer.from('zPING\0')))
      if (answer !== 'PONG') throw new Error(`clamd answered "${answer.slice(0, 200)}"`)
    },
  }
}
