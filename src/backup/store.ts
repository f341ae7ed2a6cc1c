/** Storage of an archive: a folder, or a bucket of an S3 service. */
export type ArchiveStore = {
  /** The storage's name in messages, without secrets. */
  label: string
  /** All objects with their sizes. */
  list(): Promise<Map<string, number>>
  read(name: string): AsyncIterable<Uint8Array>
  /** Undefined if there is no such object. */
  readText(name: string): Promise<string | undefined>
  create(): Promise<Draft>
  remove(name: string): Promise<void>
  /** Resolves when everything that was committed would survive a power failure. */
  sync(): Promise<void>
}

/** An object that is being written. It gets its name once it is complete. */
export type Draft = {
  write(bytes: Uint8Array): Promise<void>
  commit(name: string): Promise<void>
  discard(): Promise<void>
}
