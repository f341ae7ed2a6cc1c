/**
 * The folders of a worker process, and their paths as seen by the process. The folder of a run belongs to the server,
 * and no process sees it. A process reads the files of its run through hard links in its own folder, and writes results
 * to another folder. The server opens each result once, without following links, and copies the open file, so that a
 * process that runs foreign code can neither swap a file nor change it later.
 */
import { constants } from 'node:fs'
import { chmod, chown, copyFile, type FileHandle, link, mkdir, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export type Place = {
  /** The folder of the process, with `in` and `out`. */
  own: string
  /** The same folder, as seen by the process. */
  view: string
  /** The folder that contains the folders of all runs. */
  scratch: string
  /** The process's account; undefined if it is the server's. */
  account: number | undefined
}

/** The inputs of a run. */
export type RunFiles = {
  /** The run's folder. */
  scratch: string
  hasFolder: boolean
  /** Files elsewhere, which every account may read. */
  reads: readonly string[]
}

/** As seen by the server, and by the process. */
type Paths = { scratch: string } & Record<'results' | 'inputs', readonly [string, string]>

/** In messages, a run's results are in this subfolder of its folder, for every process. */
const RESULTS = '@results'
/** Prefix of the name of a file that a part of a run writes for the run. */
const PART_FILE = 'part-'
const READABLE = 0o644
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY, COPYFILE_EXCL, COPYFILE_FICLONE } = constants

/** The path of a result, for messages. */
export const resultPath = (scratch: string, ...name: string[]): string => join(scratch, RESULTS, ...name)

/** The beginning of a path in JSON. */
const json = (path: string): string => JSON.stringify(path).slice(0, -1)

let taken = 0

export class ProcessFolders {
  private readonly place: Place
  /** Second names of files outside the run's folder, and their folders. */
  private passed: string[] = []
  private readonly made = new Set<string>()
  private last: Promise<void> = Promise.resolve()
  private paths: Paths | undefined

  constructor(place: Place) {
    this.place = place
  }

  /** A process may end while files of its last run are being linked. */
  private afterLast(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work, work)
    return this.last
  }

  private nameOf(scratch: string): string {
    if (dirname(scratch) !== this.place.scratch) throw new Error(`${scratch} is not the folder of a run`)
    return basename(scratch)
  }

  private results(scratch: string): string {
    return join(this.place.own, 'out', this.nameOf(scratch))
  }

  /** Path prefixes in messages about a run: for the server, and for the process. */
  private pathsOf(scratch: string): Paths {
    if (this.paths?.scratch !== scratch) {
      const { view } = this.place
      const name = basename(scratch)
      const results = [json(join(scratch, RESULTS)), json(join(view, 'out', name))] as const
      this.paths = { scratch, results, inputs: [`${json(scratch)}/`, `${json(join(view, 'in', name))}/`] }
    }
    return this.paths
  }

  /** A message with paths as seen by the process. */
  toWorker({ scratch, reads }: RunFiles, text: string): string {
    const { results, inputs } = this.pathsOf(scratch)
    const moved = text.replaceAll(...results).replaceAll(...inputs)
    const { view } = this.place
    return reads.reduce((rest, path) => rest.replaceAll(json(path), json(join(view, 'in', shortPath(path)))), moved)
  }

  /** A message with paths as seen by the server. */
  fromWorker({ scratch }: RunFiles, text: string): string {
    const { results, inputs } = this.pathsOf(scratch)
    return text.replaceAll(results[1], results[0]).replaceAll(inputs[1], inputs[0])
  }

  /**
   * Links a run's files into the process's folder.
   * @param owner the process that owns the run, if this process works on a part
   */
  enter({ scratch, hasFolder, reads }: RunFiles, owner?: ProcessFolders): Promise<void> {
    return this.afterLast(async () => {
      const inputs = join(this.place.own, 'in', this.nameOf(scratch))
      for (const path of reads) {
        const to = join(this.place.own, 'in', shortPath(path))
        if (!this.made.has(dirname(to))) await makeFolder(dirname(to))
        this.made.add(dirname(to))
        this.passed.push(to)
        await pass(path, to)
      }
      if (hasFolder) {
        await makeFolder(inputs)
        for (const { name } of (await readdir(scratch, { withFileTypes: true })).filter((entry) => entry.isFile())) {
          await this.makeReadable(join(scratch, name))
          await pass(join(scratch, name), join(inputs, name))
        }
      }
      if (owner === undefined) return
      await makeFolder(this.results(scratch))
      const { account } = this.place
      if (account !== undefined) await chown(this.results(scratch), account, account)
      await this.shareResults(owner, this, scratch, (name) => !name.startsWith(PART_FILE))
    })
  }

  /** The umask may have kept a file from other accounts. */
  private async makeReadable(path: string): Promise<void> {
    if (this.place.account === undefined) return
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    await file.chmod(READABLE).finally(() => file.close())
  }

  /**
   * Removes a run's files from the process's folder.
   * @param owner as above; it receives the files that the part wrote
   */
  leave({ scratch, hasFolder }: RunFiles, owner?: ProcessFolders): Promise<void> {
    return this.afterLast(async () => {
      if (owner !== undefined) await this.shareResults(this, owner, scratch, (name) => name.startsWith(PART_FILE))
      for (const path of this.passed.splice(0)) await rm(path, { force: true })
      if (!hasFolder && owner === undefined) return
      await rm(join(this.place.own, 'in', this.nameOf(scratch)), { recursive: true, force: true })
      await rm(this.results(scratch), { recursive: true, force: true })
    })
  }

  /** Passes the files of one process to another process of the same run, which may have another account. */
  private async shareResults(
    from: ProcessFolders,
    to: ProcessFolders,
    scratch: string,
    isWanted: (name: string) => boolean,
  ): Promise<void> {
    await withFolder(from.results(scratch), async (source) => {
      const entries = await readdir(inProcess(source), { withFileTypes: true })
      const names = entries.filter((entry) => entry.isFile() && isWanted(entry.name)).map(({ name }) => name)
      if (names.length === 0) return
      await withFolder(to.results(scratch), async (target) => {
        for (const name of names) {
          await this.makeReadable(inFolder(source, name))
          await link(inFolder(source, name), inFolder(target, name))
        }
      })
    }).catch((error: NodeJS.ErrnoException) => {
      // a process without results has no folder
      if (error.code !== 'ENOENT') throw error
    })
  }

  /**
   * Copies results into the run's folder.
   * @param paths as the messages have them
   * @returns the paths of the copies
   * @throws Error if one of them is not a regular file in the folder of results
   */
  async take({ scratch }: RunFiles, paths: readonly string[]): Promise<string[]> {
    const to = join(scratch, `taken-${++taken}`)
    await mkdir(to)
    return withFolder(this.results(scratch), (folder) =>
      Promise.all(
        paths.map(async (path) => {
          const name = basename(path)
          if (path !== resultPath(scratch, name)) throw new Error(`a worker process returned ${path}`)
          const file = await open(inFolder(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
          try {
            const found = await file.stat()
            if (!found.isFile() || found.nlink !== 1) throw new Error(`a worker process returned ${name}, no file`)
            const copy = join(to, name)
            await copyFile(inProcess(file), copy, COPYFILE_EXCL | COPYFILE_FICLONE)
            return copy
          } finally {
            await file.close()
          }
        }),
      ),
    )
  }

  /** To be called when the process has ended. */
  remove(): Promise<void> {
    return this.afterLast(() => rm(this.place.own, { recursive: true, force: true }))
  }
}

/** Gives a file a second name. */
async function pass(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await copyFile(from, to, COPYFILE_FICLONE)
  }
}

/** Layers, copies and segments lie in folders of their own. */
const shortPath = (path: string): string => join(basename(dirname(path)), basename(path))

/** Readable for the process under any umask. */
async function makeFolder(path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true })) !== undefined) await chmod(path, 0o755)
}

/** The path of an open file, or of a file in an open folder, by descriptor instead of by name. */
const inProcess = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`
const inFolder = (folder: FileHandle, name: string): string => join(inProcess(folder), name)

async function withFolder<T>(path: string, work: (folder: FileHandle) => Promise<T>): Promise<T> {
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    return await work(folder)
  } finally {
    await folder.close()
  }
}
