/** Runs a change that is no form, and shows why it failed. */
import { ApiError } from '../../api/client.ts'
import { notifyFailure } from '../../parts/failure-text.tsx'

/** @returns whether it was done */
export async function attempt(change: () => Promise<unknown>): Promise<boolean> {
  try {
    await change()
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    notifyFailure(error)
    return false
  }
}
