/** Loaded before a server: its sessions are those that a test writes into its cookies. */
Bun.plugin({
  name: 'sessions of tests',
  setup(build) {
    build.onLoad({ filter: /src\/access\/no-sessions\.ts$/ }, () => ({
      loader: 'ts',
      contents: `
        export const noSessions = async (headers) => {
          const found = /(?:^|; )test-session=([\\w-]+)/.exec(headers.get('cookie') ?? '')
          return found === null ? undefined : JSON.parse(Buffer.from(found[1], 'base64url').toString())
        }`,
    }))
  },
})
