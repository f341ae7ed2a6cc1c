/** Uploads a file, or a new version of one, with the real progress of the upload. */
import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../../../api/client.ts'
import { sendFile } from '../../../api/send-file.ts'
import { formatBytes } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { DropZone } from '../../../ui/drop-zone.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { Failure } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import type { ScanStatus } from './scan-state.tsx'

/** The same list as intake/file-types.ts on the server, which decides. */
const ACCEPTED =
  '.geojson,.json,.zip,.kml,.kmz,.gml,.gpkg,.fgb,.parquet,.csv,.tsv,.txt,.tif,.tiff,.png,.jpg,.jpeg,.webp,.gif,.bmp,.pdf,.docx,.xlsx,.pptx,.odt,.ods,.odp,.doc,.xls,.ppt'
/** The limit of rasters, the largest kind. */
const MAX_BYTES = 512 * 2 ** 20

type Sent = { version: number; scanStatus: ScanStatus | null }

export function FileUpload(props: { label: string; path: string; onDone: () => void }) {
  const [work, setWork] = useState<{ name: string; done: number; total: number } | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const abort = useRef(new AbortController())

  async function upload(file: File): Promise<void> {
    if (work !== undefined) return
    setError(undefined)
    abort.current = new AbortController()
    const body = new FormData()
    body.set('file', file)
    setWork({ name: file.name, done: 0, total: file.size })
    try {
      const sent = await sendFile<Sent>(props.path, body, {
        signal: abort.current.signal,
        onProgress: (done, total) => setWork({ name: file.name, done, total }),
      })
      const state = sent.scanStatus ?? 'pending'
      notify(t(`files.uploaded.${state}`, { name: file.name }), { isError: state === 'infected' })
      props.onDone()
    } catch (failure) {
      if (failure instanceof DOMException && failure.name === 'AbortError') return
      setError(failure instanceof ApiError ? failure : new ApiError(0, 'UNEXPECTED', String(failure)))
    } finally {
      setWork(undefined)
    }
  }
  const isSent = work !== undefined && work.done >= work.total
  return (
    <div class="file-upload">
      <DropZone label={props.label} accept={ACCEPTED} maxBytes={MAX_BYTES} onFile={(file) => void upload(file)} />
      {work !== undefined && (
        <Progress
          label={t('files.uploading', { name: work.name })}
          text={
            isSent
              ? t('files.scanning', { name: work.name })
              : t('files.sent', { done: formatBytes(work.done), total: formatBytes(work.total) })
          }
          done={work.done}
          total={isSent ? undefined : work.total}
          rateText={(rate) => t('layers.perSecond', { size: formatBytes(rate) })}
          onStop={() => abort.current.abort()}
        />
      )}
      {error !== undefined && <Failure error={error} />}
    </div>
  )
}
