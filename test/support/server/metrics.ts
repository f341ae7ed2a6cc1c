/** Reads Prometheus' text format (version 0.0.4). */

export type Sample = { name: string; labels: Record<string, string>; value: number }
export type Family = { name: string; type: string; help: string; samples: Sample[] }

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const at = LABEL.lastIndex
    const found = LABEL.exec(text)
    if (found === null) throw new Error(`no label at ${at} of ${text}`)
    labels[found[1] as string] = (found[2] as string).replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c))
  }
  return labels
}

/** The family of a sample: samples of histograms and summaries have suffixes. */
const familyNameOf = (name: string, families: Map<string, Family>): string =>
  families.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')

/** @throws Error for a line that the format does not allow, and a sample before its type */
export function parseMetrics(text: string): Map<string, Family> {
  const families = new Map<string, Family>()
  const familyOf = (name: string): Family => {
    const known = families.get(name) ?? { name, type: '', help: '', samples: [] }
    families.set(name, known)
    return known
  }
  for (const line of text.split('\n')) {
    const about = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line)
    if (about !== null) familyOf(about[2] as string)[about[1] === 'HELP' ? 'help' : 'type'] = about[3] as string
    else if (line !== '') {
      const [, name, labels = '', value] = LINE.exec(line) ?? []
      if (name === undefined) throw new Error(`not a sample: ${line}`)
      const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value)
      const family = families.get(familyNameOf(name, families))
      if (family === undefined || family.type === '') throw new Error(`a sample without a type: ${line}`)
      if (Number.isNaN(number)) throw new Error(`not a number: ${line}`)
      family.samples.push({ name, labels: labelsOf(labels), value: number })
    }
  }
  return families
}

/** The value of the only sample with these labels. */
export function sampleOf(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number {
  const wanted = (sample: Sample): boolean =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  const found = families.get(familyNameOf(name, families))?.samples.filter(wanted) ?? []
  if (found.length !== 1) throw new Error(`${found.length} samples of ${name} with ${JSON.stringify(labels)}`)
  return (found[0] as Sample).value
}
