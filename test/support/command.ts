/** Runs a command line of this project on a server that runs. */

import { ROOT } from './processes.ts'
import type { Instance } from './server/instance.ts'

export type CommandResult = { code: number; out: string; err: string }

/** @param args the script and its arguments */
export async function runCommand(instance: Instance, ...args: string[]): Promise<CommandResult> {
  const env = { ...process.env, DATA_DIR: instance.dir, PORT: String(instance.port()) }
  const child = Bun.spawn([process.execPath, ...args], { cwd: ROOT, env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}
