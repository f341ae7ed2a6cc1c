/** Every address of the portal, in one list: what is shown there, and where it stands in the navigation. */
import type { Page } from './page.ts'
import { pagePaths } from './page-paths.ts'
import type { IconName } from './parts/icon.tsx'
import type { TextKey } from './text/catalogue.ts'

export type Route = {
  /** Below /portal; `:id` is a parameter of the page. */
  path: string
  title: TextKey
  load: () => Promise<Page>
  /** Shown in the rail, in the order of this list. */
  navigation?: { icon: IconName; group: 'fleet' | 'tools' | 'data' | 'settings' | 'operator' }
  /** Shown without the frame, and without an account. */
  isPublic?: true
  /**
   * Shown only to those who may use it; the API refuses the others anyway. `owner`: an enterprise's member or a person;
   * `keep`: who changes the things that people have too.
   */
  needs?: 'owner' | 'keep' | 'enterprise' | 'administer' | 'operate'
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
    path: '/tools',
    title: 'tools.title',
    load: () => import('./pages/tools.tsx').then((module) => module.ToolsPage),
    navigation: { icon: 'tool', group: 'tools' },
    needs: 'owner',
  },
  {
    path: '/tools/:process',
    title: 'tools.tool',
    load: () => import('./pages/tool.tsx').then((module) => module.ToolPage),
    needs: 'owner',
  },
  {
    path: '/tool-apis',
    title: 'toolApis.title',
    load: () => import('./pages/tool-apis.tsx').then((module) => module.ToolApisPage),
    navigation: { icon: 'toolApi', group: 'tools' },
    needs: 'keep',
    isWide: true,
  },
  {
    path: '/tool-apis/new',
    title: 'toolApis.newTitle',
    load: () => import('./pages/new-tool-api.tsx').then((module) => module.NewToolApiPage),
    needs: 'keep',
    isWide: true,
  },
  {
    path: '/tool-apis/:id',
    title: 'toolApis.page',
    load: () => import('./pages/tool-api.tsx').then((module) => module.ToolApiPage),
    needs: 'keep',
    isWide: true,
  },
  {
    path: '/settings/enterprise',
    title: 'enterprise.title',
    load: () => import('./pages/enterprise.tsx').then((module) => module.EnterprisePage),
    navigation: { icon: 'enterprise', group: 'settings' },
    needs: 'enterprise',
  },
  {
    path: '/settings/members',
    title: 'accounts.members.title',
    load: () => import('./pages/members.tsx').then((module) => module.MembersPage),
    navigation: { icon: 'members', group: 'settings' },
    needs: 'administer',
  },
  {
    path: '/settings/applications',
    title: 'applications.title',
    load: () => import('./pages/applications.tsx').then((module) => module.ApplicationsPage),
    navigation: { icon: 'application', group: 'settings' },
    needs: 'administer',
  },
  {
    path: '/settings/applications/:id',
    title: 'applications.one',
    load: () => import('./pages/application.tsx').then((module) => module.ApplicationPage),
    needs: 'administer',
  },
  {
    path: '/settings/usage',
    title: 'usage.title',
    load: () => import('./pages/usage.tsx').then((module) => module.UsagePage),
    navigation: { icon: 'usage', group: 'settings' },
    needs: 'keep',
  },
  {
    path: '/settings/audit',
    title: 'audit.title',
    load: () => import('./pages/audit.tsx').then((module) => module.AuditPage),
    navigation: { icon: 'audit', group: 'settings' },
    needs: 'keep',
    isWide: true,
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
  {
    path: '/reference',
    title: 'reference.title',
    load: () => import('./pages/reference.tsx').then((module) => module.ReferencePage),
    navigation: { icon: 'reference', group: 'settings' },
    isWide: true,
  },
  {
    path: '/operator/enterprises',
    title: 'operator.enterprises.title',
    load: () => import('./pages/operator/enterprises.tsx').then((module) => module.OperatorEnterprisesPage),
    navigation: { icon: 'enterprise', group: 'operator' },
    needs: 'operate',
    isWide: true,
  },
  {
    path: '/operator/enterprises/:id',
    title: 'operator.enterprises.title',
    load: () => import('./pages/operator/enterprise.tsx').then((module) => module.OperatorEnterprisePage),
    needs: 'operate',
  },
  {
    path: '/operator/people',
    title: 'operator.people.title',
    load: () => import('./pages/operator/people.tsx').then((module) => module.OperatorPeoplePage),
    navigation: { icon: 'people', group: 'operator' },
    needs: 'operate',
    isWide: true,
  },
  {
    path: '/operator/people/:id',
    title: 'operator.people.title',
    load: () => import('./pages/operator/person.tsx').then((module) => module.OperatorPersonPage),
    needs: 'operate',
  },
  {
    path: '/operator/health',
    title: 'operations.health.title',
    load: () => import('./pages/operator/health.tsx').then((module) => module.OperatorHealthPage),
    navigation: { icon: 'health', group: 'operator' },
    needs: 'operate',
  },
  {
    path: '/operator/queues',
    title: 'operations.queues.title',
    load: () => import('./pages/operator/queues.tsx').then((module) => module.OperatorQueuesPage),
    navigation: { icon: 'queue', group: 'operator' },
    needs: 'operate',
  },
  {
    path: '/runs',
    title: 'runs.title',
    load: () => import('./pages/runs.tsx').then((module) => module.RunsPage),
    navigation: { icon: 'runs', group: 'tools' },
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/data/layers',
    title: 'layers.title',
    load: () => import('./pages/layers.tsx').then((module) => module.LayersPage),
    navigation: { icon: 'layers', group: 'data' },
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/runs/:id',
    title: 'runs.run',
    load: () => import('./pages/run.tsx').then((module) => module.RunPage),
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/data/layers/:id',
    title: 'layers.page',
    load: () => import('./pages/layer.tsx').then((module) => module.LayerPage),
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/data/files',
    title: 'files.title',
    load: () => import('./pages/files.tsx').then((module) => module.FilesPage),
    navigation: { icon: 'files', group: 'data' },
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/data/files/:id',
    title: 'files.page',
    load: () => import('./pages/file.tsx').then((module) => module.FilePage),
    needs: 'owner',
  },
]

for (const { path } of ROUTES) pagePaths.add(path)
