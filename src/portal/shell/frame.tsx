/** The frame around every page: navigation, top line, messages, and the page of the address. */
import { effect, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ROUTES, type Route } from '../routes.ts'
import { formatAge } from '../text/format.ts'
import { refusalOfPage } from '../text/refusals.ts'
import { t } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, Refused, Skeleton } from '../ui/states.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { now } from './clock.ts'
import { lostSince } from './connection.ts'
import { DestinationAlarm } from './destination-alarm.tsx'
import { ExpiredSession } from './expired-session.tsx'
import { isAllowed } from './frame-access.ts'
import { KeyReminders } from './key-reminders.tsx'
import type { Page } from './page.ts'
import { Navigation, railWidth } from './rail.tsx'
import { href, matchPath, navigate, onApproach, type Parameters, path, place } from './router.ts'
import { account, isExpired, loadSession, nameOwner, ownerId, session } from './session.ts'
import { TopLine } from './top-line.tsx'

type Found = { route: Route; parameters: Parameters }

function find(address: string): Found | undefined {
  // `/sensors/new` is not the sensor with the id `new`, wherever it stands in the list
  const exact = ROUTES.find(({ path }) => path === address)
  if (exact !== undefined) return { route: exact, parameters: {} }
  for (const route of ROUTES) {
    const parameters = matchPath(route.path, address)
    if (parameters !== undefined) return { route, parameters }
  }
  return undefined
}

const pages = new Map<string, Page>()
/** The page of the address; the one before stays until the next has been loaded. */
const shown = signal<(Found & { Page: Page }) | undefined>(undefined)
const loadFailed = signal(false)

async function load(route: Route): Promise<Page> {
  const Page = pages.get(route.path) ?? (await route.load())
  pages.set(route.path, Page)
  return Page
}

// the code of a page that is about to be opened; if loading fails, opening the page reports it
onApproach((address) => {
  const route = find(address)?.route
  if (route !== undefined && !pages.has(route.path)) load(route).catch(() => undefined)
})

effect(() => {
  const found = find(path.value)
  loadFailed.value = false
  if (found === undefined) {
    shown.value = undefined
    return
  }
  const known = pages.get(found.route.path)
  if (known !== undefined) shown.value = { ...found, Page: known }
  else
    load(found.route).then(
      (Page) => {
        if (find(path.peek())?.route === found.route) shown.value = { ...found, Page }
      },
      () => {
        loadFailed.value = true
      },
    )
})

effect(() => {
  const route = find(path.value)?.route
  if (account.value !== undefined && route !== undefined && !route.isPublic && route.needs !== 'operate') nameOwner()
})

export function Frame() {
  const current = find(path.value)
  const isPublic = current?.route.isPublic === true
  const isSignedIn = account.value !== undefined
  useEffect(() => {
    if (session.value !== undefined && !isSignedIn && !isPublic)
      navigate(`/sign-in?next=${encodeURIComponent(path.peek() + location.search)}`, { replace: true })
  }, [isSignedIn, isPublic, place.value])

  if (session.value === undefined) return <Unreachable />
  if (isPublic)
    return (
      <>
        <main class="page page-public">
          <CurrentPage found={current} />
        </main>
        <Toasts />
      </>
    )
  if (!isSignedIn) return null
  return (
    <div class={`frame rail-${railWidth.value}`} data-lost={lostSince.value !== undefined}>
      <a class="skip" href="#content">
        {t('frame.skip')}
      </a>
      <Bars />
      <Navigation current={current?.route} />
      <TopLine />
      <main id="content" tabIndex={-1} class={current?.route.isWide ? 'page page-wide' : 'page'}>
        {current === undefined ? (
          <Missing />
        ) : isAllowed(current.route) ? (
          <CurrentPage found={current} />
        ) : (
          <Refused refusal={refusalOfPage(current.route.needs)} />
        )}
      </main>
      <Toasts />
      {isExpired.value && <ExpiredSession />}
    </div>
  )
}

/** Elements above the frame. Maps and tables fill the remaining height. */
function Bars() {
  const bars = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const style = document.documentElement.style
    const observer = new ResizeObserver(([entry]) =>
      style.setProperty('--bars', `${entry?.borderBoxSize[0]?.blockSize ?? 0}px`),
    )
    if (bars.current !== null) observer.observe(bars.current)
    return () => {
      observer.disconnect()
      style.removeProperty('--bars')
    }
  }, [])
  return (
    <div ref={bars} class="frame-bars">
      <OfflineBar />
      <KeyReminders />
      <DestinationAlarm />
    </div>
  )
}

function CurrentPage({ found }: { found: Found | undefined }) {
  const ownerChanges = useOwnerChanges()
  if (loadFailed.value)
    return (
      <Empty title={t('frame.failures.title')} text={t('frame.failures.newVersion')}>
        <Button kind="main" icon="reload" onClick={() => location.reload()}>
          {t('frame.reload')}
        </Button>
      </Empty>
    )
  const page = shown.value
  if (page === undefined || page.route !== found?.route) return <Skeleton />
  const parameters = found.parameters
  // pages of one route with other ids start with fresh state; the operator's pages belong to no owner
  const owner = page.route.needs === 'operate' ? 0 : ownerChanges
  return <page.Page key={`${JSON.stringify(parameters)} ${owner}`} parameters={parameters} />
}

/**
 * How often the owner changed. The first owner does not count: an operator's is chosen when the list of enterprises
 * arrives, and a page that is open by then must not lose its dialogs and typed text.
 */
function useOwnerChanges(): number {
  const seen = useRef({ owner: ownerId.value, changes: 0 })
  const { current } = seen
  if (ownerId.value !== undefined && ownerId.value !== current.owner) {
    if (current.owner !== undefined) current.changes++
    current.owner = ownerId.value
  }
  return current.changes
}

const isOnline = signal(navigator.onLine)
addEventListener('online', () => {
  isOnline.value = true
})
addEventListener('offline', () => {
  isOnline.value = false
})

function OfflineBar() {
  const since = lostSince.value
  if (isOnline.value && since === undefined) return null
  const isServer = isOnline.value && since !== undefined
  return (
    <div class="offline-bar" role="status">
      <Icon name="offline" />
      <span>{isServer ? t('frame.serverLost', { age: formatAge(since, now.value) }) : t('frame.offline')}</span>
    </div>
  )
}

function Missing() {
  return (
    <Empty title={t('frame.missingTitle')} text={t('frame.missing')}>
      <a class="button button-main" href={href('/')}>
        {t('frame.toOverview')}
      </a>
    </Empty>
  )
}

const RETRY_MS = 3_000

/** The server did not answer the first question; the page tries again by itself. */
function Unreachable() {
  useEffect(() => {
    const timer = setInterval(() => void loadSession().catch(() => undefined), RETRY_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <main class="page page-public">
      <Empty title={t('frame.unreachableTitle')} text={t('frame.unreachable')} />
    </main>
  )
}
