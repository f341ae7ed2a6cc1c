/** Files that the server takes from the result folder of a worker process. */
import { expect, test } from 'bun:test'
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProcessFolders, resultPath } from '../../../src/engine/process-folders.ts'
import { openFolderStore } from '../../../src/stores/files/folder.ts'
import { runProgram } from '../../support/program.ts'

test('regular files of the run are copied; links, pipes and paths outside its folder are refused', async () => {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-run-files-'))
  try {
    const [scratch, own] = [join(home, 'run'), join(home, 'process')]
    const out = join(own, 'out/run')
    for (const dir of [scratch, join(out, 'inner'), join(own, 'in')]) mkdirSync(dir, { recursive: true })
    const folders = new ProcessFolders({ own, view: own, scratch: home, account: undefined })
    const files = { scratch, hasFolder: true, reads: [] }
    const token = join(home, 'token')
    for (const path of [token, join(out, 'result'), join(out, 'inner/result')]) writeFileSync(path, 'content')
    symlinkSync(token, join(out, 'link'))
    symlinkSync(home, join(out, 'folder'))
    linkSync(token, join(out, 'hard'))
    runProgram('mkfifo', [join(out, 'pipe')])
    const [copy] = (await folders.take(files, [resultPath(scratch, 'result')])) as [string]
    // later changes of the file by the process have no effect
    writeFileSync(join(out, 'result'), 'changed')
    expect(copy.startsWith(`${scratch}/`)).toBe(true)
    expect(readFileSync(copy, 'utf8')).toBe('content')
    for (const path of [
      ...['link', 'folder', 'hard', 'inner', 'pipe', 'inner/result', '../token', '.', '..', 'missing'].map((name) =>
        resultPath(scratch, name),
      ),
      token,
      join(scratch, 'result'),
      join(out, 'result'),
      'result',
      '',
    ])
      await expect(folders.take(files, [path])).rejects.toThrow()
    // the folder itself replaced by a link
    rmSync(out, { recursive: true })
    symlinkSync(home, out)
    await expect(folders.take(files, [resultPath(scratch, 'token')])).rejects.toThrow()
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

test('the file store accepts no links', async () => {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-stored-links-'))
  try {
    const store = await openFolderStore(join(home, 'files'))
    writeFileSync(join(home, 'token'), 'secret')
    symlinkSync(join(home, 'token'), join(home, 'link'))
    const key = `fil_${'0'.repeat(32)}`
    await expect(store.put(key, join(home, 'link'))).rejects.toThrow()
    await expect(store.put(key, home)).rejects.toThrow()
    expect(await store.open(key).exists()).toBe(false)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
