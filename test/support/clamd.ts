/** A ClamAV daemon on a free port of 127.0.0.1, whose database has a single signature for the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './stores/postgres.ts'

export type ClamdServer = {
  url: string
  socketUrl: string
  start(): Promise<void>
  kill(): Promise<void>
  remove(): Promise<void>
}

export async function startClamd(signatureName: string, text: string): Promise<ClamdServer> {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-clamd-'))
  chmodSync(home, 0o755)
  const port = await freePort()
  const database = join(home, 'database')
  mkdirSync(database)
  // an extended signature (.ndb) that matches any type of file at any offset
  writeFileSync(join(database, 'own.ndb'), `${signatureName}:0:*:${Buffer.from(text).toString('hex')}\n`)
  const socket = join(home, 'clamd.socket')
  const settings = [
    'Foreground yes',
    `DatabaseDirectory ${database}`,
    `TCPSocket ${port}`,
    'TCPAddr 127.0.0.1',
    `LocalSocket ${socket}`,
    `PidFile ${join(home, 'clamd.pid')}`,
    `TemporaryDirectory ${home}`,
    'StreamMaxLength 600M',
    'MaxScanSize 600M',
    'MaxFileSize 600M',
  ]
  writeFileSync(join(home, 'clamd.conf'), `${settings.join('\n')}\n`)
  let child: ChildProcess

  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      const client = connect(port, '127.0.0.1', () => client.write('zPING\0'))
      client.on('data', (data) => {
        resolve(data.toString('latin1').startsWith('PONG'))
        client.destroy()
      })
      client.on('error', () => resolve(false))
    })

  async function start(): Promise<void> {
    child = spawn('/usr/sbin/clamd', ['--config-file', join(home, 'clamd.conf')], { stdio: 'ignore' })
    for (const deadline = Date.now() + 60_000; !(await answers()); await Bun.sleep(50))
      if (Date.now() > deadline) throw new Error('clamd did not start')
  }
  async function kill(): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    url: `tcp://127.0.0.1:${port}`,
    socketUrl: `unix://${socket}`,
    start,
    kill,
    async remove() {
      await kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
