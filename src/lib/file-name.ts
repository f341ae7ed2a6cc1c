/** Names of files as people gave them, made fit for names of ours. */
import { extname } from 'node:path'

const MAX_STEM_LENGTH = 80

/** What stands before the extension of a file's name, harmless as part of a path. */
export function stemOf(filename: string, fallback = 'layer'): string {
  const base = filename.replace(/^.*[\\/]/, '')
  const stem = base.slice(0, base.length - extname(base).length) || base
  return (
    stem
      .replace(/[^\p{L}\p{N} _.()-]/gu, '_')
      .replace(/^\.+/, '')
      .slice(0, MAX_STEM_LENGTH) || fallback
  )
}
