/** Receives the body of a tool call: a form with files or their keys, or JSON. */
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { fieldError, fieldsFailure, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { isShortBody, mediaTypeOf, readBody, requireMediaType, saveBody } from '../../http/body/body.ts'
import { readUpload } from '../../http/body/upload.ts'
import { JSON_TYPE } from '../../http/envelope.ts'
import { exportLayer } from '../../intake/export-layer.ts'
import { parseJsonBody } from '../../json-text.ts'
import { filesIn } from '../../runs/execute.ts'
import { findGivenInputs, keyIsGone, type StoredInput, type StoredInputs } from '../../runs/given-inputs.ts'
import { findGivenFiles } from '../../stores/postgres/files/given-files.ts'
import { newId } from '../../stores/postgres/ids.ts'
import { findLayer, LAYER_ID } from '../../stores/postgres/layers/layers.ts'
import type { RunScope } from '../../stores/postgres/runs/run-scope.ts'
import {
  checkInput,
  type FormPart,
  fileKindOf,
  inputFromForm,
  isKeyInPlaceOfFile,
  takesFeatures,
} from '../../tools/check.ts'
import type { InputFile, Tool } from '../../tools/tool.ts'
import type { EnterpriseDeps } from './deps.ts'

const MAX_FILES = 30

/** A body up to this size is parsed on the server's thread, a larger one by the worker process. */
const MAX_PARSED_BYTES = 64 * 1024
/** Text fields of a form are held in memory and parsed on the server's thread. */
const FORM_TEXT_BYTES = 1024 * 1024

type CheckedInput = {
  input: Record<string, unknown>
  /** Stored files of the input that are not yet fetched. */
  storedInputs: StoredInputs
  /** Total size of the input, sent or named by key. */
  inputBytes: number
}

export type Received = {
  /** Checks the fields. @throws AppError VALIDATION_FAILED, and as `findGivenInputs` does */
  read(): Promise<CheckedInput>
  /** A file with the whole input, which the worker process parses; `input` is empty then. */
  bodyPath?: string
  /** Digest of the names and bytes that were sent; empty unless requested. */
  digest: string
}

const withoutFiles = (input: Record<string, unknown>, inputBytes: number): CheckedInput => ({
  input,
  inputBytes,
  storedInputs: new Map(),
})

/** The scratch folder of a call, created when it is needed first. */
export type Folder = { path: string; open(): Promise<unknown>; isOpen(): boolean }

export function createFolder(path: string): Folder {
  let opened: Promise<unknown> | undefined
  return {
    path,
    open: () => {
      opened ??= mkdir(path)
      return opened
    },
    isOpen: () => opened !== undefined,
  }
}

/** Files are written to disk as they arrive; fields that take one may also hold the key of a stored file. */
export async function receiveForm(
  deps: EnterpriseDeps,
  request: Request,
  tool: Tool,
  scope: RunScope,
  folder: Folder,
  digest: boolean,
): Promise<Received> {
  const { fileBytes, uploadTimeoutMs } = deps.limits
  const { properties } = tool.input
  await folder.open()
  const upload = await readUpload(
    request,
    folder.path,
    {
      maxFileBytes: (field) => fileBytes[fileKindOf(properties[field])],
      maxFiles: MAX_FILES,
      // the check of the fields reports every duplicate field
      isList: () => true,
      maxTextBytes: Math.min(deps.jsonBody.maxBytes, FORM_TEXT_BYTES),
      timeoutMs: uploadTimeoutMs,
    },
    digest,
  )
  return {
    digest: upload.sha256,
    async read() {
      const { parts, added } = await withGivenLayers(deps, request, tool, upload.parts, scope, folder.path)
      const { parts: complete, given } = withGivenFiles(tool, parts, folder.path)
      const input = inputFromForm(tool, complete)
      const keys = given.map(({ field, key }) => ({ field, key, maxBytes: fileBytes[fileKindOf(properties[field])] }))
      const files = await findGivenInputs(deps.db, scope, keys)
      const storedInputs = new Map<string, StoredInput>()
      let inputBytes = upload.bytes + added
      for (const [i, { key, storageKey, filename, bytes }] of files.entries()) {
        const { file } = given[i] as GivenPart
        Object.assign(file, { filename, bytes })
        storedInputs.set(file.path, { key, storageKey })
        // as if the file had been sent in place of its key
        inputBytes += bytes - key.length
      }
      return { input, inputBytes, storedInputs }
    },
  }
}

const layerId = new RegExp(LAYER_ID)

/** Layers that file fields name by their id, written as GeoJSON of their newest version. */
async function withGivenLayers(
  { db, engine, layerFiles, limits, scratchDir }: EnterpriseDeps,
  { signal }: Request,
  tool: Tool,
  sent: readonly FormPart[],
  { ownerId }: RunScope,
  folder: string,
): Promise<{ parts: FormPart[]; added: number }> {
  const parts: FormPart[] = []
  let added = 0
  for (const part of sent) {
    const { field, value } = part
    if (!isKeyInPlaceOfFile(tool, part) || typeof value !== 'string' || !layerId.test(value)) {
      parts.push(part)
      continue
    }
    if (!takesFeatures(tool.input.properties[field] as TSchema))
      throw invalidField(field, 'file', fieldText('fileNotLayer'))
    const layer = await findLayer(db, value)
    if (layer?.ownerId !== ownerId) throw invalidField(field, 'exists', fieldText('fileOrLayer'))
    // a worker process writes into a separate folder
    const scratch = join(scratchDir, newId('run'))
    const path = join(folder, `layer-${parts.length + 1}`)
    try {
      await mkdir(scratch)
      const options = { format: 'geojson', scratch, deadlineMs: limits.toolTimeoutMs, signal } as const
      const { output } = await exportLayer({ engine, layerFiles }, layer, options)
      await rename(output.path, path)
      const { size: bytes } = await stat(path)
      const most = limits.fileBytes.vector
      if (bytes > most)
        throw fieldsFailure('FILE_TOO_LARGE', [fieldError(field, 'maxBytes', fieldText('bytesAtMost', { most }))])
      parts.push({ field, value: { path, filename: output.filename, bytes } })
      added += bytes - value.length
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }
  return { parts, added }
}

type GivenPart = { field: string; key: string; file: InputFile }

/** Placeholders for the files that the fields name by key; completed when the files are found. */
function withGivenFiles(tool: Tool, sent: readonly FormPart[], folder: string) {
  const given: GivenPart[] = []
  const parts = sent.map((part): FormPart => {
    const { field, value } = part
    if (!isKeyInPlaceOfFile(tool, part)) return part
    const file: InputFile = { path: join(folder, `stored-${given.length + 1}`), filename: value as string, bytes: 0 }
    given.push({ field, key: value as string, file })
    return { field, value: file }
  })
  return { parts, given }
}

export async function receiveJson(
  deps: EnterpriseDeps,
  request: Request,
  tool: Tool,
  _scope: RunScope,
  folder: Folder,
  digest: boolean,
): Promise<Received> {
  const requireJson = (): void => requireMediaType(mediaTypeOf(request.headers.get('content-type')), JSON_TYPE)
  if (isShortBody(request, MAX_PARSED_BYTES)) {
    const bytes = await readBody(request, deps.jsonBody)
    if (bytes.length > 0) requireJson()
    const raw = bytes.length === 0 ? undefined : parseJsonBody(bytes)
    return {
      read: async () => withoutFiles(checkInput(tool, raw), bytes.length),
      digest: digest ? new Bun.CryptoHasher('sha256').update(bytes).digest('hex') : '',
    }
  }
  const bodyPath = join(folder.path, 'body.json')
  await folder.open()
  const { length, sha256 } = await saveBody(request, bodyPath, deps.jsonBody, { digest })
  if (length > 0) requireJson()
  if (length > MAX_PARSED_BYTES) return { digest: sha256, read: async () => withoutFiles({}, length), bodyPath }
  const raw = length === 0 ? undefined : parseJsonBody(await readFile(bodyPath))
  return { digest: sha256, read: async () => withoutFiles(checkInput(tool, raw), length) }
}

/**
 * Puts stored files where the run reads them: links in a folder store, copies from S3.
 * @throws AppError VALIDATION_FAILED for a file that was deleted since its key was checked
 */
export async function fetchStoredInputs(
  { db, files }: Pick<EnterpriseDeps, 'db' | 'files'>,
  scope: RunScope,
  { input, storedInputs }: CheckedInput,
): Promise<void> {
  if (storedInputs.size === 0) return
  for (const { field, file } of filesIn(input)) {
    const known = storedInputs.get(file.path)
    if (known === undefined) continue
    try {
      await files.fetch(known.storageKey, file.path)
    } catch (error) {
      if ((await findGivenFiles(db, scope, [known.key])).size === 0) throw keyIsGone(field)
      throw error
    }
  }
}
