/** Unpacks every archive of a folder, as a worker of the Node lane does; started by a test with Node. */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '../../../src/lib/input-error.ts'
import { unpack } from '../../../src/lib/zip.ts'

const [folder = '', maxBytes = ''] = process.argv.slice(2)
const outcomes: Record<string, number> = {}
for (const name of readdirSync(folder)) {
  const to = join(folder, `${name}.unpacked`)
  mkdirSync(to)
  let outcome = 'unpacked'
  try {
    await unpack(join(folder, name), to, () => true, Number(maxBytes))
  } catch (error) {
    outcome = error instanceof InputError ? 'refused' : String(error)
  }
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
}
process.stdout.write(JSON.stringify(outcomes))
