import { fieldFailure } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'

const UNIQUE_VIOLATION = '23505'

function sqlState(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, errno } = at as { code?: unknown; errno?: unknown }
    if (code === UNIQUE_VIOLATION || errno === UNIQUE_VIOLATION) return UNIQUE_VIOLATION
  }
  return undefined
}

/** Runs a change and turns a unique violation into CONFLICT on `field`. */
export async function throwOnUniqueViolation<T>(field: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error
    throw fieldFailure('CONFLICT', field, 'unique', fieldText('taken'), error)
  }
}
