/** Opaque ids: a prefix for the kind, and a UUID version 7 in hex, so that they sort by creation time. */
export type IdPrefix =
  | 'ent'
  | 'mem'
  | 'per'
  | 'app'
  | 'key'
  | 'ass'
  | 'sen'
  | 'lay'
  | 'tap'
  | 'aud'
  | 'run'
  | 'fil'
  | 'art'
  | 'job'
  | 'rul'
  | 'acc'
  | 'log'
  | 'ses'
  | 'lnk'
  | 'otk'
  | 'del'
  | 'exp'
  | 'upl'
  | 'das'
  | 'shl'
  | 'vie'
  | 'rec'
  | 'not'
  | 'alr'
  | 'sil'
  | 'dst'
  | 'evt'
  | 'adr'
  | 'fky'
  | 'pen'
  | 'imp'

export function newId(prefix: IdPrefix): string {
  return `${prefix}_${Bun.randomUUIDv7('hex').replaceAll('-', '')}`
}

/** The first id of a moment: a UUID of version 7 begins with its milliseconds. */
export const firstIdAt = (prefix: IdPrefix, ms: number): string =>
  `${prefix}_${Math.max(0, Math.min(ms, 0xffff_ffff_ffff)).toString(16).padStart(12, '0')}`
