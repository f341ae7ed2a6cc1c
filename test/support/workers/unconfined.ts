/** Worker processes without a sandbox, for tests of the code around them. */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { ProcessFolders } from '../../../src/engine/process-folders.ts'
import type { Sandbox } from '../../../src/engine/sandbox.ts'

/** @param scratch contains the folders of runs */
export const unconfined = (scratch: string): Sandbox => ({
  isolation: 'limits',
  reason: 'a test',
  wrap(command) {
    const own = mkdtempSync(join(scratch, 'process-'))
    for (const name of ['in', 'out']) mkdirSync(join(own, name))
    return { command: [...command], folders: new ProcessFolders({ own, view: own, scratch, account: undefined }) }
  },
})
