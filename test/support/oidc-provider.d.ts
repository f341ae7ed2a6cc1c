/** The part of oidc-provider that tests use; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: Record<string, unknown>[]
        claims: Record<string, string[]>
        pkce: { required: () => boolean }
        cookies: { keys: string[] }
        findAccount: (context: unknown, id: string) => { accountId: string; claims: () => Record<string, unknown> }
      },
    )
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  }
}
