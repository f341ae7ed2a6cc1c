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

export function newId(prefix: IdPrefix): string {
  return `${prefix}_${Bun.randomUUIDv7('hex').replaceAll('-', '')}`
}
