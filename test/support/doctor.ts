/** Runs `bun run doctor` and reads its report. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Finding } from '../../src/doctor/finding.ts'
import { ROOT } from './processes.ts'

export type Report = { code: number; healthy: boolean; findings: Finding[] }

/** @param wrap a program that starts the doctor */
export async function examined(env: Record<string, string>, wrap: readonly string[] = []): Promise<Report> {
  const child = Bun.spawn([...wrap, process.execPath, 'src/doctor.ts', '--json'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      TMPDIR: tmpdir(),
      DATA_DIR: join(tmpdir(), 'groundwave-doctor-none'),
      PORT: '0',
      ...env,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [text, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const code = await child.exited
  if (text === '') throw new Error(errors)
  return { code, ...(JSON.parse(text) as Omit<Report, 'code'>) }
}

export const of = ({ findings }: Report, check: string): Finding[] =>
  findings.filter((finding) => finding.check === check)
