/** Who is signed in, and for which enterprise the page acts. */
import { computed, effect, signal } from '@preact/signals'
import { lastEnterprise, type Preferences } from './preferences.ts'
import { path, queryValue, setQuery } from './router.ts'

export type Role = 'owner' | 'admin' | 'member'
export type Membership = { enterpriseId: string; enterpriseName: string; memberId: string; role: Role }
/** `data` of GET /auth/session. */
export type Session = {
  account: { id: string; email: string; name: string; preferences: Preferences } | null
  isOperator: boolean
  personId: string | null
  /** The operator suspended the person. */
  suspension: { reason: string | null } | null
  memberships: Membership[]
  csrfToken: string | null
  signUp: 'open' | 'closed'
  oidc: boolean
  /** Whether links can be sent by mail. */
  mail: boolean
  /** Where devices reach MQTT; null for no listener. */
  mqtt: { port: number; tls: boolean } | null
}

/** `undefined` until the server has answered. */
export const session = signal<Session | undefined>(undefined)
/** The session ended while a page was open: the page stays, and asks to sign in again. */
export const isExpired = signal(false)

export const account = computed(() => session.value?.account ?? undefined)
export const csrfToken = computed(() => session.value?.csrfToken ?? undefined)
export const isOperator = computed(() => session.value?.isOperator === true)
export const memberships = computed(() => session.value?.memberships ?? [])

/** The person's own record: tools and data without an enterprise, under the person's plan. */
export const personId = computed(() => session.value?.personId ?? undefined)

/**
 * The owner of the shown records: from the address, else the last choice, else the first membership, else the person.
 */
export const ownerId = computed<string | undefined>(() => {
  const own = memberships.value
  const may = (id: string | undefined): boolean =>
    id !== undefined &&
    (isOperator.value || id === personId.value || own.some((membership) => membership.enterpriseId === id))
  const wanted = [queryValue('enterprise'), lastEnterprise.value].find(may)
  return wanted ?? own[0]?.enterpriseId ?? personId.value
})

/** Undefined while a person works without an enterprise. */
export const enterpriseId = computed(() => (ownerId.value === personId.value ? undefined : ownerId.value))

// an owner from an address stays when the next address does not name one
effect(() => {
  if (ownerId.value !== undefined) lastEnterprise.value = ownerId.value
})

export const membership = computed(() => memberships.value.find((one) => one.enterpriseId === enterpriseId.value))

/** The person's rights here. The API decides; the page only hides actions that would be refused. */
export const may = computed(() => {
  const role = membership.value?.role
  const administers = isOperator.value || role === 'owner' || role === 'admin'
  return {
    administer: administers,
    /** Whether the person may create and change layers, files and Tool APIs; people without an enterprise may too. */
    keep: administers || (enterpriseId.value === undefined && personId.value !== undefined),
    own: isOperator.value || role === 'owner',
    operate: isOperator.value,
  }
})

export function chooseOwner(id: string): void {
  lastEnterprise.value = id
  if (queryValue('enterprise') !== undefined) setQuery({ enterprise: id })
}

/** Whether an address has to name the owner, because its reader could see several. */
const isOwnerOpen = computed(() => {
  const own = memberships.value
  const isOperatorsVisit = isOperator.value && own.every((one) => one.enterpriseId !== ownerId.value)
  return own.length + (personId.value === undefined ? 0 : 1) > 1 || (isOperatorsVisit && ownerId.value !== undefined)
})

/**
 * Keeps the owner in the address of a page with an owner's records, so that it can be shared and opened beside others.
 */
export function nameOwner(): void {
  if (isOwnerOpen.value && queryValue('enterprise') !== ownerId.value) setQuery({ enterprise: ownerId.value })
}

/** Loads the session. @returns whether somebody is signed in */
export async function loadSession(): Promise<boolean> {
  const response = await fetch('/auth/session', { credentials: 'same-origin' })
  if (!response.ok) throw new Error(`GET /auth/session answered ${response.status}`)
  const { data } = (await response.json()) as { data: Session }
  session.value = data
  if (data.account !== null) isExpired.value = false
  return data.account !== null
}

export async function signOut(): Promise<void> {
  await fetch('/auth/sign-out', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'x-csrf-token': csrfToken.peek() ?? '' },
  })
  await loadSession()
}

/** Called when an answer says that the session ended. Pages without an account are not affected. */
export function sessionEnded(): void {
  if (account.peek() !== undefined && !/^\/(sign-in|welcome)/.test(path.peek())) isExpired.value = true
}

let isAskedAgain = false
/** Called when an offered action was refused: the role was changed meanwhile, and the pages adapt to the new one. */
export function roleChanged(): void {
  if (isAskedAgain) return
  isAskedAgain = true
  void loadSession()
    .catch(() => undefined)
    .finally(() => {
      isAskedAgain = false
    })
}
