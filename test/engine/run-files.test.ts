/** What a worker process may return as a file of its run. */
import { expect, test } from 'bun:test'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkRunFiles } from '../../src/engine/run-files.ts'

test('regular files of the run, and nothing that leads out of it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-run-files-'))
  try {
    const [scratch, other] = [join(home, 'run'), join(home, 'run-2')]
    for (const dir of [scratch, join(scratch, 'inner'), other]) mkdirSync(dir)
    const [token, result, inner] = [join(home, 'token'), join(scratch, 'result'), join(scratch, 'inner/result')]
    for (const path of [token, result, inner, join(other, 'x')]) writeFileSync(path, 'content')
    symlinkSync(token, join(scratch, 'link'))
    symlinkSync(home, join(scratch, 'folder'))
    linkSync(token, join(scratch, 'hard'))
    await checkRunFiles(scratch, [result, inner])
    for (const path of [
      ...[token, join(scratch, 'link'), join(scratch, 'folder/token'), join(scratch, 'hard'), join(scratch, 'inner')],
      ...[join(scratch, '../token'), join(other, 'x')],
    ])
      await expect(checkRunFiles(scratch, [result, path])).rejects.toMatchObject({ code: 'TOOL_FAILED' })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
