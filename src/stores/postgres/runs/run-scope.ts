/** The runs, jobs and stored files that a caller sees. */
import { and, type Column, eq, type SQL } from 'drizzle-orm'

/** All of an owner, or only the results of one member's calls if `memberId` is set. */
export type RunScope = { ownerId: string; memberId?: string | undefined }

export const within = (
  table: { ownerId: Column; memberId: Column },
  { ownerId, memberId }: RunScope,
): SQL | undefined => and(eq(table.ownerId, ownerId), memberId === undefined ? undefined : eq(table.memberId, memberId))
