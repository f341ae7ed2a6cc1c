/** The input of a run, and its metadata. */
import { ApiError } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'
import { href } from '../../../shell/router.ts'
import { formatBytes, formatDay, formatExact, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { CopyButton } from '../../../ui/button.tsx'
import { DownloadButton, storedFileAddress } from '../../../ui/download.tsx'
import { loadProcess } from '../data/catalogue.ts'
import type { ProcessDescription, ProcessInput } from '../process-form/process.ts'
import { kindOf, type StoredFile } from '../result-view/file-kind.ts'
import type { RunDetail } from '../result-view/run-data.ts'
import { UseInTool } from '../result-view/use-in-tool.tsx'
import { durationText } from '../runs/run-columns.tsx'

export function RunFacts({ run, title }: { run: RunDetail; title: string }) {
  const who = run.applicationName ?? run.memberEmail
  const deletedMs = firstDeletion(run)
  return (
    <aside class="run-facts" aria-label={t('runs.about')}>
      <section>
        <h2>{t('runs.about')}</h2>
        <dl class="result-list">
          <Fact name={t('runs.tool')}>
            <span>{title}</span> <bdi class="weak number">{run.version}</bdi>
          </Fact>
          <Fact name={t('runs.started')}>
            <Age at={run.startedAt} />
          </Fact>
          <Fact name={t('runs.startedAt')}>
            <bdi>{formatExact(Date.parse(run.startedAt))}</bdi>
          </Fact>
          {run.durationMs !== null && <Fact name={t('runs.duration')}>{durationText(run.durationMs)}</Fact>}
          <Fact name={t('runs.credits')}>{formatWhole(run.creditsCharged)}</Fact>
          {who !== null && (
            <Fact name={t('runs.who')}>
              <bdi>{who}</bdi>
            </Fact>
          )}
          {run.folder !== null && (
            <Fact name={t('runs.folder')}>
              <a href={href('/runs', {}, { folder: run.folder })}>
                <bdi>{run.folder}</bdi>
              </a>
            </Fact>
          )}
          {deletedMs !== undefined && <Fact name={t('runs.filesDeleted')}>{formatDay(deletedMs)}</Fact>}
          <Fact name={t('runs.id')}>
            <CopyButton text={run.runId ?? ''}>{t('runs.copyId')}</CopyButton>
          </Fact>
        </dl>
      </section>
      <section>
        <h2>{t('runs.settings')}</h2>
        <Settings run={run} />
      </section>
      <section>
        <h2>{t('runs.inputs')}</h2>
        {run.inputs.length === 0 ? (
          <p class="weak">{t('runs.noInputs')}</p>
        ) : (
          <ul class="run-files">
            {(run.inputs as StoredFile[]).map((file) => (
              <li key={file.key}>
                <bdi>{file.filename}</bdi> <span class="weak number">{formatBytes(file.bytes)}</span>
                <div class="row">
                  <DownloadButton kind="quiet" address={storedFileAddress(file.key)} />
                  <UseInTool file={file} kind={kindOf(file)} />
                </div>
              </li>
            ))}
          </ul>
        )}
      </section>
    </aside>
  )
}

/** A deletion that is years away is not shown. */
const ANNOUNCED_MS = 366 * 86_400_000

/** When the first of its files is deleted. */
function firstDeletion({ inputs, artifacts }: RunDetail): number | undefined {
  const times = [...inputs, ...artifacts].map(({ expiresAt }) =>
    expiresAt === null ? Infinity : Date.parse(expiresAt),
  )
  const first = Math.min(...times)
  return first < Date.now() + ANNOUNCED_MS ? first : undefined
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The fields of the tool's form; none for a tool that this person can no longer use. */
async function inputsOf(process: string): Promise<Partial<ProcessDescription['inputs']>> {
  try {
    return (await loadProcess(process)).inputs
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) return {}
    throw error
  }
}

/** Labels as in the form. */
function Settings({ run: { processID, settings } }: { run: RunDetail }) {
  const inputs = useResource(() => inputsOf(processID), [processID, language.value])
  const entries = Object.entries(settings)
  if (entries.length === 0) return <p class="weak">{t('runs.noSettings')}</p>
  return (
    <dl class="result-list">
      {entries.map(([name, value]) => {
        const input = inputs.data.value?.[name]
        return (
          <Fact key={name} name={input?.title ?? name}>
            <bdi class={input === undefined || isStructure(value) ? 'run-setting run-setting-raw' : 'run-setting'}>
              {settingText(value, input)}
            </bdi>
          </Fact>
        )
      })}
    </dl>
  )
}

const isStructure = (value: unknown): boolean => typeof value === 'object' && value !== null

function settingText(value: unknown, input: ProcessInput | undefined): string {
  if (typeof value === 'boolean') return value ? t('results.yes') : t('results.no')
  if (typeof value !== 'string') return JSON.stringify(value)
  return input?.['x-svc-enumTitles']?.[value] ?? value
}
