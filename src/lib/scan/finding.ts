/** The result of a scan that found a problem or failed. */
export class Finding extends Error {
  readonly status: 'infected' | 'failed'
  /** Machine-readable name of the rule: `signature`, `macro`, … */
  readonly rule: string

  constructor(status: 'infected' | 'failed', rule: string, message: string) {
    super(message)
    this.status = status
    this.rule = rule
  }
}
