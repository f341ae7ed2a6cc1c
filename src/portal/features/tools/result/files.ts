/** Addresses of hashed files that only results need (src/setup/portal-results.ts). */
declare const PORTAL_RESULT_FILES: { features: string; pdfWorker: string; pdfData: string }

export const resultFiles = PORTAL_RESULT_FILES
