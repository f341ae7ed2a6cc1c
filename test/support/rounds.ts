/**
 * How often random work is repeated: a few times in `npm test`, in full in `npm run test:long`. Repetition only adds
 * confidence; what a test asserts is the same in both.
 */
export const isLong = process.env.TEST_LONG === '1'

export const rounds = (few: number, full: number): number => (isLong ? full : few)
