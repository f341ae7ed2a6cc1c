/** What a scan ends with, when it is not that a file is clean. */
export class Finding extends Error {
  readonly status: 'infected' | 'failed'
  /** A word for machines: `signature`, `macro`, … */
  readonly rule: string

  constructor(status: 'infected' | 'failed', rule: string, message: string) {
    super(message)
    this.status = status
    this.rule = rule
  }
}
