/** How an environment variable is declared. */
export type Variable = {
  meaning: string
  /** The value may contain a password or a key, so it can also come from a file (secret-files.ts). */
  secret?: true
} & (
  | { kind: 'text'; default: string }
  | { kind: 'choice'; default: string; allowed: readonly string[] }
  /** `defaultText` describes a default that depends on the machine. */
  | { kind: 'whole'; default: number; defaultText?: string; min: number; max: number }
  /** `unset` describes the behaviour without a value; `severalHosts`: separated by commas */
  | { kind: 'url'; protocols: readonly string[]; unset: string; severalHosts?: true }
)
export type Variables = Record<string, Variable>

export const whole = (range: { default: number; min: number; max: number; defaultText?: string }, meaning: string) =>
  ({ kind: 'whole', ...range, meaning }) as const

export const text = (meaning: string, fallback = '') => ({ kind: 'text', default: fallback, meaning }) as const

export const choice = (fallback: string, allowed: readonly string[], meaning: string) =>
  ({ kind: 'choice', default: fallback, allowed, meaning }) as const

export const url = (protocols: readonly string[], unset: string, meaning: string) =>
  ({ kind: 'url', protocols, unset, meaning }) as const
