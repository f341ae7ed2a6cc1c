/** Positions converted by PROJ, as a reference. */
import { runProgram } from '../program.ts'

export type Position = [x: number, y: number]

/** @param from and `to` as PROJ writes them, `+proj=…`; degrees are longitude first */
export function transformed(from: string, to: string, positions: readonly Position[]): Position[] {
  const input = positions.map(([x, y]) => `${x} ${y}\n`).join('')
  const { status, stdout, stderr } = runProgram('gdaltransform', ['-s_srs', from, '-t_srs', to, '-output_xy'], {
    input,
  })
  if (status !== 0) throw new Error(`gdaltransform: ${stderr}`)
  const lines = stdout.toString().trim().split('\n')
  if (lines.length !== positions.length) throw new Error(`${lines.length} of ${positions.length}: ${stderr}`)
  return lines.map((line) => line.split(' ').map(Number) as Position)
}

export const DEGREES = '+proj=longlat +datum=WGS84 +no_defs'
