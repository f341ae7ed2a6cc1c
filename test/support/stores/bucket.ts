/** A bucket of an S3 service on a free port of 127.0.0.1. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../processes.ts'
import { freePort } from './postgres.ts'

export type Bucket = {
  /** The value of S3_URL; objects have names that begin with `groundwave/`. */
  url: string
  /** Names of the completely stored objects, without the prefix. */
  names(): string[]
  kill(): void
}

/** @param dir folder of the objects */
export async function startBucket(dir: string): Promise<Bucket> {
  const port = await freePort()
  const program = `
    const S3rver = require('s3rver')
    new S3rver({ port: ${port}, address: '127.0.0.1', silent: true, directory: ${JSON.stringify(dir)}, configureBuckets: [{ name: 'files' }] })
      .run().then(() => console.log('ready'))`
  const child = spawn('node', ['--no-deprecation', '-e', program], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return {
    url: `http://S3RVER:S3RVER@127.0.0.1:${port}/files/groundwave`,
    names() {
      const folder = join(dir, 'files/groundwave')
      // the file that is written last
      const end = '._S3rver_object.md5'
      const files = existsSync(folder) ? readdirSync(folder) : []
      return files.filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length))
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
