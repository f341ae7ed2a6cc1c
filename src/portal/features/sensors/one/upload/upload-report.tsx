/** Progress of an upload, and the outcome of its rows. */

import { href } from '../../../../shell/router.ts'
import type { TextKey } from '../../../../text/catalogue.ts'
import { saidOf } from '../../../../text/failures.ts'
import { formatBytes, formatWhole } from '../../../../text/format.ts'
import { t } from '../../../../text/text.ts'
import { Button } from '../../../../ui/button.tsx'
import { Progress } from '../../../../ui/progress.tsx'
import { saveFile } from '../../../../ui/save-file.ts'
import { faultText } from './mapping-form.tsx'
import { isRunning, type RefusedRow, type UploadState } from './run-upload.ts'

const REASONS: Record<string, TextKey> = {
  SENSOR_READING_AT_INVALID: 'sensor.reasons.time',
  SENSOR_READING_IN_FUTURE: 'sensor.reasons.future',
  SENSOR_READING_TOO_OLD: 'sensor.reasons.old',
  SENSOR_READING_UNKNOWN_CHANNEL: 'sensor.reasons.channel',
  SENSOR_READING_BAD_VALUE: 'sensor.reasons.value',
  SENSOR_READING_LOCATION: 'sensor.reasons.location',
  SENSOR_READING_DUPLICATE_IN_BATCH: 'sensor.reasons.twice',
  SENSOR_READINGS_DAILY_LIMIT: 'sensor.reasons.day',
  tooManyCells: 'sensor.reasons.cells',
  wrongTime: 'sensor.reasons.time',
  wrongNumber: 'sensor.reasons.value',
  wrongWhole: 'sensor.reasons.value',
  wrongBoolean: 'sensor.reasons.value',
  wrongPlace: 'sensor.reasons.location',
  nothing: 'sensor.reasons.nothing',
}
const reasonText = (reason: string): string => {
  const key = REASONS[reason]
  return key === undefined ? (saidOf(reason) ?? reason) : t(key)
}

export function UploadReport(props: { state: UploadState; onStop: () => void; onAnother: () => void }) {
  const { state } = props
  const refusedCount = [...state.refused.values()].reduce((sum, count) => sum + count, 0)
  const byText = [...Map.groupBy(state.refused, ([reason]) => reasonText(reason))].map(
    ([text, reasons]) => [text, reasons.reduce((sum, [, count]) => sum + count, 0)] as const,
  )
  const rowsPerByte = state.bytesDone === 0 ? 0 : state.rows / state.bytesDone
  const values = { bytes: formatBytes(state.bytesDone), total: formatBytes(state.bytes), rows: formatWhole(state.rows) }
  return (
    <div class="stack upload">
      <h2>
        <bdi>{state.fileName}</bdi>
      </h2>
      {isRunning(state) ? (
        <Progress
          label={t('sensor.upload.running')}
          done={state.bytesDone}
          total={state.bytes}
          text={t('sensor.upload.progress', values)}
          isPaused={state.status !== 'running'}
          rateText={(bytes) => t('sensor.upload.speed', { rows: formatWhole(bytes * rowsPerByte) })}
          onStop={props.onStop}
        />
      ) : (
        <p role="status">
          {state.status === 'done' && <strong>{t('sensor.upload.done')}</strong>}
          {state.status === 'unclosed' && t('sensor.upload.unclosed', { row: formatWhole(state.unclosedRow ?? 0) })}
          {state.status === 'stopped' && t('sensor.upload.stopped')}
          {state.status === 'failed' && t('sensor.upload.failed', { message: state.error?.message ?? '' })}
        </p>
      )}
      {(state.status === 'waiting' || state.status === 'busy') && (
        <p role="status">{t(`sensor.upload.${state.status}`)}</p>
      )}
      <dl class="upload-counts">
        <Count label={t('sensor.upload.accepted')} count={state.accepted} />
        <Count label={t('sensor.upload.duplicates')} count={state.duplicates} />
        <Count label={t('sensor.upload.refused')} count={refusedCount} />
      </dl>
      {byText.length > 0 && (
        <ul class="upload-reasons">
          {byText.map(([text, count]) => (
            <li key={text}>
              <span class="number">{formatWhole(count)}</span> {text}
            </li>
          ))}
        </ul>
      )}
      {state.first.length > 0 && (
        <details>
          <summary>{t('sensor.upload.firstErrors')}</summary>
          <ul class="upload-preview">
            {state.first.map((refused) => (
              <li key={`${refused.row} ${refused.reason}`}>
                <span class="weak number">
                  {t('sensor.upload.row')} {formatWhole(refused.row)}
                </span>
                <span>{rowText(refused)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <div class="row">
        {state.refusedFile !== undefined && (
          <Button
            icon="download"
            onClick={() => state.refusedFile && saveFile(`refused ${state.fileName}`, state.refusedFile)}
          >
            {t('sensor.upload.refusedFile')}
          </Button>
        )}
        {!isRunning(state) && (
          <>
            <Button icon="upload" onClick={props.onAnother}>
              {t('sensor.upload.another')}
            </Button>
            <a class="button button-main" href={href('/sensors/:id', { id: state.sensorId }, { range: '1y' })}>
              {t('sensor.upload.showCharts')}
            </a>
          </>
        )}
      </div>
    </div>
  )
}

const rowText = ({ fault, reason, channel }: RefusedRow): string =>
  fault !== undefined ? faultText(fault) : channel ? `${reasonText(reason)}: ${channel}` : reasonText(reason)

function Count({ label, count }: { label: string; count: number }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="number">{formatWhole(count)}</dd>
    </div>
  )
}
