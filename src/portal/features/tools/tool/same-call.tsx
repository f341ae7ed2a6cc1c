/** The call that the form makes, as a command and as programs, with the real address and key. */
import { useState } from 'preact/hooks'
import { api, dataOf, send } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { href } from '../../../shell/router.ts'
import { enterpriseId, may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Snippets } from '../../account/key-box.tsx'
import { callSnippets } from '../data/call-snippets.ts'
import type { RunState } from '../data/run-tool.ts'
import { acceptOf } from '../process-form/accepted-files.ts'
import { isFile, type ProcessDescription } from '../process-form/process.ts'
import { type ChosenFile, type FormContent, type FormFiles, isRequired, isUsed } from '../process-form/values.ts'

/** Maximum number of applications that are searched for a key. */
const MAX_APPLICATIONS = 100

export function SameCall(props: { process: ProcessDescription; content: FormContent; state: RunState | undefined }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="same-call" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('tools.sameCall')}</summary>
      {isOpen && <Call {...props} />}
    </details>
  )
}

type StoredInputs = { key: string; field: string; filename: string }[]

function Call({
  process,
  content,
  state,
}: {
  process: ProcessDescription
  content: FormContent
  state: RunState | undefined
}) {
  const enterprise = enterpriseId.value
  const [usesStored, setUsesStored] = useState(false)
  const runId = state?.phase === 'done' ? state.answer.usage.runId : undefined
  const publicKey = useResource(() => publicKeyOf(enterprise, process.id), [enterprise, process.id])
  const inputs = useResource(() => inputsOfRun(runId), [runId])
  if (enterprise === undefined) return <p>{t('tools.callNeedsEnterprise')}</p>

  const stored = storedFiles(process, inputs.data.value ?? [])
  const files = usesStored && stored !== undefined ? stored : withExamples(process, content)
  const keys = {
    publicKey: publicKey.data.value ?? 'YOUR_PUBLIC_KEY',
    secretKey: 'YOUR_SECRET_KEY',
  }
  return (
    <div class="stack">
      <p class="weak">
        {publicKey.data.value === undefined ? t('tools.fillInKeys') : t('tools.fillInSecret')}{' '}
        {may.value.administer && <a href={href('/settings/applications')}>{t('tools.applications')}</a>}
      </p>
      {stored !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={usesStored}
            onChange={(event) => setUsesStored(event.currentTarget.checked)}
          />
          <span>{t('tools.useStored')}</span>
        </label>
      )}
      <Snippets label={t('frame.commands')} snippets={callSnippets(process, { ...content, files }, keys)} />
    </div>
  )
}

/** The newest key of an application that may run the tool. Members may not read keys; they insert their own. */
async function publicKeyOf(enterprise: string | undefined, process: string): Promise<string | undefined> {
  if (enterprise === undefined || !may.peek().administer) return undefined
  const { items } = await dataOf(
    api.GET('/manage/v1/enterprises/{id}/applications', {
      params: { path: { id: enterprise }, query: { limit: MAX_APPLICATIONS } },
    }),
  )
  const now = new Date().toISOString()
  return items
    .filter(({ tools }) => tools === 'all' || tools.includes(process))
    .flatMap(({ keys }) => keys.filter(({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt ?? now) >= now))
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0]?.publicKey
}

/** The stored files that a run read, which now have keys. */
async function inputsOfRun(runId: string | undefined): Promise<StoredInputs> {
  if (runId === undefined) return []
  const response = await send(`/enterprise/v1/gis/runs/${encodeURIComponent(runId)}`)
  const { data } = (await response.json()) as { data: { inputs: StoredInputs } }
  return data.inputs
}

/** @returns undefined for a tool without files, and before a run has stored them */
function storedFiles({ inputs }: ProcessDescription, stored: StoredInputs): FormFiles | undefined {
  const files: FormFiles = {}
  for (const { key, field, filename } of stored) {
    // the files of a list are named by their positions
    const name = field.split('.')[0] ?? field
    if (inputs[name] !== undefined)
      files[name] = [...(files[name] ?? []), { kind: 'stored', id: key, key, name: filename }]
  }
  return stored.length === 0 ? undefined : files
}

/** If no file was chosen yet, an example name of the right kind is used. */
function withExamples(process: ProcessDescription, { values, files = {} }: FormContent): FormFiles {
  const examples = Object.entries(process.inputs).flatMap(([field, input]): [string, ChosenFile[]][] => {
    if (!isFile(input) || !isRequired(input) || !isUsed(process, field, values)) return []
    if ((files[field] ?? []).length > 0) return []
    const ending = acceptOf(input.schema.contentMediaType ?? '').accept.split(',')[0] ?? ''
    return [
      [
        field,
        Array.from({ length: Math.max(1, input.minOccurs) }, (_, i) => {
          const name = `${input.maxOccurs > 1 ? `${field}-${i + 1}` : field}${ending.startsWith('.') ? ending : '.png'}`
          return { kind: 'local', id: name, name, file: new File([], name) }
        }),
      ],
    ]
  })
  return { ...files, ...Object.fromEntries(examples) }
}
