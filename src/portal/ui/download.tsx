/**
 * Downloads that the browser writes to disk itself. A link cannot send the header that names the enterprise, so the
 * address names it; the server takes that from pages of this server only.
 */
import { ApiError, send } from '../api/client.ts'
import { enterpriseId } from '../shell/session.ts'
import { t } from '../text/text.ts'
import { Button, type ButtonProps } from './button.tsx'
import { attempt } from './failure-text.tsx'

/** The address of a download, for a link. @param path with its query */
export function linkTo(path: string): string {
  const id = enterpriseId.value
  if (id === undefined) return path
  return `${path}${path.includes('?') ? '&' : '?'}enterprise=${encodeURIComponent(id)}`
}

export const storedFileAddress = (key: string): string => linkTo(`/enterprise/v1/gis/files/${encodeURIComponent(key)}`)

/**
 * Checks a download before it starts: the browser shows a failed download as a missing file, without a reason.
 * @param address of `linkTo`, or one that names the owner itself
 * @returns the headers of the answer
 * @throws ApiError
 */
export async function download(address: string, signal?: AbortSignal): Promise<Headers> {
  // a cached copy does not count: rights may have been removed, or the file deleted
  const init = { cache: 'no-store' as const, ...(signal && { signal }) }
  let answer: Response
  try {
    answer = await send(address, { ...init, method: 'HEAD' })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error
    // an answer to HEAD has no message
    answer = await send(address, init)
    await answer.body?.cancel()
  }
  const link = document.createElement('a')
  link.href = address
  // the response names the file
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
  return answer.headers
}

export function DownloadButton(props: { address: string; kind?: ButtonProps['kind']; label?: string }) {
  const { address, kind = 'plain', label } = props
  async function start(): Promise<void> {
    await attempt(() => download(address))
  }
  return (
    <Button kind={kind} icon="download" onClick={start}>
      {label ?? t('results.download')}
    </Button>
  )
}
