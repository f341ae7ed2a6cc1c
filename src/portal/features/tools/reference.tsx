/** The reference of the API, made from its own description, with examples that use the person's own ids. */
import { send } from '../../api/client.ts'
import { type Resource, useResource } from '../../api/resource.ts'
import { language } from '../../shell/preferences.ts'
import { href, place, queryValue } from '../../shell/router.ts'
import { enterpriseId, may, ownerId } from '../../shell/session.ts'
import type { TextKey } from '../../text/catalogue.ts'
import { formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { snippetsOf } from '../../ui/snippets.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { Snippets } from '../account/key-box.tsx'
import { loadCatalogue, loadProcess } from './data/catalogue.ts'
import {
  bodyOf,
  FAILURES,
  type Field,
  fieldsOf,
  matches,
  type OpenApi,
  type Operation,
  operationsOf,
  parametersOf,
  processIdOf,
  resultOf,
  toolFields,
  wordsOf,
} from './reference/document.ts'
import { type Choices, exampleOf, kindOf, loadChoices, OwnThingsForm } from './reference/example.tsx'

async function load(signal: AbortSignal): Promise<Operation[]> {
  const read = async (path: string) => (await (await send(path, { signal })).json()) as OpenApi
  const operations = operationsOf(
    ...(await Promise.all([read('/openapi.json'), read('/enterprise/v1/gis/openapi.json')])),
  )
  if (language.peek() === 'en') return operations
  // people who may run no tools see their English titles
  const tools = new Map((await loadCatalogue().catch(() => [])).map(({ id, ar }) => [id, ar]))
  return operations.map((operation) => ({ ...operation, arabic: tools.get(processIdOf(operation) ?? '') }))
}

export function ReferencePage() {
  // owners may use different tools, and an operator's enterprise is chosen after the page has begun to load
  const reference = useResource(load, [language.value, ownerId.value])
  return (
    <>
      <PageHead title={t('reference.title')}>
        <a class="button" href="/docs">
          {t('frame.docs')}
        </a>
      </PageHead>
      <Loaded resource={reference} lines={14}>
        {(operations) => <Reference operations={operations} />}
      </Loaded>
    </>
  )
}

function Reference({ operations }: { operations: Operation[] }) {
  const choices = useResource(loadChoices, [enterpriseId.value, ownerId.value])
  const q = queryValue('q')?.trim() ?? ''
  // routes for the operator would only distract other people
  const visible = operations.filter(({ path }) => may.value.operate || !/^\/manage\/v1\/operators?(\/|$)/.test(path))
  const found = q === '' ? visible : visible.filter((operation) => matches(operation, q))
  const shown = visible.find(({ id }) => id === (queryValue('op') ?? 'POST /sensors/{id}/readings')) ?? found[0]
  return (
    <div class="reference">
      <nav class="reference-list" aria-label={t('reference.title')}>
        <SearchField label={t('reference.search')} />
        {[...Map.groupBy(found, ({ tag }) => tag)].map(([tag, own]) => (
          <details key={tag} open={q !== '' || tag === shown?.tag}>
            <summary>
              {t(`reference.tags.${tag}` as TextKey)} <span class="weak number">{formatWhole(own.length)}</span>
            </summary>
            {own.map(({ id, method, summary = '', arabic }) => {
              const { text, ...direction } = wordsOf(summary, arabic?.title)
              // search and chosen ids stay
              const address = href('/reference', {}, { ...Object.fromEntries(place.value.query), op: id })
              return (
                <a key={id} href={address} aria-current={id === shown?.id} title={id} {...direction}>
                  <span class="reference-method">{method}</span> <span class="cut">{text}</span>
                </a>
              )
            })}
          </details>
        ))}
        {found.length === 0 && <p>{t('frame.nothingFound')}</p>}
      </nav>
      {shown !== undefined && <OperationView key={shown.id} operation={shown} choices={choices} />}
    </div>
  )
}

/** It may be below the list, where the screen is narrow, or above the scroll position of the previous operation. */
const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

function OperationView({ operation, choices }: { operation: Operation; choices: Resource<Choices> }) {
  const { method, path, summary = '', description = '', arabic } = operation
  const { text: title, ...direction } = wordsOf(summary, arabic?.title)
  const about = wordsOf(description, arabic?.description)
  const own = choices.data.value
  return (
    <article class="stack reference-operation" aria-labelledby="operation">
      <h2 id="operation" ref={intoView} {...direction}>
        {title}
      </h2>
      <p>
        <bdi dir="ltr">
          <span class="reference-method">{method}</span> <code>{path}</code>
        </bdi>
      </p>
      {about.text.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph} lang={about.lang} dir={about.dir}>
          <Inline text={paragraph} />
        </p>
      ))}
      {own === undefined && choices.error.value === undefined ? (
        <Skeleton lines={5} />
      ) : (
        <section class="stack" aria-label={t('frame.commands')}>
          {own !== undefined && <OwnThingsForm choices={own} operation={operation} />}
          {kindOf(operation) === 'operator' && !may.value.operate && <p class="weak">{t('reference.sessionOnly')}</p>}
          <Snippets label={t('frame.commands')} snippets={snippetsOf(exampleOf(operation, own))} />
        </section>
      )}
      <AllFields operation={operation} />
    </article>
  )
}

/** Code in backticks is the only Markdown in the descriptions: every second part was between backticks. */
const Inline = ({ text }: { text: string }) => (
  <span>{text.split('`').map((part, i) => (i % 2 === 1 ? <code dir="ltr">{part}</code> : part))}</span>
)

/** A tool's description in Arabic, once it is loaded. People who may not run the tool see the English one. */
function AllFields({ operation }: { operation: Operation }) {
  const { document, arabic, responses = {} } = operation
  const { data, error } = useResource(
    async () => (arabic === undefined ? undefined : toolFields(operation, await loadProcess(arabic.id))),
    [arabic?.id],
  )
  if (arabic !== undefined && data.value === undefined && error.value === undefined) return <Skeleton lines={8} />
  const texts = arabic === undefined ? undefined : data.value
  const body = bodyOf(operation)
  const answers = Object.entries(responses).map(([status, { description = '' }]) => ({
    name: status,
    path: status,
    type: '',
    isRequired: false,
    depth: 0,
    description,
  }))
  return (
    <>
      <Fields title={t('reference.parameters')} fields={parametersOf(operation)} texts={texts} />
      <Fields
        title={t('reference.body', { type: body?.type ?? '' })}
        fields={fieldsOf(body?.schema ?? {}, document)}
        texts={texts}
      />
      <Fields title={t('reference.result')} fields={fieldsOf(resultOf(operation), document)} texts={texts} />
      <Fields title={t('reference.answers')} fields={answers} texts={language.value === 'ar' ? FAILURES : undefined} />
    </>
  )
}

function Fields(props: { title: string; fields: Field[]; texts: ReadonlyMap<string, string> | undefined }) {
  const { title, fields, texts } = props
  if (fields.length === 0) return null
  return (
    <section class="stack" aria-label={title}>
      <h3>{title}</h3>
      <PlainTable
        label={title}
        kind={`reference-fields ${ROWS_ON_PHONE}`}
        rows={fields.map((field) => ({ ...field, ...wordsOf(field.description, texts?.get(field.description)) }))}
        keyOf={({ path }) => path}
        attributesOf={({ depth }) => ({ style: { '--depth': depth } })}
        columns={[
          [
            t('keys.name'),
            ({ name, isRequired }) => (
              <>
                <code dir="ltr">{name}</code> {isRequired && <span class="weak">{t('reference.required')}</span>}
              </>
            ),
            { isName: true },
          ],
          [t('figures.type'), ({ type }) => type !== '' && <code dir="ltr">{type}</code>],
          [
            t('reference.meaning'),
            ({ text }) => text !== '' && <Inline text={text} />,
            { kind: 'wraps', attributes: ({ text, dir, lang }) => (text === '' ? {} : { dir, lang }) },
          ],
        ]}
      />
    </section>
  )
}
