/**
 * The entries of search and commands: pages and actions by words of either language, tools, sensors and enterprises.
 */
import { signal } from '@preact/signals'
import { api, dataOf } from '../api/client.ts'
import { SENSOR_STATES, stateName } from '../features/sensors/state.tsx'
import { ROUTES } from '../routes.ts'
import type { TextKey } from '../text/catalogue.ts'
import { plain } from '../text/plain.ts'
import { t, textsOf } from '../text/text.ts'
import type { IconName } from '../ui/icon.tsx'
import { isAllowed } from './frame-access.ts'
import { digits, language, theme, zone } from './preferences.ts'
import { href, navigate } from './router.ts'
import { chooseOwner, isOperator, ownerId, signOut } from './session.ts'

export type Entry = { id: string; label: string; detail?: string; words?: string; icon: IconName; run: () => void }

const FOUND = 8
/** Newest firing alerts among which the words are searched. */
const SEARCHED_ALERTS = 200

/** Texts of the other language, loaded when the search is opened for the first time. */
const otherTexts = signal<((key: TextKey) => string) | undefined>(undefined)

export async function loadOtherTexts(): Promise<void> {
  otherTexts.value = await textsOf(language.peek() === 'ar' ? 'en' : 'ar')
}

/** The same text in the other language, by which an entry is found too. */
const inOther = (...keys: TextKey[]): string => keys.map((key) => otherTexts.value?.(key) ?? '').join(' ')

/** Every word must match, in any order. */
export function matches({ label, detail = '', words = '' }: Entry, wanted: string): boolean {
  const text = plain(`${label} ${detail} ${words}`)
  return plain(wanted)
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Pages that only create something are among the actions. */
const MAKERS: Record<string, TextKey> = {
  '/sensors/new': 'sensors.create',
  '/sensors/connect': 'connect.title',
  '/zones/new': 'zones.create',
  '/rules/new': 'rules.create',
  '/tool-apis/new': 'toolApis.create',
  '/settings/destinations/new': 'destinations.create',
  '/settings/fleet-keys/new': 'fleetKeys.create',
}

export function pageEntries(): Entry[] {
  return ROUTES.filter(
    (route) =>
      !route.path.includes(':') && route.isPublic !== true && MAKERS[route.path] === undefined && isAllowed(route),
  ).map((route) => ({
    id: route.path,
    label: t(route.title),
    detail: route.path,
    words: inOther(route.title),
    icon: route.navigation?.icon ?? 'forward',
    run: () => navigate(route.path),
  }))
}

export function actionEntries(): Entry[] {
  const makers = ROUTES.flatMap((route): Entry[] => {
    const key = MAKERS[route.path]
    if (key === undefined || !isAllowed(route)) return []
    return [{ id: key, label: t(key), words: inOther(key), icon: 'add', run: () => navigate(route.path) }]
  })
  const routeOf = (wanted: string) => ROUTES.find(({ path }) => path === wanted)
  const [newSensor, sensorList] = [routeOf('/sensors/new'), routeOf('/sensors')]
  const choice = <V extends string>(
    setting: { value: V },
    value: V,
    of: TextKey,
    name: TextKey | { name: string },
  ) => ({
    id: `${of} ${value}`,
    icon: 'language' as const,
    label: typeof name === 'string' ? t(name) : name.name,
    detail: t(of),
    words: typeof name === 'string' ? inOther(of, name) : inOther(of),
    run: () => {
      setting.value = value
    },
  })
  const states = SENSOR_STATES.map(
    (state): Entry => ({
      id: `state ${state}`,
      label: `${t('sensors.title')}: ${stateName(state)}`,
      words: inOther('sensors.title', `frame.states.${state}`),
      icon: 'filter',
      run: () => navigate(`/sensors?state=${state}`),
    }),
  )
  const choices: Entry[] = [
    language.value === 'ar'
      ? choice(language, 'en', 'accounts.account.language', { name: 'English' })
      : choice(language, 'ar', 'accounts.account.language', { name: 'العربية' }),
    ...(['auto', 'light', 'dark'] as const)
      .filter((value) => value !== theme.value)
      .map((value) => choice(theme, value, 'accounts.account.theme', `frame.themes.${value}`)),
    digits.value === 'arab'
      ? choice(digits, 'latn', 'accounts.account.digits', { name: '0123' })
      : choice(digits, 'arab', 'accounts.account.digits', { name: '٠١٢٣' }),
    zone.value === 'utc'
      ? choice(zone, 'local', 'accounts.account.zone', 'frame.zones.local')
      : choice(zone, 'utc', 'accounts.account.zone', { name: 'UTC' }),
  ]
  return [
    ...makers,
    ...(newSensor !== undefined && isAllowed(newSensor)
      ? [
          {
            id: 'sensors.fromCsv',
            icon: 'upload' as const,
            label: t('sensors.fromCsv'),
            words: inOther('sensors.fromCsv', 'sensors.title'),
            run: () => navigate('/sensors/new?from=csv'),
          },
        ]
      : []),
    ...(sensorList !== undefined && isAllowed(sensorList) ? states : []),
    ...choices,
    {
      id: 'signOut',
      icon: 'signOut',
      label: t('frame.signOut'),
      words: inOther('frame.signOut'),
      run: () => void signOut(),
    },
  ]
}

export const enterpriseEntry = ({ id, name }: { id: string; name: string }): Entry => ({
  id,
  label: name,
  detail: t('frame.enterprise'),
  words: inOther('frame.enterprise'),
  icon: 'enterprise',
  run: () => chooseOwner(id),
})

/** The catalogue is loaded when somebody types for the first time, and its code with it. */
export async function findTools(wanted: string): Promise<Entry[]> {
  if (ownerId.peek() === undefined) return []
  const [{ loadCatalogue, shownIn }, { findTools: find }] = await Promise.all([
    import('../features/tools/data/catalogue.ts'),
    import('../features/tools/data/search.ts'),
  ])
  return find(await loadCatalogue(), wanted)
    .slice(0, FOUND)
    .map((tool) => ({
      id: tool.id,
      icon: 'tool',
      label: shownIn(tool).title,
      detail: t('tools.tool'),
      run: () => navigate(href('/tools/:process', { process: tool.id }).slice('/portal'.length)),
    }))
}

/** Channels open the list of sensors, sorted by their values. The code of the list's columns is loaded with them. */
async function findChannels(q: string, signal: AbortSignal): Promise<Entry[]> {
  const [{ items }, { columnId }, { channelName }] = await Promise.all([
    dataOf(api.GET('/enterprise/v1/assets/channels', { params: { query: { q, limit: FOUND } }, signal })),
    import('../features/sensors/list/channels.tsx'),
    import('../features/sensors/list/conditions.ts'),
  ])
  return items.map(({ channel }) => {
    const columns = ['state', 'name', 'asset', columnId(channel), 'lastAt'].join(',')
    return {
      id: channel,
      label: channel,
      detail: t('sensors.values.channel'),
      icon: 'activity',
      run: () => navigate(`/sensors?${new URLSearchParams({ columns, sort: channelName(channel) })}`),
    }
  })
}

/** Firing alerts by the names of their rules and sensors. */
async function findAlerts(q: string, signal: AbortSignal): Promise<Entry[]> {
  const { loadAlerts } = await import('../features/alerts/alert-data.ts')
  const { items } = await loadAlerts({ state: 'firing' }, { limit: SEARCHED_ALERTS }, signal)
  return items
    .map(
      ({ id, ruleName, sensorName, severity }): Entry => ({
        id,
        label: ruleName ?? t('alerts.deletedRule'),
        detail: sensorName ?? t('alerts.deletedSensor'),
        words: `${t(`alerts.severities.${severity}`)} ${t('alerts.page')} ${inOther('alerts.page')}`,
        icon: 'bell',
        run: () => navigate(href('/alerts/:id', { id }).slice('/portal'.length)),
      }),
    )
    .filter((entry) => matches(entry, q))
    .slice(0, FOUND)
}

/** Sensors, channels and alerts; one of them is enough if the others cannot be loaded. */
export async function findInEnterprise(enterprise: string, q: string, signal: AbortSignal): Promise<Entry[]> {
  const found = await Promise.allSettled([
    findSensors(enterprise, q, signal),
    findChannels(q, signal),
    findAlerts(q, signal),
  ])
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

async function findSensors(enterprise: string, q: string, signal: AbortSignal): Promise<Entry[]> {
  const { items } = await dataOf(
    api.GET('/manage/v1/enterprises/{id}/sensors', {
      params: { path: { id: enterprise }, query: { q, limit: FOUND } },
      signal,
    }),
  )
  return items.map(({ id, name }) => ({
    id,
    label: name,
    detail: id,
    icon: 'sensor',
    run: () => navigate(href('/sensors/:id', { id }).slice('/portal'.length)),
  }))
}

/** All enterprises are an operator's; only the first of them are in the menu. */
export async function findEnterprises(q: string, signal: AbortSignal): Promise<Entry[]> {
  if (!isOperator.peek()) return []
  const { items } = await dataOf(
    api.GET('/manage/v1/operator/enterprises', { params: { query: { q, limit: FOUND } }, signal }),
  )
  return items.map(enterpriseEntry)
}
