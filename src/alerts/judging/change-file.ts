/** The file of changes: a JSON object in each line. Written in pieces as it grows. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { alertIdOf } from '../alert-id.ts'
import type { JudgedChange, WatchedRule } from '../protocol.ts'
import type { Change } from './run.ts'

const FLUSH_CHARS = 1 << 20

export type ChangeFile = {
  readonly path: string
  readonly count: number
  /** @param firstChannel the channel of `value` */
  add(rule: WatchedRule, sensor: number, change: Change, firstChannel: string | undefined): void
  close(): void
}

export function createChangeFile(path: string): ChangeFile {
  const file = openSync(path, 'w')
  let text = ''
  let count = 0
  const flush = (): void => {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    text = ''
  }
  return {
    path,
    get count() {
      return count
    },
    add(rule, sensor, change, firstChannel) {
      const polygon = change.polygon ?? null
      const id = alertIdOf(rule.id, sensor, polygon, change.startedMs)
      const { enterprise, sinceMs } = rule
      const line: JudgedChange = {
        id,
        rule: rule.id,
        sinceMs,
        enterprise,
        sensor,
        polygon,
        ...contentOf(change, firstChannel),
      }
      text += `${JSON.stringify(line)}\n`
      count++
      if (text.length > FLUSH_CHARS) flush()
    },
    close() {
      flush()
      closeSync(file)
    },
  }
}

function contentOf(change: Change, firstChannel: string | undefined) {
  switch (change.type) {
    case 'firing': {
      const { type, startedMs, firedMs, severity, values, late } = change
      const value = (firstChannel === undefined ? undefined : values[firstChannel]) ?? null
      return { type, startedMs, firedMs, severity, value, values, late }
    }
    case 'severity': {
      const { type, atMs, severity, previousSeverity } = change
      return { type, atMs, severity, previousSeverity }
    }
    case 'resolved':
      return { type: change.type, resolvedMs: change.resolvedMs }
  }
}
