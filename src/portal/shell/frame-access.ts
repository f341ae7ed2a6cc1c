/** Which pages a person sees. It only hides pages that the API would refuse. */
import type { Route } from '../routes.ts'
import { enterpriseId, may, ownerId } from './session.ts'

export const isAllowed = ({ needs }: Pick<Route, 'needs'>): boolean =>
  needs === undefined ||
  (needs === 'owner' && ownerId.value !== undefined) ||
  (needs === 'keep' && ownerId.value !== undefined && may.value.keep) ||
  (needs === 'enterprise' && enterpriseId.value !== undefined) ||
  (needs === 'administer' && enterpriseId.value !== undefined && may.value.administer) ||
  (needs === 'operate' && may.value.operate)
