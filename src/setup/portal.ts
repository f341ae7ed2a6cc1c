/** `bun run portal:build`: builds the browser's part of the portal if its sources have changed. */
import { buildPortal } from './build-portal.ts'

const startedMs = performance.now()
const built = await buildPortal()
if (built) process.stdout.write(`Built the portal in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`)
