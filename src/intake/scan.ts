/** Scans an uploaded file. */
import { defineWorkerTask } from '../engine/worker-task.ts'
import { Finding } from '../lib/scan/finding.ts'
import { scanFile } from '../lib/scan/scan.ts'

/** Returns the `status`, the `reason` unless the file is clean, and the `kind` of file. */
export default defineWorkerTask<{ path: string; filename: string }>({
  id: 'intake.scan',
  lane: 'bun',
  async run({ path, filename }, { limits, scratch }) {
    try {
      return { data: { status: 'clean', reason: null, kind: await scanFile(path, filename, limits, scratch) } }
    } catch (error) {
      if (!(error instanceof Finding)) throw error
      const { status, rule, message } = error
      return { data: { status, reason: `${rule}: ${message}`, kind: null } }
    }
  },
})
