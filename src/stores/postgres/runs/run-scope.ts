/** Which runs, jobs and stored files a caller sees. */
import { and, type Column, eq, type SQL } from 'drizzle-orm'

/** Those of an owner; only those of one member's calls where `memberId` is set. */
export type RunScope = { ownerId: string; memberId?: string | undefined }

export const within = (
  table: { ownerId: Column; memberId: Column },
  { ownerId, memberId }: RunScope,
): SQL | undefined => and(eq(table.ownerId, ownerId), memberId === undefined ? undefined : eq(table.memberId, memberId))
