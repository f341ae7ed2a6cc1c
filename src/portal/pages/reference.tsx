/** The reference of the API, made from its own descriptions, with examples that name the person's own things. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { send } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Loaded } from '../parts/states.tsx'
import { language } from '../preferences.ts'
import { href, place, queryValue } from '../router.ts'
import { may } from '../session.ts'
import { formatWhole } from '../text/format.ts'
import { t } from '../text/text.ts'
import { loadCatalogue } from '../tools/catalogue.ts'
import { type Arabic, matches, type OpenApi, type Operation, operationsOf, titleOf } from './reference/document.ts'
import { Method, OperationView } from './reference/operation-view.tsx'
import { useChoices } from './reference/own-things.tsx'

const DOCUMENTS = ['/openapi.json', '/enterprise/v1/gis/openapi.json']

type Tag = { name: string; title: string; isEnglish: boolean }
type Documented = { tags: Tag[]; operations: Operation[] }

type ArabicTexts = {
  /** Titles and descriptions of operations by the English titles; the tools bring theirs. */
  titles: Map<string, Arabic>
  tags: Readonly<Record<string, string>>
  /** Of parameters, fields and answers, by the English ones; the tools bring theirs when they are shown. */
  descriptions: Map<string, string>
}

async function loadArabic(): Promise<ArabicTexts> {
  const [{ ARABIC_TAGS, ARABIC_TITLES }, about, aboutManaging, fields, answers, tools] = await Promise.all([
    import('./reference/arabic-titles.ts'),
    import('./reference/arabic-descriptions.ts'),
    import('./reference/arabic-manage-descriptions.ts'),
    import('./reference/arabic-fields.ts'),
    import('./reference/arabic-answers.ts'),
    // who may run no tools sees their English titles
    loadCatalogue().catch(() => []),
  ])
  const titles = new Map<string, Arabic>(
    Object.entries(ARABIC_TITLES).map(([title, arabic]) => {
      const description = about.ARABIC_DESCRIPTIONS[title] ?? aboutManaging.ARABIC_MANAGE_DESCRIPTIONS[title]
      return [title, { title: arabic, ...(description !== undefined && { description }) }]
    }),
  )
  for (const { id, en, ar } of tools)
    titles.set(en.title, { title: ar.title, description: ar.description, processId: id })
  const descriptions = new Map(Object.entries({ ...fields.ARABIC_FIELDS, ...answers.ARABIC_ANSWERS }))
  return { titles, tags: ARABIC_TAGS, descriptions }
}

async function load(signal: AbortSignal): Promise<Documented> {
  const documents = await Promise.all(
    DOCUMENTS.map(async (path) => (await (await send(path, { signal })).json()) as OpenApi),
  )
  const names = documents[0]?.tags?.map(({ name }) => name) ?? []
  const operations = operationsOf(documents)
  if (language.peek() === 'en')
    return { tags: names.map((name) => ({ name, title: name, isEnglish: true })), operations }
  const { titles, tags, descriptions } = await loadArabic()
  return {
    tags: names.map((name) => ({ name, title: tags[name] ?? name, isEnglish: tags[name] === undefined })),
    operations: operations.map((one) => ({ ...one, arabic: titles.get(one.summary ?? ''), arabicTexts: descriptions })),
  }
}

const FIRST = 'POST /sensors/{id}/readings'

export function ReferencePage() {
  const reference = useResource(load, [language.value])
  return (
    <>
      <PageHead title={t('reference.title')}>
        <a class="button" href="/docs">
          <Icon name="external" />
          <span>{t('reference.public')}</span>
        </a>
      </PageHead>
      <Loaded resource={reference} lines={14}>
        {({ tags, operations }) => <Reference tags={tags} operations={operations} />}
      </Loaded>
    </>
  )
}

/** Routes for the operator would only distract the others. */
const isForOperator = ({ path }: Operation): boolean => /^\/manage\/v1\/operators?(\/|$)/.test(path)

function Reference({ tags, operations }: Documented) {
  const choices = useChoices()
  const q = queryValue('q') ?? ''
  const asked = queryValue('op')
  const visible = useMemo(
    () => operations.filter((operation) => may.value.operate || !isForOperator(operation)),
    [operations, may.value.operate],
  )
  const found = useMemo(
    () => (q.trim() === '' ? visible : visible.filter((one) => matches(one, q.trim()))),
    [visible, q],
  )
  const shown = visible.find(({ id }) => id === (asked ?? FIRST)) ?? found[0]
  const view = useRef<HTMLDivElement>(null)
  useEffect(() => {
    view.current?.scrollTo({ top: 0 })
  }, [shown?.id])
  return (
    <div class={asked === undefined ? 'reference' : 'reference reference-chosen'}>
      <nav class="reference-list" aria-label={t('reference.operations')}>
        <SearchField label={t('reference.search')} />
        <p class="weak number" role="status">
          {t('reference.count', { count: found.length })}
        </p>
        {tags.map(({ name, title, isEnglish }) => {
          const own = found.filter((operation) => operation.tag === name)
          if (own.length === 0) return null
          return (
            <details key={name} open={q !== '' || own.some(({ id }) => id === shown?.id)}>
              <summary>
                <span {...(isEnglish && { lang: 'en' })}>{title}</span>{' '}
                <span class="weak number">{formatWhole(own.length)}</span>
              </summary>
              <ul>
                {own.map((operation) => (
                  <Entry key={operation.id} operation={operation} isShown={operation.id === shown?.id} />
                ))}
              </ul>
            </details>
          )
        })}
        {found.length === 0 && <p>{t('frame.nothingFound')}</p>}
      </nav>
      <div ref={view} class="reference-view">
        <a class="page-parent reference-back" href={addressOf(undefined)}>
          <Icon name="back" />
          <span>{t('reference.operations')}</span>
        </a>
        {shown !== undefined && <OperationView operation={shown} choices={choices} />}
      </div>
    </div>
  )
}

/** This page with another operation; search and chosen things stay. */
function addressOf(id: string | undefined): string {
  const { op: _, ...others } = Object.fromEntries(place.value.query)
  return href('/reference', {}, id === undefined ? others : { ...others, op: id })
}

function Entry({ operation, isShown }: { operation: Operation; isShown: boolean }) {
  const { id, method } = operation
  const { text, ...direction } = titleOf(operation)
  return (
    <li>
      <a href={addressOf(id)} aria-current={isShown ? 'true' : undefined} title={id} {...direction}>
        <Method method={method} />
        <span class="cut">{text}</span>
      </a>
    </li>
  )
}
