/**
 * The result of a run by its kind: features on a map, a picture, pages, figures. Each kind of file has its own chunk of
 * code, loaded when there is such a file.
 */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'
import { formatBytes } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { warningsInLanguage } from '../../../text/warnings.ts'
import { CopyButton } from '../../../ui/button.tsx'
import { DownloadButton, storedFileAddress } from '../../../ui/download.tsx'
import { attempt } from '../../../ui/failure-text.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { Loaded, Skeleton } from '../../../ui/states.tsx'
import { loadProcess } from '../data/catalogue.ts'
import { prepareFeatures } from '../result/features.ts'
import { Figures, hasFigures, type Labels, type ResultData } from './figures.tsx'
import { ASK_FROM_BYTES, type FileKind, kindOf, type StoredFile } from './file-kind.ts'
import { labelOf } from './label.ts'
import { cancelJob, loadOutcome, loadRun, type Outcome, type RunDetail, stateOf } from './run-data.ts'
import { SaveAsFile } from './save-as-file.tsx'
import { SaveAsLayer } from './save-as-layer.tsx'
import { NotShown } from './unreadable.tsx'
import { UseInTool } from './use-in-tool.tsx'

/** A running run is polled again after this time. */
const AGAIN_MS = 1_500

export function RunResult(props: {
  runId: string
  /** The answer of the call that just ended; otherwise the answer that the server kept. */
  data?: ResultData
}) {
  const { runId, data: given } = props
  const loaded = useResource(async () => {
    const run = await loadRun(runId)
    prefetchViews(run)
    return { run, outcome: given === undefined ? await loadOutcome(run) : { data: given } }
  }, [runId, given])
  const isRunning = loaded.data.value?.run.status === 'running'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(loaded.reload, AGAIN_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  return (
    <Loaded resource={loaded} lines={12}>
      {({ run, outcome }) => <RunOutcome run={run} outcome={outcome} />}
    </Loaded>
  )
}

export function RunOutcome({ run, outcome }: { run: RunDetail; outcome: Outcome }) {
  if (run.status === 'running') return <UnderWay jobId={run.jobId} progress={0} />
  if (stateOf(run) === 'dismissed') return <p class="result-note">{t('results.cancelled')}</p>
  if (run.status === 'failed') return <FailedRun run={run} failure={outcome.failure} />
  const { data } = outcome
  const outputs = run.artifacts as StoredFile[]
  return (
    <div class="result">
      <Warnings texts={warningsInLanguage(data?.warnings, data?.warningsAr)} />
      {outputs.map((file) => (
        <ResultFile key={file.key} file={file} run={run} />
      ))}
      {outputs.length === 0 && hadFile(data) && <p class="result-note">{t('results.fileGone')}</p>}
      {data !== undefined && hasFigures(data) && <LabelledFigures data={data} process={run.processID} />}
      {data === undefined && outputs.length === 0 && <p class="result-note">{t('results.notKept')}</p>}
    </div>
  )
}

const hadFile = (data: ResultData | undefined): boolean =>
  typeof data?.key === 'string' || typeof data?.previewKey === 'string'

/** Descriptions of a tool's outputs; none for a tool that this person can no longer use. */
async function outputLabels(process: string): Promise<Labels> {
  try {
    const { properties = {} } = (await loadProcess(process)).outputs.result.schema
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, { description }]) =>
        description ? [[name, labelOf(description)]] : [],
      ),
    )
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) return {}
    throw error
  }
}

function LabelledFigures({ data, process }: { data: ResultData; process: string }) {
  const labels = useResource<Labels>(() => outputLabels(process), [process, language.value])
  if (labels.data.value === undefined && labels.error.value === undefined) return <Skeleton lines={4} />
  return <Figures data={data} labels={labels.data.value ?? {}} />
}

function Warnings({ texts }: { texts: string[] }) {
  if (texts.length === 0) return null
  return (
    <section class="result-warnings" role="note">
      <Icon name="alert" />
      <div>
        <h3>{t('results.warnings', { count: texts.length })}</h3>
        <ul>
          {texts.map((text) => (
            <li key={text}>
              <bdi>{text}</bdi>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

function ResultFile({ file, run }: { file: StoredFile; run: RunDetail }) {
  const kind = kindOf(file)
  const input = (run.inputs as StoredFile[])[0]
  return (
    <section class="result-file" aria-label={file.filename}>
      <header class="result-file-head">
        <h2>
          <bdi>{file.filename}</bdi>
        </h2>
        <span class="weak number">
          {formatBytes(file.bytes)}
          {file.crs && ` · ${file.crs}`}
        </span>
        <div class="result-actions">
          <DownloadButton kind="main" address={storedFileAddress(file.key)} />
          <UseInTool file={file} kind={kind} />
          <SaveAsLayer file={file} kind={kind} />
          <SaveAsFile file={file} kind={kind} />
        </div>
      </header>
      <FileView file={file} kind={kind} input={input} />
    </section>
  )
}

type View = ComponentType<{ file: StoredFile; input: StoredFile | undefined }>

const VIEWS: Partial<Record<FileKind, () => Promise<View>>> = {
  features: () => import('./feature-view.tsx').then(({ FeatureView }) => FeatureView),
  raster: () => import('./raster-view.tsx').then(({ RasterView }) => RasterView),
  pdf: () => import('./pdf-view.tsx').then(({ PdfView }) => PdfView),
  zip: () => import('./zip-view.tsx').then(({ ZipView }) => ZipView),
  picture: () =>
    import('./picture-view.tsx').then(({ PictureView }) => ({ file, input }) => (
      <PictureView file={file} before={input !== undefined && kindOf(input) === 'picture' ? input : undefined} />
    )),
  table: () =>
    import('./text-view.tsx').then(({ TextView }) => ({ file }) => <TextView file={file} isTable />),
  text: () =>
    import('./text-view.tsx').then(({ TextView }) => ({ file }) => <TextView file={file} isTable={false} />),
}

/** Starts to load the code that will show the files of a run, and the first features, in parallel with its answer. */
export function prefetchViews({ artifacts }: Pick<RunDetail, 'artifacts'>): void {
  const files = artifacts as StoredFile[]
  for (const file of files) {
    // a failure is reported by the view
    VIEWS[kindOf(file)]?.().catch(() => undefined)
    if (kindOf(file) === 'features') import('../../map/engine/engine.ts').catch(() => undefined)
  }
  const first = files.find((file) => kindOf(file) === 'features')
  if (first !== undefined && first.bytes < ASK_FROM_BYTES) prepareFeatures(storedFileAddress(first.key))
}

/**
 * Any stored file, by its kind.
 * @param input the file from which a tool made it
 */
export function FileView({ file, kind, input }: { file: StoredFile; kind: FileKind; input: StoredFile | undefined }) {
  const [view, setView] = useState<{ Show: View } | 'failed' | undefined>(undefined)
  const load = VIEWS[kind]
  useEffect(() => {
    let isGone = false
    load?.().then(
      (Show) => {
        if (!isGone) setView({ Show })
      },
      () => {
        if (!isGone) setView('failed')
      },
    )
    return () => {
      isGone = true
    }
  }, [kind])
  if (load === undefined)
    return <NotShown file={file} kind={kind === 'vector' || kind === 'pictureElsewhere' ? kind : 'other'} />
  if (view === 'failed') return <p class="result-note">{t('results.viewFailed')}</p>
  if (view === undefined) return <Skeleton lines={12} />
  return <view.Show file={file} input={input} />
}

export function UnderWay(props: {
  jobId: string | null
  /** 0 to 100. */
  progress: number
  /** The job is in the queue. */
  isWaiting?: boolean
  onCancelled?: () => void
}) {
  const { jobId, progress, isWaiting = false, onCancelled } = props
  async function cancel(id: string): Promise<void> {
    await attempt(async () => {
      await cancelJob(id)
      onCancelled?.()
    })
  }
  return (
    <Progress
      label={t('results.running')}
      text={isWaiting ? t('results.waiting') : t('results.running')}
      done={progress}
      total={progress > 0 ? 100 : undefined}
      {...(jobId !== null && { onStop: () => void cancel(jobId) })}
    />
  )
}

/** The failure, its reason, the remedy, and the request id. */
function FailedRun({ run, failure }: { run: RunDetail; failure: ApiError | undefined }) {
  // the message repeats the first field
  const faults = failure?.faults ?? []
  return (
    <section class="failure result-failure" role="alert">
      <h2>{t('results.failed')}</h2>
      {faults.length === 0 ? (
        <p>
          <bdi>{failure?.message ?? reasonOf(run.code)}</bdi>
        </p>
      ) : (
        <ul>
          {faults.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> <bdi>{message}</bdi>
            </li>
          ))}
        </ul>
      )}
      <p>{t('results.whatToDo')}</p>
      {run.requestId !== null && <CopyButton text={run.requestId}>{t('frame.copyRequestId')}</CopyButton>}
    </section>
  )
}

/** For calls of applications only the code is kept. */
function reasonOf(code: string | null): string {
  switch (code) {
    case 'TOOL_TIMEOUT':
      return t('results.reasons.timeout')
    case 'INPUT_UNREADABLE':
      return t('results.reasons.unreadable')
    case 'VALIDATION_FAILED':
      return t('results.reasons.invalid')
    case 'FILE_TOO_LARGE':
      return t('results.reasons.tooLarge')
    case 'CREDITS_EXHAUSTED':
      return t('results.reasons.credits')
    case 'STORAGE_QUOTA_EXCEEDED':
      return t('results.reasons.storage')
    default:
      return t('results.reasons.unknown')
  }
}
