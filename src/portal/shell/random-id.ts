/** Ids that cannot be guessed. `crypto.randomUUID` exists only over TLS and on localhost, this function everywhere. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
