/** Files that owners may bring in, by their names. */
import { EXTENSIONS, type FileKind, typeByExtension } from '../lib/scan/content-type.ts'

export type { FileKind }

export const allowedExtensions = Object.keys(EXTENSIONS)

/** Undefined for a name of no type that is taken. */
export const fileKindOf = (filename: string): FileKind | undefined => typeByExtension(filename)?.kind
