/** A program: the server as on a machine where GDAL is still being built. */
import { withoutGdal } from '../workers/hidden-gdal.ts'

const spawn = Bun.spawn
// node:child_process calls it with one object
Bun.spawn = ((command: string[] | object, ...options: object[]) =>
  Array.isArray(command) ? spawn(withoutGdal(command), ...options) : spawn(command as never)) as typeof spawn
await import('../../../src/main.ts')
