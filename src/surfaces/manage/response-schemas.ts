/** Parts of responses of /manage/v1 that several routes share. */
import { both, integer, type Json, object, string } from '../../http/openapi/openapi-schemas.ts'

export const deleted = object({ id: string })

/** The key of a sensor or a Tool API, which is returned once, by the operation that creates it. */
export const secretKey = object({ key: string })

/** @param secrets are returned once */
export const withNewKey = (secrets: Json, record: Json): Json => both(record, both(object({ keyId: string }), secrets))
export const usedBy = object({ usedBy: object({ zoneRules: integer, toolApis: integer }) })
export const runCounts = { runs: integer, failures: integer, credits: integer }
export const calendarDay = { type: 'string', format: 'date' }
