/** Runs programs under accounts that this machine may not have, in Linux user namespaces. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

/**
 * Starts a program in a user namespace in which no further one can be created.
 * @param idMap lines of /proc/<pid>/uid_map: first id inside, first id outside, number of ids
 */
export function spawnInUserNamespace(
  idMap: string,
  command: readonly string[],
  env: Record<string, string | undefined>,
  cwd: string,
): ChildProcess {
  // the second shell starts after the ids are mapped, so it has the rights of its id inside the namespace
  const script = 'echo mapped?; read _; exec "$@"'
  const forbid = '[ "$(id -u)" != 0 ] || echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
  const child = spawn('unshare', ['--user', '--', 'sh', '-c', script, 'sh', 'sh', '-c', forbid, 'sh', ...command], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdout?.once('data', () => {
    for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${child.pid}/${map}`, `${idMap}\n`)
    child.stdin?.write('\n')
  })
  return child
}
