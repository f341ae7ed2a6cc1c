/** Names of channels as `channel` parameters: several are one name each, and the server splits a single one at commas. */
export const channelParameters = (names: readonly string[]): string[] =>
  names.length === 1 ? [...names, ...names] : [...names]
