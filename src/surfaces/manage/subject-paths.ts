/**
 * Prefixes of paths that name the owner or record of a call. Their types lack the parameter: a handler cannot read it
 * from the request, and gets the id that the rights were checked for from `subjectOf(request)`.
 */
export const OWNER = '/owners/:ownerId' as string as '/owners/subject'
export const ENTERPRISE = '/enterprises/:id' as string as '/enterprises/subject'
export const PERSON = '/people/:id' as string as '/people/subject'
export const MEMBER = '/members/:id' as string as '/members/subject'
export const INVITATION = '/invitations/:id' as string as '/invitations/subject'
export const APPLICATION = '/applications/:id' as string as '/applications/subject'
export const SENSOR = '/sensors/:id' as string as '/sensors/subject'
export const FLEET_KEY = '/fleet-keys/:id' as string as '/fleet-keys/subject'
export const ASSET = '/assets/:id' as string as '/assets/subject'
export const TOOL_API = '/tool-apis/:id' as string as '/tool-apis/subject'
