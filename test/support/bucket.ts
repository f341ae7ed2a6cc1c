/** A bucket of an S3 service on a free port of 127.0.0.1. */
import { spawn } from 'node:child_process'
import { freePort } from './postgres.ts'
import { ROOT } from './processes.ts'

export type Bucket = {
  /** For S3_URL; objects have names that begin with `groundwave/`. */
  url: string
  kill(): void
}

/** @param dir where the objects are */
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
    kill: () => void child.kill('SIGKILL'),
  }
}
