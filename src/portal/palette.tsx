/** Search and commands (Ctrl or ⌘ K): any page, sensor, enterprise or action by name, in either language. */
import { computed, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api, dataOf } from './api/client.ts'
import { isAllowed } from './frame-access.ts'
import { Icon, type IconName } from './parts/icon.tsx'
import { language } from './preferences.ts'
import { href, navigate } from './router.ts'
import { ROUTES } from './routes.ts'
import { chooseOwner, enterpriseId, ownerId } from './session.ts'
import { plain } from './text/plain.ts'
import { t } from './text/text.ts'

type Entry = { id: string; label: string; detail?: string; icon: IconName; run: () => void }

const isOpen = signal(false)
const query = signal('')
const selected = signal(0)
const sensors = signal<Entry[]>([])
const tools = signal<Entry[]>([])

export function openPalette(): void {
  query.value = ''
  selected.value = 0
  sensors.value = []
  tools.value = []
  isOpen.value = true
}

const close = (): void => {
  isOpen.value = false
}

const pages = computed<Entry[]>(() =>
  ROUTES.filter((route) => !route.path.includes(':') && route.isPublic !== true && isAllowed(route)).map((route) => ({
    id: route.path,
    label: t(route.title),
    detail: route.path,
    icon: route.navigation?.icon ?? 'forward',
    run: () => navigate(route.path),
  })),
)

const actions = computed<Entry[]>(() => [
  {
    id: 'language',
    label: language.value === 'ar' ? 'English' : 'العربية',
    detail: 'language',
    icon: 'language',
    run: () => {
      language.value = language.value === 'ar' ? 'en' : 'ar'
    },
  },
])

const FOUND_SENSORS = 8
const FOUND_TOOLS = 8
const TYPING_MS = 120

export function Palette({ enterprises }: { enterprises: { id: string; name: string }[] }) {
  const input = useRef<HTMLInputElement>(null)
  const dialog = useRef<HTMLDialogElement>(null)

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      openPalette()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (!isOpen.value) return
    dialog.current?.showModal()
    input.current?.focus()
  }, [isOpen.value])
  useEffect(() => {
    const wanted = query.value.trim()
    if (wanted === '' || ownerId.value === undefined) {
      tools.value = []
      return
    }
    findToolEntries(wanted).then(
      (found) => {
        if (query.peek().trim() === wanted) tools.value = found
      },
      // the pages can still be found
      () => undefined,
    )
  }, [query.value, ownerId.value, language.value])
  useEffect(() => {
    const wanted = query.value.trim()
    const enterprise = enterpriseId.value
    if (wanted === '' || enterprise === undefined) {
      sensors.value = []
      return
    }
    const abort = new AbortController()
    const timer = setTimeout(() => {
      findSensors(enterprise, wanted, abort.signal).then(
        (found) => {
          sensors.value = found
        },
        // the pages can still be found
        () => undefined,
      )
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [query.value])

  if (!isOpen.value) return null
  const wanted = plain(query.value.trim())
  const matches = ({ label, detail = '' }: Entry): boolean => plain(`${label} ${detail}`).includes(wanted)
  const switches = enterprises.map(
    ({ id, name }): Entry => ({
      id,
      label: name,
      detail: t('frame.enterprise'),
      icon: 'enterprise',
      run: () => chooseOwner(id),
    }),
  )
  const entries = [
    ...pages.value.filter(matches),
    ...tools.value,
    ...sensors.value,
    ...switches.filter(matches),
    ...actions.value.filter(matches),
  ]
  const at = Math.min(selected.value, entries.length - 1)

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      selected.value = entries.length === 0 ? 0 : (at + step + entries.length) % entries.length
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(entries[at])
    }
  }
  function choose(entry: Entry | undefined): void {
    if (entry === undefined) return
    close()
    entry.run()
  }

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t('frame.search')}
      onCancel={close}
      onClick={(event) => event.target === dialog.current && close()}
      onKeyDown={onKeyDown}
    >
      <input
        ref={input}
        type="search"
        dir="auto"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={at >= 0 ? `palette-${at}` : undefined}
        aria-label={t('frame.search')}
        placeholder={t('frame.searchHint')}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value
          selected.value = 0
        }}
      />
      <div id="palette-list" class="palette-list" role="listbox" aria-label={t('frame.search')}>
        {entries.map((entry, i) => (
          <button
            key={`${entry.icon} ${entry.id}`}
            id={`palette-${i}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onClick={() => choose(entry)}
          >
            <Icon name={entry.icon} />
            <bdi class="cut">{entry.label}</bdi>
            {entry.detail && (
              <span class="weak" dir="auto">
                {entry.detail}
              </span>
            )}
          </button>
        ))}
        {entries.length === 0 && <p class="weak">{t('frame.nothingFound')}</p>}
      </div>
    </dialog>
  )
}

/** The catalogue is loaded when somebody types for the first time, and its code with it. */
async function findToolEntries(wanted: string): Promise<Entry[]> {
  const [{ loadCatalogue, shownIn }, { findTools }] = await Promise.all([
    import('./tools/catalogue.ts'),
    import('./tools/search.ts'),
  ])
  return findTools(await loadCatalogue(), wanted)
    .slice(0, FOUND_TOOLS)
    .map((tool) => ({
      ...{ id: tool.id, icon: 'tool', label: shownIn(tool).title, detail: t('tools.tool') },
      run: () => navigate(href('/tools/:process', { process: tool.id }).slice('/portal'.length)),
    }))
}

async function findSensors(enterprise: string, q: string, signal: AbortSignal): Promise<Entry[]> {
  const { items } = await dataOf(
    api.GET('/manage/v1/enterprises/{id}/sensors', {
      params: { path: { id: enterprise }, query: { q, limit: FOUND_SENSORS } },
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
