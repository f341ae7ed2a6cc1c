/**
 * A person's choices of appearance. Kept in this browser, and with the account (account-preferences.ts); the server
 * writes them into the page, so that the first paint is right.
 */
import { effect, signal } from '@preact/signals'

export type Language = 'en' | 'ar'
export type Theme = 'auto' | 'light' | 'dark'
/** `arab`: ٠١٢٣. */
export type Digits = 'latn' | 'arab'
/** Zone of shown times: the browser's, or UTC. */
export type Zone = 'local' | 'utc'

export type Preferences = { language?: Language; theme?: Theme; digits?: Digits; zone?: Zone }

const KEY = 'groundwave.view'
const YEAR_S = 31_536_000

type Stored = { digits?: Digits; zone?: Zone; enterprise?: string; rail?: 'wide' | 'narrow' }

/** Storage can be disabled or full; then preferences last as long as the page. */
function stored(): Stored {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Stored
  } catch {
    return {}
  }
}

const TAB_KEY = 'groundwave.enterprise'

/** Two tabs can show two enterprises, and each keeps its enterprise after a reload. */
function enterpriseOfTab(): string | undefined {
  try {
    return sessionStorage.getItem(TAB_KEY) ?? undefined
  } catch {
    return undefined
  }
}

const root = document.documentElement
const first = stored()
export const language = signal<Language>(root.lang === 'ar' ? 'ar' : 'en')
export const theme = signal<Theme>((root.dataset.theme as Theme | undefined) ?? 'auto')
export const digits = signal<Digits>((root.dataset.digits as Digits | undefined) ?? first.digits ?? 'latn')
export const zone = signal<Zone>((root.dataset.zone as Zone | undefined) ?? first.zone ?? 'local')
/** Per tab; a new tab begins with the value that any tab set last. */
export const lastEnterprise = signal<string | undefined>(enterpriseOfTab() ?? first.enterprise)
export const rail = signal<'wide' | 'narrow'>(first.rail ?? 'wide')

/** Applies each choice to the page and stores it. */
export function keepPreferences(): void {
  effect(() => {
    root.lang = language.value
    root.dir = language.value === 'ar' ? 'rtl' : 'ltr'
    root.dataset.theme = theme.value
    const secure = location.protocol === 'https:' ? '; Secure' : ''
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not available everywhere
    document.cookie = `gw_view=${language.value}.${theme.value}; Path=/portal; Max-Age=${YEAR_S}; SameSite=Lax${secure}`
  })
  effect(() => {
    const view: Stored = { digits: digits.value, zone: zone.value, rail: rail.value }
    if (lastEnterprise.value !== undefined) view.enterprise = lastEnterprise.value
    try {
      localStorage.setItem(KEY, JSON.stringify(view))
      if (view.enterprise !== undefined) sessionStorage.setItem(TAB_KEY, view.enterprise)
    } catch {
      // see stored()
    }
  })
}
