/** Reads the parts of Dockerfile and .dockerignore syntax that the project uses. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Instruction = { name: string; text: string; line: number }
export type Stage = { image: string; name: string; instructions: Instruction[] }

/** @returns the stages, with the values of ARG in front of the first FROM put in */
export function stagesOf(dockerfile: string): Stage[] {
  const stages: Stage[] = []
  const args = new Map<string, string>()
  for (const { name, text, line } of instructionsOf(dockerfile)) {
    if (name === 'FROM') {
      const filled = text.replace(/\$\{(\w+)\}/g, (_, arg: string) => args.get(arg) ?? '')
      const [image = '', as, stage] = filled.split(/\s+/)
      if (as !== undefined && as.toUpperCase() !== 'AS') throw new Error(`line ${line}: FROM ${text}`)
      stages.push({ image, name: stage ?? String(stages.length), instructions: [] })
    } else if (stages.length === 0) {
      const [, arg = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? []
      if (name !== 'ARG') throw new Error(`line ${line}: ${name} before FROM`)
      args.set(arg, value)
    } else stages.at(-1)?.instructions.push({ name, text, line })
  }
  return stages
}

function instructionsOf(dockerfile: string): Instruction[] {
  const found: Instruction[] = []
  let open: Instruction | undefined
  for (const [index, raw] of dockerfile.split('\n').entries()) {
    if (/^\s*(#|$)/.test(raw)) continue
    const text = raw.trim()
    if (open === undefined) {
      const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(text) ?? []
      open = { name: name.toUpperCase(), text: rest, line: index + 1 }
      found.push(open)
    } else open.text += text
    const { text: soFar } = open
    if (soFar.endsWith('\\')) open.text = `${soFar.slice(0, -1).trimEnd()} `
    else open = undefined
  }
  return found
}

/** The words of COPY: stage, sources and destination. */
export function copyOf({ text, line }: Instruction): { from: string | undefined; sources: string[]; to: string } {
  const words = text.split(/\s+/)
  const options = words.filter((word) => word.startsWith('--'))
  const unknown = options.filter((option) => !option.startsWith('--from='))
  if (unknown.length > 0) throw new Error(`line ${line}: ${unknown.join(' ')} is not supported`)
  const paths = words.filter((word) => !word.startsWith('--'))
  return { from: options[0]?.slice('--from='.length), sources: paths.slice(0, -1), to: paths.at(-1) ?? '' }
}

/** The variables that ENV sets. */
export function variablesOf(instructions: readonly Instruction[]): Record<string, string> {
  const pairs = instructions.filter(({ name }) => name === 'ENV').flatMap(({ text }) => text.split(/\s+/))
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

/** The text of the last instruction of a name. */
export const lastOf = (stage: Stage, name: string): string | undefined =>
  stage.instructions.findLast((instruction) => instruction.name === name)?.text

/** @returns whether a path belongs to the build context: the last pattern that matches it, or a parent of it, decides */
export function contextOf(root: string): (path: string) => boolean {
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isKept: line.startsWith('!'), glob: new Bun.Glob(line.replace(/^!/, '')) }))
  return (path) => {
    const parents = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))
    const rule = rules.findLast(({ glob }) => parents.some((parent) => glob.match(parent)))
    return rule?.isKept ?? true
  }
}
