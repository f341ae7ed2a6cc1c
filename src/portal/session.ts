/** Who is signed in, and for which enterprise the page acts. */
import { computed, effect, signal } from '@preact/signals'
import { lastEnterprise } from './preferences.ts'
import { path, queryValue } from './router.ts'

export type Role = 'owner' | 'admin' | 'member'
export type Membership = { enterpriseId: string; enterpriseName: string; memberId: string; role: Role }
/** `data` of GET /auth/session. */
export type Session = {
  account: { id: string; email: string; name: string } | null
  isOperator: boolean
  personId: string | null
  memberships: Membership[]
  csrfToken: string | null
  signUp: 'open' | 'closed'
  oidc: boolean
  /** Whether links can be sent by mail. */
  mail: boolean
}

/** `undefined` until the server has answered. */
export const session = signal<Session | undefined>(undefined)
/** The session ended while a page was open: it stays, and asks to sign in again. */
export const isExpired = signal(false)

export const account = computed(() => session.value?.account ?? undefined)
export const csrfToken = computed(() => session.value?.csrfToken ?? undefined)
export const isOperator = computed(() => session.value?.isOperator === true)
export const memberships = computed(() => session.value?.memberships ?? [])

/** Enterprise that the operator has opened; members have those of `memberships`. */
const chosen = signal<string | undefined>(undefined)

/** From the address, else the last choice, else the first membership. */
export const enterpriseId = computed<string | undefined>(() => {
  const own = memberships.value
  const may = (id: string | undefined): boolean =>
    id !== undefined && (isOperator.value || own.some((membership) => membership.enterpriseId === id))
  const wanted = [chosen.value, queryValue('enterprise'), lastEnterprise.value].find(may)
  return wanted ?? own[0]?.enterpriseId
})

// an enterprise that an address named stays when the next address does not name it
effect(() => {
  if (enterpriseId.value !== undefined) lastEnterprise.value = enterpriseId.value
})

export const membership = computed(() => memberships.value.find((one) => one.enterpriseId === enterpriseId.value))

/** What the person may do here. The API decides; the page only leaves out what would be refused. */
export const may = computed(() => {
  const role = membership.value?.role
  const administers = isOperator.value || role === 'owner' || role === 'admin'
  return {
    administer: administers,
    own: isOperator.value || role === 'owner',
    operate: isOperator.value,
  }
})

export function chooseEnterprise(id: string): void {
  chosen.value = id
  lastEnterprise.value = id
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

/** An answer said that there is no session any more. Pages without an account are not affected. */
export function sessionEnded(): void {
  if (account.peek() !== undefined && !/^\/(sign-in|welcome)/.test(path.peek())) isExpired.value = true
}
