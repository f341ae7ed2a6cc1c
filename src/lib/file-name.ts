/** Turns file names chosen by users into names that are safe in a path. */
import { extname } from 'node:path'

const MAX_STEM_LENGTH = 80

/** The file name without folders and extension, safe to use as part of a path. */
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
