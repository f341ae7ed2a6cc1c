/** Of a server without accounts. */
import type { SessionGate } from './session.ts'

export const noSessions: SessionGate = async () => undefined
