/**
 * The account that the embedded PostgreSQL runs under. PostgreSQL refuses to run as root and needs an account with a
 * name, so root (and an account without a name, as containers like to assign) runs it in a user namespace, in which
 * the same account appears as an ordinary one and keeps its access to its files. Where user namespaces are forbidden,
 * root hands the folder to an unprivileged account.
 */
import { chmod, lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UnsupportedStoreError } from '../../requirements.ts'
import { runProgram } from './programs.ts'

export type Account = {
  /** Command prefix of PostgreSQL's programs. */
  runAs: readonly string[]
  /** Owner of PostgreSQL's files on disk. */
  uid: number
  gid: number
  /** How PostgreSQL sees the accounts that may connect: this process, and its own. */
  names: readonly string[]
}

type Entry = { name: string; uid: number; gid: number }

/** Accounts that PostgreSQL may run under when this process is root, the first that exists. */
const UNPRIVILEGED = ['postgres', 'nobody']

/**
 * @param folders PostgreSQL's own folders; all lie in one parent, and exist
 * @param program one of PostgreSQL's programs, which the account must be able to run
 * @throws UnsupportedStoreError when no account can run PostgreSQL on these folders
 */
export async function chooseAccount(folders: readonly string[], program: string): Promise<Account> {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  const own = await findAccount(String(uid))
  const account =
    uid !== 0 && own !== undefined
      ? { runAs: [], uid, gid, names: [own.name] }
      : ((await inUserNamespace(uid, gid)) ?? (uid === 0 ? await asUnprivileged(folders) : undefined))
  if (account === undefined)
    throw new UnsupportedStoreError(
      `the embedded PostgreSQL cannot run as ${uid === 0 ? 'root' : `uid ${uid}, which has no name in /etc/passwd`}: user namespaces are not available. ${INSTEAD}`,
    )
  for (const folder of folders) await ensureOwner(folder, account, uid === 0)
  await requireAccess(account, folders, program)
  return account
}

const INSTEAD = 'Run Groundwave as another user, or set POSTGRES_URL.'

async function inUserNamespace(uid: number, gid: number): Promise<Account | undefined> {
  const entry = await findAccount('nobody')
  if (entry === undefined) return undefined
  const runAs = ['unshare', '--user', `--map-user=${entry.uid}`, `--map-group=${entry.gid}`, '--']
  const probe = await runProgram([...runAs, 'true'])
  return probe.code === 0 ? { runAs, uid, gid, names: [entry.name] } : undefined
}

async function asUnprivileged(folders: readonly string[]): Promise<Account | undefined> {
  for (const name of UNPRIVILEGED) {
    const entry = await findAccount(name)
    if (entry === undefined) continue
    const { uid, gid } = entry
    const runAs = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--']
    if ((await runProgram([...runAs, 'true'])).code !== 0) continue
    // search permission only: everything else in it is for its owner alone
    for (const parent of new Set(folders.map(dirname))) await chmod(parent, 0o711)
    return { runAs, uid, gid, names: ['root', name] }
  }
  return undefined
}

/** @param key a name or a numeric uid */
async function findAccount(key: string): Promise<Entry | undefined> {
  const { code, output } = await runProgram(['getent', 'passwd', key])
  const [name, , uid, gid] = output.trim().split(':')
  if (code !== 0 || name === undefined) return undefined
  return { name, uid: Number(uid), gid: Number(gid) }
}

/** A folder may have another owner because it was used with another account before, or was copied by root. */
async function ensureOwner(folder: string, { uid, gid }: Account, isRoot: boolean): Promise<void> {
  const found = await lstat(folder)
  if (found.uid === uid) return
  if (!isRoot)
    throw new UnsupportedStoreError(
      `${folder} belongs to uid ${found.uid}, and this process runs as uid ${uid}. Run Groundwave as the owner, change the owner (chown -R), or set POSTGRES_URL.`,
    )
  const { code, output } = await runProgram(['chown', '-R', '-P', `${uid}:${gid}`, folder])
  if (code !== 0) throw new UnsupportedStoreError(`the owner of ${folder} could not be changed: ${output.trim()}`)
}

async function requireAccess({ runAs, uid }: Account, folders: readonly string[], program: string): Promise<void> {
  if (runAs.length === 0) return
  const script = 'test -x "$1" || { echo "$1"; exit 1; }; shift; for d; do test -w "$d" || { echo "$d"; exit 1; }; done'
  const { code, output } = await runProgram([...runAs, 'sh', '-c', script, 'sh', program, ...folders])
  if (code === 0) return
  throw new UnsupportedStoreError(
    `the embedded PostgreSQL cannot run as uid ${uid}: that account has no access to ${output.trim()}. ${INSTEAD}`,
  )
}
