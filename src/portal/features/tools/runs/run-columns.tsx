/** The columns of the list of runs. */

import { formatDuration, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { IconButton } from '../../../ui/button.tsx'
import type { Column } from '../../../ui/table/table-view.ts'
import { type ListedRun, stateOf } from '../result-view/run-data.ts'
import { RunState } from '../run-state.tsx'

export const isUnderWay = ({ status }: Pick<ListedRun, 'status'>): boolean =>
  status === 'accepted' || status === 'running'

const namesOf = (files: readonly { filename: string }[]): string => files.map(({ filename }) => filename).join(', ')
const whoOf = (run: ListedRun): string => run.applicationName ?? run.memberEmail ?? ''

function Names({ files }: { files: readonly { filename: string }[] }) {
  const [first] = files
  if (first === undefined) return <span class="weak">–</span>
  return (
    <>
      <bdi class="cut">{first.filename}</bdi>
      {files.length > 1 && <span class="weak number">+{formatWhole(files.length - 1)}</span>}
    </>
  )
}

/** @param titleOf the tool's name in the person's language */
export function runColumns(
  titleOf: (process: string) => string,
  onCancel: (jobId: string) => void,
): Column<ListedRun>[] {
  return [
    {
      id: 'tool',
      title: t('runs.tool'),
      width: 180,
      narrowWidth: 124,
      grow: 1.2,
      isMain: true,
      cell: (run) =>
        run.name === null ? (
          <span class="cut">{titleOf(run.processID)}</span>
        ) : (
          <bdi class="cut" title={`${run.name} – ${titleOf(run.processID)}`}>
            <strong>{run.name}</strong>
          </bdi>
        ),
      csv: ({ name, processID }) => [name, titleOf(processID)].filter(Boolean).join(' – '),
    },
    {
      id: 'state',
      title: t('runs.state'),
      width: 156,
      narrowWidth: 112,
      cell: ({ jobId, ...run }) => (
        <>
          <RunState state={stateOf(run)} progress={run.progress} />
          {jobId !== null && isUnderWay(run) && (
            <IconButton icon="close" label={t('results.cancel')} onClick={() => onCancel(jobId)} />
          )}
        </>
      ),
      csv: (run) => t(`runs.states.${stateOf(run)}`),
    },
    {
      id: 'output',
      title: t('runs.output'),
      width: 170,
      grow: 1.4,
      isWideOnly: true,
      cell: ({ artifacts }) => <Names files={artifacts.filter(({ role }) => role === 'output')} />,
      csv: ({ artifacts }) => namesOf(artifacts),
    },
    {
      id: 'input',
      title: t('runs.input'),
      width: 150,
      grow: 1.2,
      isWideOnly: true,
      cell: ({ inputs }) => <Names files={inputs} />,
      csv: ({ inputs }) => namesOf(inputs),
    },
    {
      id: 'who',
      title: t('runs.who'),
      width: 170,
      grow: 1,
      isWideOnly: true,
      cell: (run) =>
        whoOf(run) === '' ? (
          <span class="weak">–</span>
        ) : (
          <bdi class="cut" title={whoOf(run)}>
            {whoOf(run)}
          </bdi>
        ),
      csv: whoOf,
    },
    {
      id: 'started',
      title: t('runs.started'),
      width: 110,
      narrowWidth: 92,
      isNumber: true,
      cell: ({ startedAt }) => <Age at={startedAt} />,
      csv: ({ startedAt }) => startedAt,
    },
    {
      id: 'duration',
      title: t('runs.duration'),
      width: 96,
      isNumber: true,
      isWideOnly: true,
      cell: ({ durationMs }) => (durationMs === null ? '–' : durationText(durationMs)),
      csv: ({ durationMs }) => durationMs,
    },
    {
      id: 'credits',
      title: t('runs.credits'),
      width: 84,
      isNumber: true,
      isWideOnly: true,
      cell: ({ creditsCharged }) => formatWhole(creditsCharged),
      csv: ({ creditsCharged }) => creditsCharged,
    },
    {
      id: 'folder',
      title: t('runs.folder'),
      width: 140,
      isExtra: true,
      cell: ({ folder }) => (folder === null ? <span class="weak">–</span> : <bdi class="cut">{folder}</bdi>),
      csv: ({ folder }) => folder ?? '',
    },
    {
      id: 'id',
      title: t('runs.id'),
      width: 320,
      isExtra: true,
      cell: ({ runId, jobId }) => <code class="cut">{runId ?? jobId}</code>,
      csv: ({ runId, jobId }) => runId ?? jobId,
    },
  ]
}

/** Most runs take less than a second. */
export const durationText = (ms: number): string => formatDuration(Math.max(1, Math.round(ms)))
