/** Which saved documents a caller may read and change. */
import type { DocumentKind } from '../stores/postgres/documents/document-schema.ts'
import type { DocumentScope } from '../stores/postgres/documents/saved-documents.ts'
import type { OrganizationCaller } from './organization.ts'

/** An application can name any member, so private documents are for sessions only. */
export const documentScope = (
  kind: DocumentKind,
  enterpriseId: string,
  { id, actor, role, memberId }: OrganizationCaller,
): DocumentScope => ({
  kind,
  enterpriseId,
  actor,
  memberId: role === undefined ? undefined : memberId,
  accountId: role === undefined ? undefined : id,
  mayShare: role !== 'member',
})
