/** Progress of an import: faulty rows, created sensors, and their keys. */

import { useState } from 'preact/hooks'
import { href } from '../../../shell/router.ts'
import { formatBytes, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { TableRows } from '../../../ui/plain-table.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { useKeyGuard } from '../../account/key-guard.ts'
import type { ImportRun, RowFault } from './import-run.ts'

export function ImportProgress(props: { run: ImportRun; file: File; onBack: () => void; onAgain: () => void }) {
  const { run, file } = props
  const phase = run.phase.value
  const [saved, setSaved] = useState(0)
  const created = run.created.value
  useKeyGuard(phase === 'sending' || created > saved, 'importSensors.leave')
  const total = run.valid.value
  const left = total - run.done.value

  function saveKeys(): void {
    saveFile(`${file.name.replace(/\.\w+$/, '')}-keys.csv`, run.keyFile())
    setSaved(created)
  }

  if (phase === 'checking')
    return (
      <div class="import">
        <Progress
          label={t('importSensors.checking')}
          done={run.bytesRead.value}
          total={file.size}
          text={t('importSensors.checkedRows', { count: total + run.faulty.value })}
          rateText={(perSecond) => t('importSensors.perSecond', { size: formatBytes(perSecond) })}
          onStop={() => {
            run.stop()
            props.onBack()
          }}
        />
        {run.faulty.value > 0 && <p>{t('importSensors.faulty', { count: run.faulty.value })}</p>}
      </div>
    )
  return (
    <div class="import">
      <h2>{headline(phase, total, created)}</h2>
      {run.problem.value !== undefined && (
        <p class="form-error" role="alert">
          {run.problem.value}
        </p>
      )}
      {run.skipped.value > 0 && <p>{t('importSensors.skipped', { count: run.skipped.value })}</p>}
      {phase !== 'checked' && (
        <Progress
          label={t('importSensors.sending')}
          done={run.done.value}
          total={total}
          text={t('importSensors.progress', { done: run.done.value, count: total })}
          isPaused={phase !== 'sending'}
          {...(phase === 'sending' && { onStop: run.pause, stopText: t('importSensors.pause') })}
        />
      )}
      <div class="row">
        {(phase === 'checked' || phase === 'paused') && left > 0 && (
          <Button kind="main" icon="play" onClick={run.start}>
            {phase === 'checked' && run.skipped.value === 0
              ? t('importSensors.start', { count: left })
              : t('importSensors.continue', { count: left })}
          </Button>
        )}
        {created > 0 && phase !== 'sending' && (
          <Button kind={phase === 'done' ? 'main' : 'plain'} icon="download" onClick={saveKeys}>
            {t('importSensors.saveKeys', { count: created })}
          </Button>
        )}
        {phase === 'checked' && <Button onClick={props.onBack}>{t('importSensors.changeColumns')}</Button>}
        {phase !== 'sending' && created <= saved && (
          <Button onClick={props.onAgain}>{t('importSensors.otherFile')}</Button>
        )}
        {phase === 'done' && (
          <a class="button" href={href('/sensors')}>
            {t('importSensors.showSensors')}
          </a>
        )}
      </div>
      {created > saved && phase !== 'sending' && <p>{t('importSensors.keysOnce')}</p>}
      <Faults run={run} file={file} />
    </div>
  )
}

function headline(phase: ImportRun['phase']['value'], total: number, created: number): string {
  if (phase === 'done') return t('importSensors.created', { count: created })
  if (phase === 'checked') return t('importSensors.ready', { count: total })
  return phase === 'paused' ? t('importSensors.paused') : t('importSensors.sending')
}

function Faults({ run, file }: { run: ImportRun; file: File }) {
  const count = run.faulty.value + run.failed.value
  if (count === 0) return null
  const shown: readonly RowFault[] = run.faults.value
  return (
    <section class="import-faults" aria-label={t('importSensors.faulty', { count })}>
      <div class="row">
        <h3>{t('importSensors.faulty', { count })}</h3>
        {
          <Button
            kind="quiet"
            icon="download"
            onClick={() => saveFile(`${file.name.replace(/\.\w+$/, '')}-faults.csv`, run.faultFile())}
          >
            {t('importSensors.saveFaults')}
          </Button>
        }
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, and the keyboard must reach it */}
      <section class="import-fault-list" tabIndex={0} aria-label={t('importSensors.fault')}>
        <table>
          <TableRows
            rows={shown}
            keyOf={({ row }) => row}
            columns={[
              [t('importSensors.row'), ({ row }) => formatWhole(row), { kind: 'number' }],
              [t('importSensors.fault'), ({ text }) => text],
            ]}
          />
        </table>
      </section>
      {shown.length < count && <p class="weak">{t('importSensors.moreFaults', { count: count - shown.length })}</p>}
    </section>
  )
}
