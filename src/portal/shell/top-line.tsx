/** The line above every page: enterprise, search and commands, and the person's own menu. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { t } from '../text/text.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { openPalette, Palette } from './palette.tsx'
import { digits, language, theme, zone } from './preferences.ts'
import { href } from './router.ts'
import {
  account,
  chooseOwner,
  enterpriseId,
  isOperator,
  memberships,
  ownerId,
  personId,
  session,
  signOut,
} from './session.ts'

type Named = { id: string; name: string }
/** The operator opens any enterprise; the first hundred and the open one are in the menu, all are in the search. */
const operatorEnterprises = signal<Named[]>([])
const IN_MENU = 100

export function TopLine() {
  return (
    <header class="top">
      <Enterprises />
      <button type="button" class="top-search" onClick={openPalette}>
        <Icon name="search" />
        <span>{t('frame.search')}</span>
        <kbd dir="ltr">Ctrl K</kbd>
      </button>
      <Appearance />
      <Account />
      <Palette enterprises={enterprises()} />
    </header>
  )
}

function enterprises(): Named[] {
  const own = memberships.value.map((membership) => ({ id: membership.enterpriseId, name: membership.enterpriseName }))
  const rest = operatorEnterprises.value.filter(({ id }) => !own.some((one) => one.id === id))
  const person = personId.value === undefined ? [] : [{ id: personId.value, name: t('frame.ownThings') }]
  return [...own, ...rest, ...person]
}

function Enterprises() {
  const listed = useResource(async () => {
    if (!isOperator.value) return []
    const { items } = await dataOf(api.GET('/manage/v1/enterprises', { params: { query: { limit: IN_MENU } } }))
    const first = items.map(({ id, name }) => ({ id, name }))
    const open = enterpriseId.value
    if (open === undefined || first.some(({ id }) => id === open)) return first
    try {
      const { name } = await dataOf(api.GET('/manage/v1/enterprises/{id}', { params: { path: { id: open } } }))
      return [...first, { id: open, name }]
    } catch {
      // it was deleted meanwhile, and the list is complete without it
      return first
    }
    // the session is loaded again when an enterprise was made, renamed or deleted
  }, [session.value, isOperator.value && enterpriseId.value])
  useEffect(() => {
    operatorEnterprises.value = listed.data.value ?? []
    const [first] = enterprises()
    if (ownerId.peek() === undefined && first !== undefined) chooseOwner(first.id)
  }, [listed.data.value])

  const all = enterprises()
  const current = all.find(({ id }) => id === ownerId.value)
  if (all.length === 0) return <span class="top-enterprise" />
  return (
    <div class="top-enterprise">
      <Menu
        // the name that is shown is part of the accessible name (WCAG 2.5.3)
        label={current === undefined ? t('frame.enterprise') : `${t('frame.enterprise')}: ${current.name}`}
        align="start"
        button={
          <>
            <Icon name="enterprise" />
            <bdi class="cut">{current?.name ?? t('frame.chooseEnterprise')}</bdi>
            <Icon name="down" />
          </>
        }
        items={all.map(({ id, name }) => ({
          label: <bdi>{name}</bdi>,
          isChecked: id === ownerId.value,
          onSelect: () => chooseOwner(id),
        }))}
      />
    </div>
  )
}

/** Language, theme, digits and zone. The word "English" stays English, so that it can be found. */
function Appearance() {
  const choice = <V extends string>(setting: { value: V }, value: V, label: string): MenuItem => ({
    label,
    isChecked: setting.value === value,
    onSelect: () => {
      setting.value = value
    },
  })
  return (
    <Menu
      label={t('frame.appearance')}
      button={<Icon name="language" size={18} />}
      items={[
        choice(language, 'en', 'English'),
        choice(language, 'ar', 'العربية'),
        'line',
        choice(digits, 'latn', '0123'),
        choice(digits, 'arab', '٠١٢٣'),
        'line',
        choice(theme, 'auto', t('frame.themes.auto')),
        choice(theme, 'light', t('frame.themes.light')),
        choice(theme, 'dark', t('frame.themes.dark')),
        'line',
        choice(zone, 'local', t('frame.zones.local')),
        choice(zone, 'utc', 'UTC'),
      ]}
    />
  )
}

function Account() {
  return (
    <Menu
      label={t('frame.account')}
      button={<Icon name="account" size={18} />}
      items={[
        { label: <bdi>{account.value?.email}</bdi>, icon: 'account', onSelect: href('/account') },
        'line',
        { label: t('frame.signOut'), icon: 'signOut', onSelect: () => void signOut() },
      ]}
    />
  )
}
