/** The state that a worker process keeps between calls. Its tasks share it. */
import { keptMemory } from '../../tools/process-cache.ts'
import type { JudgingState } from './judging-state.ts'

export const judgingMemory: { state: JudgingState | undefined } = { state: undefined }

keptMemory.push(() => judgingMemory.state?.bytes ?? 0)
