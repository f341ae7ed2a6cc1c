/** Types of files that may be uploaded, by file name. */
import { EXTENSIONS, type FileKind, typeByExtension } from '../lib/scan/content-type.ts'

export type { FileKind }

export const allowedExtensions = Object.keys(EXTENSIONS)

/** The kind of a file by its name; undefined for an unsupported type. */
export const fileKindOf = (filename: string): FileKind | undefined => typeByExtension(filename)?.kind
