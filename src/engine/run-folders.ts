/**
 * Gives a worker process the scratch folders of the runs that it works on, and no others: each process has a folder that its sandbox
 * shows in the place of the folder of all runs. A run's folder is moved there while the process works on it; outside
 * the sandbox, a link stands for it meanwhile, so that its paths stay valid.
 */
import { constants } from 'node:fs'
import { chmod, link, lstat, mkdir, open, readdir, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export type RunFolders = {
  /** Shows a run's folder to the process. @param isHelper whether another process owns the run, and has the folder */
  enter(scratch: string, isHelper: boolean): Promise<void>
  /** Takes it from the process. @param isDone whether a helper has finished its part, so that its files are whole */
  leave(scratch: string, isHelper: boolean, isDone: boolean): Promise<void>
  /** To be called when the process has ended. */
  remove(): Promise<void>
}

/**
 * @param own the folder of the process, which exists
 * @param all the folder of all runs
 * @param hasOwnAccount whether the process has another account than the server
 */
export function runFoldersOf(own: string, all: string, hasOwnAccount: boolean): RunFolders {
  function placeOf(scratch: string): string {
    if (dirname(scratch) !== all) throw new Error(`${scratch} is not the scratch folder of a run`)
    return join(own, basename(scratch))
  }

  let last: Promise<void> = Promise.resolve()
  /** A process may end while the folder of its last run is being moved. */
  function afterLast(work: () => Promise<void>): Promise<void> {
    last = last.then(work, work)
    return last
  }

  async function enter(scratch: string, isHelper: boolean): Promise<void> {
    const place = placeOf(scratch)
    if (isHelper) return shareFiles(scratch, place, hasOwnAccount)
    // a call without files has no folder
    if (!(await isFolder(scratch))) return
    await rename(scratch, place)
    await symlink(place, scratch)
    if (hasOwnAccount) await admit(place)
  }

  async function leave(scratch: string, isHelper: boolean, isDone: boolean): Promise<void> {
    const place = placeOf(scratch)
    if (isHelper) {
      if (isDone) await handOver(place, scratch)
      return rm(place, { recursive: true, force: true })
    }
    if (!(await isFolder(place))) return
    await rm(scratch, { force: true })
    await rename(place, scratch)
  }

  return {
    enter: (scratch, isHelper) => afterLast(() => enter(scratch, isHelper)),
    leave: (scratch, isHelper, isDone) => afterLast(() => leave(scratch, isHelper, isDone)),
    remove: () => afterLast(() => rm(own, { recursive: true, force: true })),
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Begins the name of a file that a part of a run writes for the run. */
const PART_FILE = 'part-'

/** Helpers get the run's files without those of other parts, and a folder for what they write. */
async function shareFiles(scratch: string, place: string, hasOwnAccount: boolean): Promise<void> {
  await mkdir(place)
  // the server's umask would take the right to enter from the process, which has another account
  await chmod(place, hasOwnAccount ? 0o777 : 0o755)
  for (const entry of await readdir(scratch, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith(PART_FILE)) continue
    const path = join(scratch, entry.name)
    // the process that owns the run wrote it for itself alone, and has another account than this one
    if (hasOwnAccount) await makeReadable(path)
    await link(path, join(place, entry.name))
  }
}

/** Moves what a helper wrote to the run's folder, where it replaces nothing. */
async function handOver(place: string, scratch: string): Promise<void> {
  for (const entry of await readdir(place, { withFileTypes: true })) {
    if (!entry.name.startsWith(PART_FILE) || !entry.isFile()) continue
    const path = join(place, entry.name)
    // the run's own files have a second name
    if ((await lstat(path)).nlink > 1) continue
    await makeReadable(path)
    await link(path, join(scratch, entry.name))
  }
}

/** The process reads what was sent, and writes beside it. */
async function admit(folder: string): Promise<void> {
  await chmod(folder, 0o777)
  for (const name of await readdir(folder)) await makeReadable(join(folder, name))
}

/** Does not follow a link that a process may have left. */
async function makeReadable(path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  await file.chmod(0o644).finally(() => file.close())
}
