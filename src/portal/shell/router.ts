/** The address is the state of a page: paths, and the query for range, filters, sort and selection. */
import { computed, signal } from '@preact/signals'

export const BASE = '/portal'

type Place = { path: string; query: URLSearchParams }

function here(): Place {
  return { path: location.pathname.slice(BASE.length) || '/', query: new URLSearchParams(location.search) }
}

export const place = signal<Place>(here())
export const path = computed(() => place.value.path)

/** Questions to ask before the page is left, for example because of unsaved changes. */
export const leaveQuestions = new Set<() => boolean>()

/** Asks the pending questions. A part of a page that another one replaces, such as a tab, asks before it is closed. */
export const mayLeave = (): boolean => [...leaveQuestions].every((question) => question())

const entryIn = (state: unknown): number => Number((state as { entry?: number } | null)?.entry ?? 0)
/** The number of the current history entry. A reloaded page finds its number again. */
let entry = entryIn(history.state)
/** Whether the next change of the history entry reverts an unwanted one. */
let isReturning = false

/** The browser's buttons change the address before a page can ask. */
function followHistory({ state }: PopStateEvent): void {
  const wanted = entryIn(state)
  if (isReturning) {
    isReturning = false
    return
  }
  if (wanted !== entry && !mayLeave()) {
    isReturning = true
    history.go(entry - wanted)
    return
  }
  entry = wanted
  place.value = here()
}

/** @param to an address below /portal, for example `/sensors?tag=roof` */
export function navigate(to: string, { replace = false } = {}): void {
  if (!replace && !mayLeave()) return
  const before = place.value.path
  if (replace) history.replaceState({ entry }, '', BASE + to)
  else history.pushState({ entry: ++entry }, '', BASE + to)
  place.value = here()
  if (place.value.path !== before) scrollTo(0, 0)
}

/** Gives the shown page the address of the record that it made, which a reload or a shared link opens. */
export function showAddress(to: string): void {
  const owner = queryValue('enterprise')
  history.replaceState({ entry }, '', BASE + to + (owner === undefined ? '' : `?enterprise=${owner}`))
}

export const queryValue = (name: string): string | undefined => place.value.query.get(name) ?? undefined

/** Changes parts of the query; `undefined` or an empty text removes one. Does not add to the history by default. */
export function setQuery(changes: Record<string, string | undefined>, { push = false } = {}): void {
  navigate(withQuery(changes), { replace: !push })
}

/** The address of this page with parts of its query changed, for a link. */
export const addressWith = (changes: Record<string, string | undefined>): string => BASE + withQuery(changes)

function withQuery(changes: Record<string, string | undefined>): string {
  const query = new URLSearchParams(place.peek().query)
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  const text = query.toString()
  return place.peek().path + (text && `?${text}`)
}

/** The link to a page of the portal on which an event happened. */
function pageLinkOf(event: Event): HTMLAnchorElement | undefined {
  const link = (event.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null | undefined
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return undefined
  return link.pathname === BASE || link.pathname.startsWith(`${BASE}/`) ? link : undefined
}

/** Calls back with the path of a page that a person is about to open: when its link is hovered, touched or focused. */
export function onApproach(approached: (path: string) => void): void {
  for (const kind of ['pointerover', 'touchstart', 'focusin'])
    addEventListener(
      kind,
      (event) => {
        const link = pageLinkOf(event)
        if (link !== undefined) approached(link.pathname.slice(BASE.length) || '/')
      },
      { passive: true },
    )
}

/** Handles the browser's buttons, and clicks on links to pages of the portal. */
export function followLinks(): void {
  addEventListener('popstate', followHistory)
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = pageLinkOf(event)
    if (link === undefined) return
    event.preventDefault()
    navigate(link.pathname.slice(BASE.length) + link.search || '/')
  })
}

export type Parameters = Record<string, string>

/** Matches `/sensors/:id` with a path. @returns its parameters, or undefined */
export function matchPath(pattern: string, actual: string): Parameters | undefined {
  const [expected, found] = [pattern.split('/'), actual.replace(/(.)\/$/, '$1').split('/')]
  if (expected.length !== found.length) return undefined
  const parameters: Parameters = {}
  for (const [i, part] of expected.entries()) {
    const value = found[i] as string
    if (part.startsWith(':')) parameters[part.slice(1)] = decoded(value)
    else if (part !== value) return undefined
  }
  return parameters
}

/** An address with a malformed percent escape matches nothing; it must not break the page. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Address of a page with its ids encoded: `href('/sensors/:id', { id })`. */
export function href(pattern: string, parameters: Parameters = {}, query: Record<string, string> = {}): string {
  const filled = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  const text = new URLSearchParams(query).toString()
  return BASE + (filled === '/' ? '' : filled) + (text && `?${text}`)
}
