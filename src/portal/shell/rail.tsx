/** Navigation: a rail at the side, or on a phone four pages at the lower edge and a sheet with all of them. */
import { computed, signal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ROUTES, type Route } from '../routes.ts'
import { t } from '../text/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { isAllowed } from './frame-access.ts'
import { rail } from './preferences.ts'
import { href, place } from './router.ts'

type NavigationRoute = Route & { navigation: NonNullable<Route['navigation']> }
type Current = { current: Route | undefined }

const GROUPS = ['fleet', 'tools', 'data', 'settings', 'operator'] as const
/** The pages that fit beside "More" on the smallest phones. */
const ON_BAR = 4

function matches(query: string) {
  const list = matchMedia(query)
  const isMatching = signal(list.matches)
  list.addEventListener('change', () => {
    isMatching.value = list.matches
  })
  return isMatching
}
const isPhone = matches('(max-width: 720px)')
/** Words beside the icons would take a quarter of the width. */
const isTight = matches('(max-width: 1000px)')

export const railWidth = computed(() => (isTight.value ? 'narrow' : rail.value))

export const Navigation = (props: Current) => (isPhone.value ? <PhoneBar {...props} /> : <Rail {...props} />)

const groups = () =>
  GROUPS.map((id) => ({
    id,
    routes: ROUTES.filter((route): route is NavigationRoute => route.navigation?.group === id && isAllowed(route)),
  })).filter(({ routes }) => routes.length > 0)

/** Whether a page belongs to an entry of the navigation: `/sensors/:id` to `/sensors`. */
const isBelow = (page: Route | undefined, { path }: Route): boolean =>
  page !== undefined && (page.path === path || (path !== '/' && page.path.startsWith(`${path}/`)))

function Rail({ current }: Current) {
  return (
    <nav class="rail" aria-label={t('frame.navigation')}>
      <a class="rail-brand" href={href('/')} aria-label="Groundwave">
        <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
          <path d="M1 10q2-8 4 0t4 0 4 0" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
        </svg>
        <span>Groundwave</span>
      </a>
      {groups().map(({ id, routes }) => (
        <ul key={id} class="rail-group">
          {routes.map((route) => (
            <li key={route.path}>
              <Entry route={route} current={current} />
            </li>
          ))}
        </ul>
      ))}
      {!isTight.value && (
        <button
          type="button"
          class="rail-fold"
          aria-pressed={rail.value === 'narrow'}
          onClick={() => {
            rail.value = rail.value === 'wide' ? 'narrow' : 'wide'
          }}
        >
          <Icon name={rail.value === 'wide' ? 'back' : 'forward'} />
          <span>{t('frame.fold')}</span>
        </button>
      )}
    </nav>
  )
}

function PhoneBar({ current }: Current) {
  const [isOpen, setOpen] = useState(false)
  const all = groups()
  const routes = all.flatMap((group) => group.routes)
  const shown = routes.slice(0, ON_BAR)
  const isElsewhere = routes.some((route) => !shown.includes(route) && isBelow(current, route))
  const address = place.value
  useEffect(() => setOpen(false), [address])
  return (
    <nav class="phone-bar" aria-label={t('frame.navigation')}>
      {shown.map((route) => (
        <Entry key={route.path} route={route} current={current} />
      ))}
      {shown.length < routes.length && (
        <button
          type="button"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          aria-current={isElsewhere ? 'true' : undefined}
          onClick={() => setOpen(true)}
        >
          <Icon name="more" size={18} />
          <span>{t('frame.more')}</span>
        </button>
      )}
      {isOpen && (
        <Dialog title={t('frame.morePages')} isSheet onClose={() => setOpen(false)}>
          <div class="all-pages">
            {all.map((group) => (
              <section key={group.id}>
                <h3>{t(`frame.groups.${group.id}`)}</h3>
                <ul>
                  {group.routes.map((route) => (
                    <li key={route.path}>
                      <Entry route={route} current={current} />
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </div>
        </Dialog>
      )}
    </nav>
  )
}

function Entry({ route, current }: { route: NavigationRoute } & Current): ComponentChildren {
  return (
    <a href={href(route.path)} aria-current={isBelow(current, route) ? 'page' : undefined} title={t(route.title)}>
      <Icon name={route.navigation.icon} size={18} />
      <span>{t(route.title)}</span>
      {route.navigation.badge && <Badge load={route.navigation.badge} />}
    </a>
  )
}

function Badge({ load }: { load: () => Promise<ComponentType> }) {
  const [Shown, setShown] = useState<ComponentType | undefined>(undefined)
  useEffect(() => {
    load().then(
      (component) => setShown(() => component),
      // the page of the entry has the count too
      () => undefined,
    )
  }, [])
  return Shown && <Shown />
}
