/**
 * Every address of the portal, in one list: its page, and its place in the navigation. More than 400 lines, since the list
 * is complete.
 */
import type { ComponentType } from 'preact'
import type { Page } from './shell/page.ts'
import { pagePaths } from './shell/page-paths.ts'
import type { TextKey } from './text/catalogue.ts'
import type { IconName } from './ui/icon.tsx'

export type Route = {
  /** Below /portal; `:id` is a parameter of the page. */
  path: string
  title: TextKey
  load: () => Promise<Page>
  /** Shown in the rail, in the order of this list. */
  navigation?: {
    icon: IconName
    group: 'fleet' | 'tools' | 'data' | 'settings' | 'operator'
    /** A count beside the title, loaded after the page. */
    badge?: () => Promise<ComponentType>
  }
  /** Shown without the frame, and without an account. */
  isPublic?: true
  /**
   * Shown only to those who may use it; the API refuses the others anyway. `owner`: an enterprise's member or a person;
   * `keep`: roles that may change records that people have too.
   */
  needs?: 'owner' | 'keep' | 'enterprise' | 'administer' | 'operate'
  /** Takes all the width: maps and tables. */
  isWide?: true
}

export const ROUTES: Route[] = [
  {
    path: '/',
    title: 'frame.pages.overview',
    load: () => import('./features/console/overview.tsx').then((module) => module.OverviewPage),
    navigation: { icon: 'overview', group: 'fleet' },
  },
  {
    path: '/sensors',
    title: 'sensors.title',
    load: () => import('./features/sensors/sensors.tsx').then((module) => module.SensorsPage),
    navigation: { icon: 'sensor', group: 'fleet' },
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/alerts',
    title: 'alerts.title',
    load: () => import('./features/alerts/alerts.tsx').then((module) => module.AlertsPage),
    navigation: {
      icon: 'bell',
      group: 'fleet',
      badge: () => import('./features/alerts/badge.tsx').then((module) => module.AlertBadge),
    },
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/alerts/:id',
    title: 'alerts.page',
    load: () => import('./features/alerts/alert.tsx').then((module) => module.AlertPage),
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/map',
    title: 'map.title',
    load: () => import('./features/map/map-page.tsx').then((module) => module.MapPage),
    navigation: { icon: 'map', group: 'fleet' },
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/tools',
    title: 'tools.title',
    load: () => import('./features/tools/tools.tsx').then((module) => module.ToolsPage),
    navigation: { icon: 'tool', group: 'tools' },
    needs: 'owner',
  },
  {
    path: '/tools/:process',
    title: 'tools.tool',
    load: () => import('./features/tools/tool.tsx').then((module) => module.ToolPage),
    needs: 'owner',
  },
  {
    path: '/tool-apis',
    title: 'toolApis.title',
    load: () => import('./features/tool-apis/tool-apis.tsx').then((module) => module.ToolApisPage),
    navigation: { icon: 'toolApi', group: 'tools' },
    needs: 'keep',
    isWide: true,
  },
  {
    path: '/tool-apis/new',
    title: 'toolApis.newTitle',
    load: () => import('./features/tool-apis/new-tool-api.tsx').then((module) => module.NewToolApiPage),
    needs: 'keep',
    isWide: true,
  },
  {
    path: '/tool-apis/:id',
    title: 'toolApis.page',
    load: () => import('./features/tool-apis/tool-api.tsx').then((module) => module.ToolApiPage),
    needs: 'keep',
    isWide: true,
  },
  {
    path: '/settings/enterprise',
    title: 'enterprise.title',
    load: () => import('./features/console/enterprise.tsx').then((module) => module.EnterprisePage),
    navigation: { icon: 'enterprise', group: 'settings' },
    needs: 'enterprise',
  },
  {
    path: '/settings/members',
    title: 'accounts.members.title',
    load: () => import('./features/console/members.tsx').then((module) => module.MembersPage),
    navigation: { icon: 'members', group: 'settings' },
    needs: 'administer',
  },
  {
    path: '/settings/applications',
    title: 'applications.title',
    load: () => import('./features/console/applications.tsx').then((module) => module.ApplicationsPage),
    navigation: { icon: 'application', group: 'settings' },
    needs: 'administer',
  },
  {
    path: '/settings/applications/:id',
    title: 'applications.one',
    load: () => import('./features/console/application.tsx').then((module) => module.ApplicationPage),
    needs: 'administer',
  },
  {
    path: '/settings/destinations',
    title: 'destinations.title',
    load: () => import('./features/destinations/destinations.tsx').then((module) => module.DestinationsPage),
    navigation: { icon: 'destination', group: 'settings' },
    needs: 'administer',
  },
  {
    path: '/settings/destinations/new',
    title: 'destinations.newTitle',
    load: () => import('./features/destinations/new-destination.tsx').then((module) => module.NewDestinationPage),
    needs: 'administer',
  },
  {
    path: '/settings/destinations/:id',
    title: 'destinations.page',
    load: () => import('./features/destinations/destination.tsx').then((module) => module.DestinationPage),
    needs: 'administer',
  },
  {
    path: '/settings/fleet-keys',
    title: 'fleetKeys.title',
    load: () => import('./features/fleet-keys/fleet-keys.tsx').then((module) => module.FleetKeysPage),
    navigation: { icon: 'key', group: 'settings' },
    needs: 'enterprise',
  },
  {
    path: '/settings/fleet-keys/new',
    title: 'fleetKeys.newTitle',
    load: () => import('./features/fleet-keys/new-fleet-key.tsx').then((module) => module.NewFleetKeyPage),
    needs: 'administer',
  },
  {
    path: '/settings/fleet-keys/:id',
    title: 'fleetKeys.page',
    load: () => import('./features/fleet-keys/fleet-key.tsx').then((module) => module.FleetKeyPage),
    needs: 'enterprise',
  },
  {
    path: '/settings/usage',
    title: 'usage.title',
    load: () => import('./features/console/usage.tsx').then((module) => module.UsagePage),
    navigation: { icon: 'usage', group: 'settings' },
    needs: 'keep',
  },
  {
    path: '/settings/audit',
    title: 'audit.title',
    load: () => import('./features/console/audit.tsx').then((module) => module.AuditPage),
    navigation: { icon: 'audit', group: 'settings' },
    needs: 'keep',
    isWide: true,
  },
  {
    path: '/account',
    title: 'accounts.account.title',
    load: () => import('./features/account/account.tsx').then((module) => module.AccountPage),
  },
  {
    path: '/zones',
    title: 'zones.title',
    load: () => import('./features/zones/zones.tsx').then((module) => module.ZonesPage),
    navigation: { icon: 'zones', group: 'fleet' },
    needs: 'enterprise',
  },
  {
    path: '/zones/new',
    title: 'zones.newTitle',
    load: () => import('./features/zones/zone.tsx').then((module) => module.NewZonePage),
    needs: 'administer',
    isWide: true,
  },
  {
    path: '/zones/:id',
    title: 'zones.title',
    load: () => import('./features/zones/zone.tsx').then((module) => module.ZonePage),
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/rules',
    title: 'rules.title',
    load: () => import('./features/rules/rules.tsx').then((module) => module.RulesPage),
    navigation: { icon: 'rules', group: 'fleet' },
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/rules/new',
    title: 'rules.newTitle',
    load: () => import('./features/rules/new-rule.tsx').then((module) => module.NewRulePage),
    needs: 'administer',
  },
  {
    path: '/rules/:id',
    title: 'rules.page',
    load: () => import('./features/rules/rule.tsx').then((module) => module.RulePage),
    needs: 'enterprise',
  },
  {
    path: '/dashboards',
    title: 'dashboards.title',
    load: () => import('./features/dashboards/dashboards.tsx').then((module) => module.DashboardsPage),
    navigation: { icon: 'dashboard', group: 'fleet' },
    needs: 'enterprise',
  },
  {
    path: '/dashboards/:id',
    title: 'dashboards.page',
    load: () => import('./features/dashboards/dashboard.tsx').then((module) => module.DashboardPage),
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/shared',
    title: 'dashboards.sharedPage',
    load: () => import('./features/dashboards/shared.tsx').then((module) => module.SharedPage),
    isPublic: true,
  },
  {
    path: '/sign-in',
    title: 'accounts.signIn.title',
    load: () => import('./features/account/sign-in.tsx').then((module) => module.SignInPage),
    isPublic: true,
  },
  {
    path: '/reset-password',
    title: 'accounts.reset.title',
    load: () => import('./features/account/mail-link.tsx').then((module) => module.ResetPasswordPage),
    isPublic: true,
  },
  {
    path: '/sign-up',
    title: 'accounts.signUp.title',
    load: () => import('./features/account/mail-link.tsx').then((module) => module.SignUpPage),
    isPublic: true,
  },
  {
    path: '/welcome/:token',
    title: 'accounts.welcome.operatorTitle',
    load: () => import('./features/sensors/welcome.tsx').then((module) => module.WelcomePage),
    isPublic: true,
  },
  {
    path: '/sensors/new',
    title: 'sensorForm.title',
    load: () => import('./features/sensors/new-sensor.tsx').then((module) => module.NewSensorPage),
    needs: 'administer',
  },
  {
    path: '/sensors/connect',
    title: 'connect.title',
    load: () => import('./features/sensors/connect.tsx').then((module) => module.ConnectPage),
    needs: 'administer',
  },
  {
    path: '/sensors/compare',
    title: 'compare.title',
    load: () => import('./features/compare/compare.tsx').then((module) => module.ComparePage),
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/sensors/:id',
    title: 'sensor.page',
    load: () => import('./features/sensors/sensor.tsx').then((module) => module.SensorPage),
    needs: 'enterprise',
    isWide: true,
  },
  {
    path: '/reference',
    title: 'reference.title',
    load: () => import('./features/tools/reference.tsx').then((module) => module.ReferencePage),
    navigation: { icon: 'reference', group: 'settings' },
    isWide: true,
  },
  {
    path: '/operator/enterprises',
    title: 'operator.enterprises.title',
    load: () => import('./features/operator/enterprises.tsx').then((module) => module.OperatorEnterprisesPage),
    navigation: { icon: 'enterprise', group: 'operator' },
    needs: 'operate',
    isWide: true,
  },
  {
    path: '/operator/enterprises/:id',
    title: 'operator.enterprises.title',
    load: () => import('./features/operator/enterprise.tsx').then((module) => module.OperatorEnterprisePage),
    needs: 'operate',
  },
  {
    path: '/operator/people',
    title: 'operator.people.title',
    load: () => import('./features/operator/people.tsx').then((module) => module.OperatorPeoplePage),
    navigation: { icon: 'people', group: 'operator' },
    needs: 'operate',
    isWide: true,
  },
  {
    path: '/operator/people/:id',
    title: 'operator.people.title',
    load: () => import('./features/operator/person.tsx').then((module) => module.OperatorPersonPage),
    needs: 'operate',
  },
  {
    path: '/operator/health',
    title: 'operations.health.title',
    load: () => import('./features/operator/health.tsx').then((module) => module.OperatorHealthPage),
    navigation: { icon: 'health', group: 'operator' },
    needs: 'operate',
  },
  {
    path: '/operator/queues',
    title: 'operations.queues.title',
    load: () => import('./features/operator/queues.tsx').then((module) => module.OperatorQueuesPage),
    navigation: { icon: 'queue', group: 'operator' },
    needs: 'operate',
  },
  {
    path: '/runs',
    title: 'runs.title',
    load: () => import('./features/tools/runs.tsx').then((module) => module.RunsPage),
    navigation: { icon: 'runs', group: 'tools' },
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/data/layers',
    title: 'layers.title',
    load: () => import('./features/data/layers.tsx').then((module) => module.LayersPage),
    navigation: { icon: 'layers', group: 'data' },
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/recipes',
    title: 'recipes.title',
    load: () => import('./features/tools/recipes.tsx').then((module) => module.RecipesPage),
    navigation: { icon: 'queue', group: 'tools' },
    needs: 'enterprise',
  },
  {
    path: '/recipes/:id',
    title: 'recipes.page',
    load: () => import('./features/tools/recipe.tsx').then((module) => module.RecipePage),
    needs: 'enterprise',
  },
  {
    path: '/runs/:id',
    title: 'runs.run',
    load: () => import('./features/tools/run.tsx').then((module) => module.RunPage),
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/data/layers/:id',
    title: 'layers.page',
    load: () => import('./features/data/layer.tsx').then((module) => module.LayerPage),
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/data/files',
    title: 'files.title',
    load: () => import('./features/data/files.tsx').then((module) => module.FilesPage),
    navigation: { icon: 'files', group: 'data' },
    needs: 'owner',
    isWide: true,
  },
  {
    path: '/data/files/:id',
    title: 'files.page',
    load: () => import('./features/data/file.tsx').then((module) => module.FilePage),
    needs: 'owner',
  },
]

for (const { path } of ROUTES) pagePaths.add(path)
