/** The files of a batch in one list: the state of each run, its result, and why it failed. */
import { useState } from 'preact/hooks'
import { href } from '../../../shell/router.ts'
import { formatPercent } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { DownloadButton, storedFileAddress } from '../../../ui/download.tsx'
import { attempt } from '../../../ui/failure-text.tsx'
import { failureText } from '../../../ui/form.ts'
import { PlainTable, ROWS_ON_PHONE } from '../../../ui/plain-table.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { RunState } from '../run-state.tsx'
import type { ArchiveEntry } from './archive.ts'
import { answerOf, type Batch, type BatchItem, type BatchState, countsOf, FILE_LOST } from './batch.ts'

const STATES = {
  waiting: 'accepted',
  sending: 'running',
  running: 'running',
  job: 'running',
  done: 'successful',
  failed: 'failed',
  cancelled: 'dismissed',
} as const

export function BatchResults({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const { items, folder, isRunning } = batch
  const { done, failed, repeatable, waiting, all } = countsOf(batch)
  const [zipped, setZipped] = useState<number | undefined>(undefined)
  const files = items.flatMap(({ state }): ArchiveEntry[] => {
    const { key, outputFilename = key } = answerOf(state.value) ?? {}
    return key === undefined ? [] : [{ key, name: outputFilename ?? key }]
  })
  async function downloadAll(): Promise<void> {
    setZipped(0)
    await attempt(async () => {
      // the chunk has the code that packs
      const { archiveOf: pack } = await import('./archive.ts')
      saveFile(`${folder}.zip`, await pack(files, setZipped))
    })
    setZipped(undefined)
  }
  return (
    <section class="batch" aria-labelledby="batch-title">
      <h2 id="batch-title">{t('batch.title', { count: all })}</h2>
      {isRunning.value ? (
        <Progress
          label={t('batch.title', { count: all })}
          done={done + failed}
          total={all}
          text={t('batch.progress', { done: done + failed, count: all })}
          onStop={() => void batch.stop()}
          stopText={t('batch.stop')}
        />
      ) : (
        <p role="status">
          {waiting > 0
            ? t('batch.progress', { done: done + failed, count: all })
            : failed === 0
              ? t('batch.allDone', { count: all })
              : t('batch.someFailed', { done, count: failed })}
        </p>
      )}
      <div class="row">
        <Button
          kind="main"
          icon="download"
          disabled={files.length === 0 || isRunning.value}
          isBusy={zipped !== undefined}
          onClick={downloadAll}
        >
          {zipped === undefined ? t('batch.downloadAll') : t('batch.packing', { done: zipped, count: files.length })}
        </Button>
        {waiting > 0 && !isRunning.value && (
          <Button icon="play" onClick={batch.continue}>
            {t('batch.continue')}
          </Button>
        )}
        {repeatable > 0 && waiting === 0 && !isRunning.value && (
          <Button icon="reload" onClick={batch.retry}>
            {t('batch.retry', { count: repeatable })}
          </Button>
        )}
        {done > 0 && <a href={href('/runs', {}, { folder })}>{t('batch.inRuns')}</a>}
        {!isRunning.value && (
          <Button kind="quiet" onClick={onClose}>
            {t('batch.close')}
          </Button>
        )}
      </div>
      <PlainTable
        label={t('batch.title', { count: all })}
        kind={ROWS_ON_PHONE}
        rows={items}
        keyOf={({ file }) => file.id}
        columns={[
          [t('batch.file'), ({ file }) => <bdi>{file.name}</bdi>, { isName: true, kind: 'file-name' }],
          [t('batch.state'), (item) => <State item={item} />],
          [t('batch.result'), (item) => <Result state={item.state.value} />, { kind: 'wraps' }],
        ]}
      />
    </section>
  )
}

function State({ item: { state } }: { item: BatchItem }) {
  const now = state.value
  const share = now.phase === 'sending' && now.totalBytes > 0 ? now.sentBytes / now.totalBytes : undefined
  return (
    <>
      <RunState state={STATES[now.phase]} progress={now.phase === 'job' ? now.job.progress : 0} />
      {share !== undefined && <span class="weak number"> {t('batch.sent', { share: formatPercent(share) })}</span>}
    </>
  )
}

function Result({ state }: { state: BatchState }) {
  if (state.phase === 'failed')
    return (
      <bdi class="field-error" dir="auto">
        {state.error.code === FILE_LOST ? t('batch.fileLost') : failureText(state.error)}
      </bdi>
    )
  const answer = answerOf(state)
  if (answer === undefined) return null
  return (
    <div class="row">
      <a href={href('/runs/:id', { id: answer.usage.runId })}>{t('batch.show')}</a>
      {answer.key !== undefined && <DownloadButton kind="quiet" address={storedFileAddress(answer.key)} />}
    </div>
  )
}
