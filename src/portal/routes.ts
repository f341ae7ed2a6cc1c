/** Every address of the portal, in one list: what is shown there, and where it stands in the navigation. */
import type { Page } from './page.ts'
import type { IconName } from './parts/icon.tsx'
import type { TextKey } from './text/catalogue.ts'

export type Route = {
  /** Below /portal; `:id` is a parameter of the page. */
  path: string
  title: TextKey
  load: () => Promise<Page>
  /** Shown in the rail, in the order of this list. */
  navigation?: { icon: IconName; group: 'fleet' | 'settings' | 'operator' }
  /** Shown without the frame, and without an account. */
  isPublic?: true
  /** Shown only to those who may use it; the API refuses the others anyway. */
  needs?: 'enterprise' | 'administer' | 'operate'
  /** Takes all the width: maps and tables. */
  isWide?: true
}

export const ROUTES: Route[] = [
  {
    path: '/',
    title: 'frame.pages.overview',
    load: () => import('./pages/overview.tsx').then((module) => module.OverviewPage),
    navigation: { icon: 'overview', group: 'fleet' },
  },
  {
    path: '/sensors',
    title: 'sensors.title',
    load: () => import('./pages/sensors.tsx').then((module) => module.SensorsPage),
    navigation: { icon: 'sensor', group: 'fleet' },
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/map',
    title: 'map.title',
    load: () => import('./pages/map.tsx').then((module) => module.MapPage),
    navigation: { icon: 'map', group: 'fleet' },
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/settings/members',
    title: 'accounts.members.title',
    load: () => import('./pages/members.tsx').then((module) => module.MembersPage),
    navigation: { icon: 'members', group: 'settings' },
    needs: 'administer',
  },
  {
    path: '/account',
    title: 'accounts.account.title',
    load: () => import('./pages/account.tsx').then((module) => module.AccountPage),
  },
  {
    path: '/zones',
    title: 'zones.title',
    load: () => import('./pages/zones.tsx').then((module) => module.ZonesPage),
    navigation: { icon: 'zones', group: 'fleet' },
    needs: 'enterprise',
  },
  {
    path: '/zones/new',
    title: 'zones.newTitle',
    load: () => import('./pages/zone.tsx').then((module) => module.NewZonePage),
    needs: 'administer',
    isWide: true,
  },
  {
    path: '/zones/:id',
    title: 'zones.title',
    load: () => import('./pages/zone.tsx').then((module) => module.ZonePage),
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/sign-in',
    title: 'accounts.signIn.title',
    load: () => import('./pages/sign-in.tsx').then((module) => module.SignInPage),
    isPublic: true,
  },
  {
    path: '/reset-password',
    title: 'accounts.reset.title',
    load: () => import('./pages/mail-link.tsx').then((module) => module.ResetPasswordPage),
    isPublic: true,
  },
  {
    path: '/sign-up',
    title: 'accounts.signUp.title',
    load: () => import('./pages/mail-link.tsx').then((module) => module.SignUpPage),
    isPublic: true,
  },
  {
    path: '/welcome/:token',
    title: 'accounts.welcome.operatorTitle',
    load: () => import('./pages/welcome.tsx').then((module) => module.WelcomePage),
    isPublic: true,
  },
  {
    path: '/sensors/new',
    title: 'sensorForm.title',
    load: () => import('./pages/new-sensor.tsx').then((module) => module.NewSensorPage),
    needs: 'administer',
  },
  {
    path: '/sensors/:id',
    title: 'sensor.page',
    load: () => import('./pages/sensor.tsx').then((module) => module.SensorPage),
    needs: 'enterprise',
    isWide: true,
  },
]
