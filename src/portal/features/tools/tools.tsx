/** The tools of this owner: found by words of either language, by group, and by kind of input. */
import { useRef } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { language } from '../../shell/preferences.ts'
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { ownerId } from '../../shell/session.ts'
import { inDigits, t } from '../../text/text.ts'
import { Chips } from '../../ui/chips.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { GROUPS, type Group, loadCatalogue, prefetchProcess, shownIn, type ToolEntry } from './data/catalogue.ts'
import { creditsText, DataFlow } from './data/data-flow.tsx'
import { recentTools } from './data/recent.ts'
import { findTools } from './data/search.ts'

export function ToolsPage() {
  const catalogue = useResource(loadCatalogue, [ownerId.value])
  return (
    <>
      <PageHead title={t('tools.title')} />
      <Loaded resource={catalogue} lines={12}>
        {(tools) => <Catalogue tools={tools} />}
      </Loaded>
    </>
  )
}

/** The group of the address, if it is one. */
const groupInAddress = (): Group | undefined => GROUPS.find((group) => group === queryValue('group'))

function Catalogue({ tools }: { tools: readonly ToolEntry[] }) {
  const list = useRef<HTMLDivElement>(null)
  const text = queryValue('q') ?? ''
  const group = groupInAddress()
  const found = findTools(tools, text)
  const shown = found.filter((tool) => group === undefined || tool.group === group)
  const recent = recentTools().flatMap((id) => tools.find((tool) => tool.id === id) ?? [])
  const isPlain = text.trim() === '' && group === undefined

  /** Arrows move between the search and the tools, Enter in the search opens the first. */
  function onKeyDown(event: KeyboardEvent): void {
    const isSearch = event.target instanceof HTMLInputElement
    if (event.key === 'Enter' && isSearch && text.trim() !== '') {
      event.preventDefault()
      list.current?.querySelector<HTMLElement>('.tool-row')?.click()
      return
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const stops = [...(list.current?.querySelectorAll<HTMLElement>('input, .tool-row') ?? [])]
    const next = stops[stops.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1)]
    if (next === undefined) return
    event.preventDefault()
    next.focus()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move the focus between the links inside
    <div class="stack tools" ref={list} onKeyDown={onKeyDown}>
      <div class="tools-bar">
        <input
          type="search"
          dir="auto"
          aria-label={t('tools.search')}
          placeholder={t('tools.searchHint')}
          value={text}
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
        <Chips
          label={t('tools.groups')}
          chips={GROUPS.filter((one) => tools.some((tool) => tool.group === one)).map((one) => ({
            id: one,
            label: t(`tools.groupNames.${one}`),
            href: href('/tools', {}, { ...(text !== '' && { q: text }), ...(group !== one && { group: one }) }),
            isOn: group === one,
            count: found.filter((tool) => tool.group === one).length,
          }))}
        />
      </div>
      {isPlain && recent.length > 0 && <Section title={t('tools.recent')} tools={recent} />}
      {shown.length === 0 ? (
        <Empty title={t('tools.nothing')} text={t('tools.nothingText')}>
          <a class="button" href={href('/tools')}>
            {t('tools.showAll')}
          </a>
        </Empty>
      ) : text.trim() === '' ? (
        GROUPS.filter((one) => shown.some((tool) => tool.group === one)).map((one) => (
          <Section key={one} title={t(`tools.groupNames.${one}`)} tools={shown.filter((tool) => tool.group === one)} />
        ))
      ) : (
        <Section title={t('tools.found', { count: shown.length })} tools={shown} isSearch />
      )}
    </div>
  )
}

function Section({
  title,
  tools,
  isSearch = false,
}: {
  title: string
  tools: readonly ToolEntry[]
  isSearch?: boolean
}) {
  return (
    <section class="tools-group" aria-label={title}>
      <div role={isSearch ? 'status' : undefined}>
        <h2>{title}</h2>
      </div>
      <ul class="tools-list">
        {tools.map((tool) => (
          <li key={tool.id}>
            <ToolLink tool={tool} isSearch={isSearch} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ToolLink({ tool, isSearch }: { tool: ToolEntry; isSearch: boolean }) {
  const { title, description, svc } = shownIn(tool)
  const other = language.value === 'ar' ? 'en' : 'ar'
  function prefetch(): void {
    prefetchProcess(tool.id)
    // the code of the page, once
    void import('./tool.tsx')
  }
  return (
    <a
      class="tool-row"
      href={href('/tools/:process', { process: tool.id })}
      onPointerEnter={prefetch}
      onPointerDown={prefetch}
      onFocus={prefetch}
    >
      <span class="tool-name">
        {title}
        {isSearch && (
          <span class="weak" lang={other} dir="auto">
            {tool[other].title}
          </span>
        )}
      </span>
      <span class="tool-about weak">{inDigits(description)}</span>
      <span class="tool-facts weak">
        <DataFlow input={svc.input} output={svc.output} />
        <span class="number">{creditsText(svc.credits)}</span>
      </span>
    </a>
  )
}
