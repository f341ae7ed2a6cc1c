/** `bun run portal:dev`: rebuilds the portal after each change; reload the page of a running server to see it. */
import { watch } from 'node:fs'
import { join } from 'node:path'
import { buildPortal, ROOT } from './build-portal.ts'

const SETTLE_MS = 100

async function build(): Promise<void> {
  try {
    if (await buildPortal({ isDevelopment: true })) process.stdout.write('Built the portal\n')
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  }
}

let timer: Timer | undefined
watch(join(ROOT, 'src/portal'), { recursive: true }, () => {
  clearTimeout(timer)
  timer = setTimeout(() => void build(), SETTLE_MS)
})
await build()
