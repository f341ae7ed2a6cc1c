/** Search and commands (Ctrl or ⌘ K): any page, sensor, enterprise or action by name, in either language. */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../text/text.ts'
import { Icon } from '../ui/icon.tsx'
import {
  actionEntries,
  type Entry,
  enterpriseEntry,
  findEnterprises,
  findInEnterprise,
  findTools,
  loadOtherTexts,
  matches,
  pageEntries,
} from './palette-entries.ts'
import { language } from './preferences.ts'
import { enterpriseId, ownerId } from './session.ts'

const isOpen = signal(false)
const query = signal('')
/** The entry selected with the arrow keys, even when later results move it. The first entry by default. */
const chosen = signal('')
const sensors = signal<Entry[]>([])
const tools = signal<Entry[]>([])
const found = signal<Entry[]>([])

export function openPalette(): void {
  query.value = ''
  chosen.value = ''
  sensors.value = []
  tools.value = []
  found.value = []
  isOpen.value = true
  // without the other language, the words of this one still find everything
  loadOtherTexts().catch(() => undefined)
}

const close = (): void => {
  isOpen.value = false
}

const keyOf = ({ icon, id }: Entry): string => `${icon} ${id}`

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
    void findTools(wanted)
      // the pages can still be found
      .catch((): Entry[] => [])
      .then((entries) => {
        if (query.peek().trim() === wanted) tools.value = entries
      })
  }, [query.value, ownerId.value, language.value])
  useEffect(() => {
    const wanted = query.value.trim()
    const enterprise = enterpriseId.value
    if (wanted === '') {
      sensors.value = []
      found.value = []
      return
    }
    const abort = new AbortController()
    const show = (place: { value: Entry[] }, entries: Promise<Entry[]>): void =>
      void entries
        // the pages can still be found
        .catch((): Entry[] => [])
        .then((next) => {
          if (!abort.signal.aborted) place.value = next
        })
    const timer = setTimeout(() => {
      if (enterprise !== undefined) show(sensors, findInEnterprise(enterprise, wanted, abort.signal))
      show(found, findEnterprises(wanted, abort.signal))
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [query.value])
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen.value])

  if (!isOpen.value) return null
  const isFound = (entry: Entry): boolean => matches(entry, query.value.trim())
  const listed = enterprises.map(enterpriseEntry).filter(isFound)
  const entries = [
    ...pageEntries().filter(isFound),
    // before anything is typed, the pages are enough
    ...(query.value.trim() === '' ? [] : actionEntries().filter(isFound)),
    ...tools.value,
    ...sensors.value,
    ...listed,
    ...found.value.filter(({ id }) => !listed.some((one) => one.id === id)),
  ]
  const place = entries.findIndex((entry) => keyOf(entry) === chosen.value)
  const at = place >= 0 ? place : Math.min(0, entries.length - 1)

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      const next = entries[(at + step + entries.length) % entries.length]
      if (next !== undefined) chosen.value = keyOf(next)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(entries[at])
    }
  }
  function run(entry: Entry | undefined): void {
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
          chosen.value = ''
        }}
      />
      <div id="palette-list" class="palette-list" role="listbox" aria-label={t('frame.search')}>
        {entries.map((entry, i) => (
          <button
            key={keyOf(entry)}
            id={`palette-${i}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onClick={() => run(entry)}
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
