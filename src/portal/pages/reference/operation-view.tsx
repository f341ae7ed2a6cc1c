/** One operation: what it does, an example that runs, its parameters, body and answers. */
import { signal } from '@preact/signals'
import { type Resource, useResource } from '../../api/resource.ts'
import { Code, type Snippet } from '../../parts/key-box.tsx'
import { PlainTable } from '../../parts/plain-table.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { may } from '../../session.ts'
import { t } from '../../text/text.ts'
import { loadProcess } from '../../tools/catalogue.ts'
import { snippetsOf } from './call-snippets.ts'
import { bodyOf, type Field, fieldsOf, type Operation, parametersOf, resultOf, titleOf, wordsOf } from './document.ts'
import { exampleOf } from './example.ts'
import { type Choices, OwnThingsForm, ownThings } from './own-things.tsx'
import { toolFields } from './tool-fields.ts'

const chosenLanguage = signal<Snippet['language']>('curl')

export function OperationView({ operation, choices }: { operation: Operation; choices: Resource<Choices> }) {
  const { method, path, description = '', security = [], responses = {}, arabicTexts } = operation
  const { text, ...direction } = titleOf(operation)
  const schemes = new Set(security.flatMap((one) => Object.keys(one)))
  return (
    <article class="stack reference-operation" aria-labelledby="operation">
      <header>
        <h2 id="operation" {...direction}>
          {text}
        </h2>
        <p dir="ltr" class="reference-path">
          <Method method={method} /> <code>{path}</code>
        </p>
      </header>
      {operation.arabic?.description !== undefined ? (
        <Description text={operation.arabic.description} />
      ) : (
        description !== '' && <Description text={description} lang="en" />
      )}
      {choices.data.value === undefined && choices.error.value === undefined ? (
        <Skeleton lines={5} />
      ) : (
        <Example operation={operation} choices={choices.data.value} schemes={schemes} />
      )}
      <AllFields key={operation.id} operation={operation} />
      <section class="stack" aria-labelledby="answers">
        <h3 id="answers">{t('reference.answers')}</h3>
        <dl class="reference-answers">
          {Object.entries(responses).map(([status, { description: english = '' }]) => {
            const { text, ...direction } = wordsOf(english, arabicTexts?.get(english))
            return (
              <div key={status}>
                <dt class="number">{status}</dt>
                <dd {...direction}>
                  <Inline text={text} />
                </dd>
              </div>
            )
          })}
        </dl>
      </section>
    </article>
  )
}

/** Without choices, because they could not be loaded, words stand in the place of ids. */
function Example(props: { operation: Operation; choices: Choices | undefined; schemes: ReadonlySet<string> }) {
  const { operation, choices, schemes } = props
  const snippets = snippetsOf(exampleOf(operation, ownThings(choices)))
  const snippet = snippets.find(({ language }) => language === chosenLanguage.value) ?? snippets[0]
  return (
    <section class="stack" aria-label={t('reference.example')}>
      {choices !== undefined && <OwnThingsForm choices={choices} security={schemes} path={operation.path} />}
      {schemes.has('operatorToken') && !may.value.operate && <p class="weak">{t('reference.sessionOnly')}</p>}
      <Tabs
        label={t('reference.example')}
        tabs={snippets.map(({ language }) => ({ id: language, label: language }))}
        selected={snippet?.language ?? 'curl'}
        onSelect={(id) => {
          chosenLanguage.value = id as Snippet['language']
        }}
      />
      {snippet && <Code text={snippet.code} />}
    </section>
  )
}

export function Method({ method }: { method: string }) {
  return <span class={`reference-method reference-${method.toLowerCase()}`}>{method}</span>
}

/** Paragraphs of Markdown with code in backticks, which is all that the descriptions use. */
function Description({ text, lang }: { text: string; lang?: 'en' }) {
  return (
    <div {...(lang === 'en' && { lang, dir: 'ltr' as const })} class="reference-text">
      {text.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph}>
          <Inline text={paragraph} />
        </p>
      ))}
    </div>
  )
}

function Inline({ text }: { text: string }) {
  return (
    <>
      {text.split('`').map((part, i) =>
        // every second part stood between backticks
        i % 2 === 1 ? (
          <code key={`${i} ${part}`} dir="ltr">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </>
  )
}

/** Of a tool, in Arabic, only when its texts have come. Who may not run it sees the English ones. */
function AllFields({ operation }: { operation: Operation }) {
  const { document, arabic, arabicTexts } = operation
  const processId = arabic?.processId
  const { data, error } = useResource(
    async () => (processId === undefined ? undefined : toolFields(operation, await loadProcess(processId))),
    [processId],
  )
  if (processId !== undefined && data.value === undefined && error.value === undefined) return <Skeleton lines={8} />
  // what was loaded stays when the language changes to English
  const texts = new Map([...(arabicTexts ?? []), ...((processId !== undefined && data.value) || [])])
  const body = bodyOf(operation)
  return (
    <>
      <Fields title={t('reference.parameters')} fields={parametersOf(operation)} texts={texts} />
      <Fields
        title={body?.kind === 'json' ? t('reference.jsonBody') : t('reference.formBody')}
        fields={fieldsOf(body?.schema, document)}
        texts={texts}
      />
      <Fields title={t('reference.result')} fields={fieldsOf(resultOf(operation), document)} texts={texts} />
    </>
  )
}

function Fields({ title, fields, texts }: { title: string; fields: Field[]; texts: ReadonlyMap<string, string> }) {
  if (fields.length === 0) return null
  return (
    <section class="stack" aria-label={title}>
      <h3>{title}</h3>
      <PlainTable label={title} kind="reference-fields">
        <thead>
          <tr>
            <th scope="col">{t('reference.field')}</th>
            <th scope="col">{t('reference.type')}</th>
            <th scope="col">{t('reference.meaning')}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <FieldRow key={field.path} field={field} arabic={texts.get(field.description)} />
          ))}
        </tbody>
      </PlainTable>
    </section>
  )
}

function FieldRow({ field, arabic }: { field: Field; arabic: string | undefined }) {
  const { name, type, isRequired, description, depth } = field
  const { text, ...direction } = wordsOf(description, arabic)
  return (
    <tr style={{ '--depth': depth }}>
      <th scope="row">
        <code dir="ltr">{name}</code>
        {isRequired && <span class="reference-required"> {t('reference.required')}</span>}
      </th>
      <td>
        <code class="weak" dir="ltr">
          {type}
        </code>
      </td>
      <td {...(text !== '' && direction)}>
        <Inline text={text} />
      </td>
    </tr>
  )
}
