/** The contents of an archive. */
import { ApiError, send } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { formatBytes, formatMoment } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { storedFileAddress } from '../../../ui/download.tsx'
import { TableRows } from '../../../ui/plain-table.tsx'
import { Failure, Skeleton } from '../../../ui/states.tsx'
import { listZip, ZipError } from '../result/zip-directory.ts'
import type { StoredFile } from './file-kind.ts'
import { Unreadable } from './unreadable.tsx'

const DAMAGED = 'DAMAGED'
const SHOWN = 1_000

export function ZipView({ file }: { file: StoredFile }) {
  const { data, error, reload } = useResource(
    async (signal) => {
      try {
        return await listZip(file.bytes, async (first, end) => {
          const headers = { range: `bytes=${first}-${end - 1}` }
          return (await send(storedFileAddress(file.key), { headers, signal })).arrayBuffer()
        })
      } catch (failure) {
        if (failure instanceof ZipError || failure instanceof RangeError) throw new ApiError(200, DAMAGED, '')
        throw failure
      }
    },
    [file.key],
  )
  if (error.value?.code === DAMAGED) return <Unreadable file={file} />
  if (error.value !== undefined) return <Failure error={error.value} onRetry={reload} />
  if (data.value === undefined) return <Skeleton lines={6} />
  const files = data.value.filter(({ name }) => !name.endsWith('/'))
  return (
    <div class="result-zip">
      <p>
        {t('results.inArchive', { count: files.length })}{' '}
        <span class="weak">
          {t('results.unpacked', { size: formatBytes(files.reduce((sum, { bytes }) => sum + bytes, 0)) })}
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
      <section class="result-cells" tabIndex={0} aria-label={t('results.archiveOf', { name: file.filename })}>
        <table>
          <TableRows
            rows={files.slice(0, SHOWN)}
            keyOf={({ name }) => name}
            columns={[
              [t('results.name'), ({ name }) => <bdi>{name}</bdi>],
              [t('results.size'), ({ bytes }) => formatBytes(bytes), { kind: 'table-number' }],
              [t('results.changed'), ({ modifiedMs }) => (modifiedMs === undefined ? '–' : formatMoment(modifiedMs))],
            ]}
          />
        </table>
      </section>
    </div>
  )
}
