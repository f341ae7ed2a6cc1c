/** A real Redis on a free port of 127.0.0.1 in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { withParentDeathSignal } from '../../../src/stores/supervised-process.ts'
import { freePort } from './postgres.ts'

export type RedisServer = {
  url: string
  port: number
  /** Starts the server with its previous data; `more` are further arguments. */
  start(more?: string[]): Promise<void>
  kill(): Promise<void>
  /** Runs one command. */
  command(...words: string[]): Promise<unknown>
  forgetData(): void
  remove(): Promise<void>
}

export async function startRedis(): Promise<RedisServer> {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-redis-'))
  const port = await freePort()
  let child: ChildProcess

  async function start(more: string[] = []): Promise<void> {
    const args = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      home,
      '--save',
      '',
      '--maxmemory-policy',
      'noeviction',
      ...more,
    ]
    const [program, ...rest] = withParentDeathSignal(['redis-server', ...args], 'SIGKILL') as [string, ...string[]]
    child = spawn(program, rest, { stdio: 'ignore' })
    for (const deadline = Date.now() + 60_000; ; await Bun.sleep(20)) {
      try {
        await command('PING')
        return
      } catch (error) {
        if (Date.now() > deadline) throw error
      }
    }
  }
  async function command(...words: string[]): Promise<unknown> {
    const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return await client.call(words[0] as string, ...words.slice(1))
    } finally {
      client.disconnect()
    }
  }
  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    kill,
    command,
    forgetData() {
      rmSync(join(home, 'appendonlydir'), { recursive: true, force: true })
      rmSync(join(home, 'dump.rdb'), { force: true })
    },
    async remove() {
      await kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
