/** The length of the path of a Unix socket, which the system limits (sockaddr_un). */
const LONGEST_BYTES = 107

/** @returns why the path cannot be used, if it cannot */
export function socketPathFault(path: string): string | undefined {
  const length = Buffer.byteLength(path)
  if (length <= LONGEST_BYTES) return undefined
  return `the path ${path} has ${length} bytes, and a Unix socket's path may have ${LONGEST_BYTES}`
}
