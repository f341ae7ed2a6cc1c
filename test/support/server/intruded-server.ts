/**
 * A stand-in for a server: it has secrets, files of tenants and sockets, starts code in the place of a worker process,
 * and prints the actions that succeeded: `bun intruded-server.ts FOLDER ISOLATION`, where `none` starts it without a
 * sandbox.
 */
import { copyFileSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Isolation, openSandbox } from '../../../src/engine/sandbox.ts'
import { unconfined } from '../workers/unconfined.ts'
import type { Facts } from './intruder.ts'

const [data = '', asked = 'best'] = process.argv.slice(2)
process.umask(0o077)
const scratch = join(data, 'scratch')
for (const folder of ['files/ab', 'layers', 'log', 'scratch/own', 'scratch/other'])
  mkdirSync(join(data, folder), { recursive: true })
for (const file of ['operator.token', 'portal.secret', 'files/ab/fil_1', 'layers/lay_1.1', 'log/segment', 'moved'])
  writeFileSync(join(data, file), `secret ${file}`)
const run = (name: string) => ({ scratch: join(scratch, name), hasFolder: true, reads: [] })
for (const name of ['own', 'other'])
  for (const file of ['input-1', 'input-2', 'input-3']) writeFileSync(join(scratch, name, file), `${file} of ${name}`)
const stored = join(data, 'files/ab/fil_2')
writeFileSync(stored, 'a stored file')
linkSync(stored, join(scratch, 'own/stored-1'))
copyFileSync(join(import.meta.dir, 'intruder.ts'), join(scratch, 'own/intruder.ts'))

const abstract = `groundwave-intruded-${process.pid}`
const [tcp, path, name] = [
  createServer().listen(0, '127.0.0.1'),
  createServer().listen(join(data, 'postgres.sock')),
  createServer().listen(`\0${abstract}`),
]
await Promise.all(
  [tcp, path, name].map((server) => server.listening || new Promise((done) => server.once('listening', done))),
)

const sandbox =
  asked === 'none'
    ? unconfined(scratch)
    : await openSandbox(
        { home: join(data, 'run/sandbox'), scratch },
        asked === 'best' ? undefined : (asked as Isolation),
      )
const facts: Partial<Facts> = {
  data,
  abstract,
  otherRun: join(scratch, 'other'),
  serverPid: process.pid,
  src: join(import.meta.dir, '../../../src'),
  port: (tcp.address() as { port: number }).port,
}
/** The folder of a process, derived from its view of a run. */
const seen = (folders: { toWorker(files: ReturnType<typeof run>, text: string): string }, name: string): string =>
  JSON.parse(folders.toWorker(run(name), JSON.stringify(join(scratch, name, '@results')))) as string

const other = sandbox.wrap(['/usr/bin/sleep', '600'], 2 ** 30)
await other.folders.enter(run('other'))
const otherProcess = join(scratch, 'processes/2')
const start = (command: string[]) =>
  Bun.spawn(command, { env: { SECRET: 'x' }, cwd: '/', stdio: ['ignore', 'pipe', 'inherit', 'pipe'] })
const victim = start(other.command)
mkdirSync(join(otherProcess, 'out/other'), { recursive: true })
writeFileSync(join(otherProcess, 'out/other/result'), 'a result')

const place = sandbox.wrap([process.execPath, '--version'], 2 ** 30)
const results = seen(place.folders, 'own')
const inputs = join(results, '../../in/own')
const command = [process.execPath, '--no-install', join(inputs, 'intruder.ts')]
// the facts contain the folder, which the sandbox chooses when it wraps the command
const wrapped = place.command.slice(0, -2)
await place.folders.enter(run('own'))
const child = start([
  ...wrapped,
  ...command,
  JSON.stringify({ ...facts, results, inputs, otherProcess, otherPid: victim.pid }),
])
const said = await new Response(child.stdout).text()
const exit = await child.exited
const kept = {
  stored: readFileSync(stored, 'utf8'),
  input: readFileSync(join(scratch, 'own/input-1'), 'utf8'),
  victim: victim.exitCode === null && victim.signalCode === null,
}
victim.kill('SIGKILL')
process.stdout.write(JSON.stringify({ isolation: sandbox.isolation, exit, ...JSON.parse(said || '{}'), kept }))
process.exit(0)
