/** Resumable uploads: a real tus client, and single requests of the protocol. */
import { Upload } from 'tus-js-client'
import { GIS, keysOf } from '../workers/tools.ts'
import type { Envelope, Instance, Organization } from './instance.ts'

export const TUS = { 'tus-resumable': '1.0.0' }
export const OCTETS = { 'content-type': 'application/offset+octet-stream' }

/** Failures are retried for about half a minute, as long as a server takes to start. */
const RETRIES = [...Array(150).fill(200)] as number[]

export type ClientOptions = {
  headers: Record<string, string>
  filename?: string
  chunkBytes?: number
  /** Called with the number of bytes that the server has acknowledged. */
  onAcknowledged?(bytes: number): void
  /** The URL of an upload to resume. */
  uploadUrl?: string
  withFirstBytes?: boolean
}

/** Uploads with tus-js-client. @returns the key of the stored file, and the URL of the upload */
export function uploadWithClient(
  url: string,
  content: Buffer,
  { headers, filename = 'file.bin', chunkBytes, onAcknowledged, uploadUrl, withFirstBytes = false }: ClientOptions,
): Promise<{ key: string | undefined; url: string }> {
  let key: string | undefined
  return new Promise((resolve, reject) => {
    const upload = new Upload(content, {
      endpoint: `${url}${GIS}/uploads`,
      ...(uploadUrl !== undefined && { uploadUrl }),
      headers,
      ...(chunkBytes !== undefined && { chunkSize: chunkBytes }),
      retryDelays: RETRIES,
      uploadDataDuringCreation: withFirstBytes,
      metadata: { filename, filetype: 'application/octet-stream' },
      onAfterResponse(_, response) {
        key = response.getHeader('X-Stored-Key') || key
      },
      onChunkComplete: (_, accepted) => onAcknowledged?.(accepted),
      onError: reject,
      onSuccess: () => resolve({ key, url: upload.url ?? '' }),
    })
    upload.start()
  })
}

export const metadataOf = (filename: string): string => `filename ${Buffer.from(filename).toString('base64')}`

/** Requests with the keys of an organization. */
export function uploadsOf(instance: () => Pick<Instance, 'url'>, organization: () => Organization) {
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: Uint8Array | string) =>
    fetch(`${instance().url()}${GIS}${path}`, {
      method,
      headers: { ...keysOf(organization()), ...TUS, ...headers },
      ...(body !== undefined && { body: body as string }),
    })
  return {
    send,
    /** @returns the path of a new upload below the prefix */
    async begin(bytes: number, filename = 'file.bin'): Promise<string> {
      const response = await send('POST', '/uploads', {
        'upload-length': String(bytes),
        'upload-metadata': metadataOf(filename),
      })
      if (response.status !== 201) throw new Error(((await response.json()) as Envelope).message)
      return (response.headers.get('location') ?? '').slice(GIS.length)
    },
    append: (path: string, offset: number, body: Uint8Array | string, headers: Record<string, string> = {}) =>
      send('PATCH', path, { ...OCTETS, 'upload-offset': String(offset), ...headers }, body),
    async offset(path: string): Promise<number> {
      return Number((await send('HEAD', path)).headers.get('upload-offset'))
    },
  }
}
