/** A scan of an owner's file. */
import { Finding } from '../lib/scan/finding.ts'
import { scanFile } from '../lib/scan/scan.ts'
import { defineIntake } from './intake.ts'

/** Data of the result: `status`, `reason` in words unless it is clean, and `kind` of file. */
export default defineIntake<{ path: string; filename: string }>({
  id: 'intake.scan',
  lane: 'bun',
  async run({ path, filename }, { limits }) {
    try {
      return { data: { status: 'clean', reason: null, kind: await scanFile(path, filename, limits) } }
    } catch (error) {
      if (!(error instanceof Finding)) throw error
      const { status, rule, message } = error
      return { data: { status, reason: `${rule}: ${message}`, kind: null } }
    }
  },
})
