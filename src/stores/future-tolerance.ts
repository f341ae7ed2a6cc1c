/**
 * Future tolerance: how far the clock of a sensor may be ahead of the server's. A later reading is refused
 * (ingest/validate.ts), so no stored reading is later than this after its call.
 */
export const FUTURE_TOLERANCE_MS = 600_000
