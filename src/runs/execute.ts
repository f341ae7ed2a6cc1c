/** One run of a tool: reserves credits, does the work, stores files and the record. A failed run returns its credits. */

import { AppError, type Code } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { ownedBy } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import { isServerFault } from '../stores/postgres/events/run-events.ts'
import { newId } from '../stores/postgres/ids.ts'
import { keepAnswer } from '../stores/postgres/runs/run-answers.ts'
import * as runs from '../stores/postgres/runs/runs.ts'
import type { RunAnswer } from '../stores/postgres/schema.ts'
import type { InputFile, OutputFile, Tool, ToolResult } from '../tools/tool.ts'
import { inArabic, inEnglish } from '../warnings/warning.ts'
import type { Caller, RunDeps } from './deps.ts'
import type { StoredInputs } from './given-inputs.ts'
import { creditPeriod, priceOf } from './price.ts'

export type Call = {
  tool: Tool
  caller: Caller
  requestId: string
  jobId: string | null
  /** Validated; its files are in `scratch`. */
  input: Record<string, unknown>
  /** The input files that are stored already. */
  storedInputs: StoredInputs
  inputBytes: number
  /** A JSON body that a worker process reads and checks; `input` is empty then. */
  bodyPath?: string | undefined
  /** Path for long data as JSON text; undefined for calls whose data is never long. */
  dataPath?: string | undefined
  scratch: string
  /** Creates the scratch folder when a worker process needs it; undefined when it exists already. */
  openFolder?: (() => Promise<unknown>) | undefined
  deadlineMs: number
  signal?: AbortSignal | undefined
  onProgress?: ((share: number) => void) | undefined
  /** Called with the run's id before the work begins; the record of a run without credits follows when it ends. */
  onBegin?: ((runId: string) => Promise<void>) | undefined
  /** Runs in the transaction that records the run's success; if it fails, the run fails. */
  onSuccess?: ((tx: Database, outcome: Outcome) => Promise<void>) | undefined
  /** The last step of that transaction. */
  onEnded?: ((tx: Database) => Promise<void>) | undefined
}

export type Outcome = {
  data: Record<string, unknown>
  /** A file with more members of the data, if they are long. */
  dataPath: string | undefined
  /** The run's output file. */
  output: { filename: string; crs: string | null } | undefined
}

/** Name of the file in the scratch folder of a run. */
export const DATA_FILE = 'data.json'

/** The files of an input, each with its field. */
export function filesIn(input: Record<string, unknown>): { field: string; file: InputFile }[] {
  const isFile = (value: unknown): value is InputFile =>
    typeof value === 'object' && value !== null && 'path' in value && 'filename' in value && 'bytes' in value
  return Object.entries(input).flatMap(([field, value]) =>
    isFile(value)
      ? [{ field, file: value }]
      : Array.isArray(value)
        ? value.filter(isFile).map((file) => ({ field, file }))
        : [],
  )
}

/** The input without its file fields. */
export function settingsOf(input: Record<string, unknown>): Record<string, unknown> {
  const files = new Set(filesIn(input).map(({ field }) => field))
  return Object.fromEntries(Object.entries(input).filter(([field]) => !files.has(field)))
}

/** Settings as a run records them: a long list, such as coordinates, is reduced to its length. */
const MAX_RECORDED_ITEMS = 100
function recordedSettings(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settingsOf(input)).map(([field, value]) =>
      Array.isArray(value) && value.length > MAX_RECORDED_ITEMS ? [field, { items: value.length }] : [field, value],
    ),
  )
}

export function filesCounted(tool: Tool, input: Record<string, unknown>): number {
  return filesIn(input).length || tool.countsAsFiles
}

/** Longer answers are not stored, only their files. */
const MAX_ANSWER_LENGTH = 64 * 1024
/** The preview image is also one of the run's files. */
const withoutPicture = ({ previewPngB64: _, ...data }: Record<string, unknown>): Record<string, unknown> => data

/** @throws AppError CREDITS_EXHAUSTED, or a failure of the engine or the tool */
export async function execute(deps: RunDeps, call: Call): Promise<Outcome> {
  const { db, engine } = deps
  const { tool, caller, input } = call
  const { owner } = caller
  const allowance = owner.creditsPerMonth
  const credits = priceOf(tool, owner)
  const period = creditPeriod()
  const startedMs = performance.now()
  const run: runs.NewRun = {
    id: newId('run'),
    ...ownedBy(owner),
    ownerId: owner.id,
    applicationId: caller.applicationId ?? null,
    memberId: caller.memberId ?? null,
    toolId: tool.id,
    toolVersion: tool.version,
    requestId: call.requestId,
    jobId: call.jobId,
    settings: recordedSettings(input),
    credits,
    periodStart: period.start,
    fileCount: filesCounted(tool, input),
    inputBytes: call.inputBytes,
    instanceId: deps.instanceId,
  }
  const charges = credits > 0
  // answers to a signed-in person are stored for the run's page, which needs the run's record
  const isOfPerson = caller.applicationId === undefined && call.jobId === null
  const keep = async (status: number, answer: RunAnswer): Promise<void> => {
    const isShort = !isOfPerson || JSON.stringify(answer).length <= MAX_ANSWER_LENGTH
    // the call's outcome stands, with or without a stored copy
    if (isOfPerson && isShort) await keepAnswer(db, run.id, { status, answer }).catch(() => undefined)
  }
  const end = async (outcome: Outcomes, files: readonly Stored[], tx: Database = db): Promise<void> => {
    const ended = { ...outcome, inputs: recordedInputs(call, files), durationMs: performance.now() - startedMs }
    const added = files.filter(({ isNew }) => isNew)
    const isEnded = await (charges ? runs.endRun(tx, run, ended, added) : runs.recordRun(tx, run, ended, added))
    // another instance considered this one dead, or the owner was deleted
    if (!isEnded && outcome.status === 'successful' && (charges || added.length > 0))
      throw new AppError('TOOL_FAILED', { message: fieldText('runGivenUp') })
  }
  /** A caller that disconnects or dismisses its job ends the run too. */
  const fail = (code: Code): Promise<void> =>
    end({ status: 'failed', outputBytes: 0, code, isFault: isServerFault(code) && !call.signal?.aborted }, [])
  const begin = async (): Promise<number | undefined> => {
    try {
      return await runs.beginRun(db, run, allowance ?? 0)
    } catch (error) {
      // the write may have begun
      deps.leases.settleLater(() => fail('STORE_UNAVAILABLE'))
      throw error
    }
  }
  const creditsUsed = charges
    ? await begin()
    : allowance === null
      ? 0
      : await runs.creditsUsed(db, owner.id, period.start)
  if (creditsUsed === undefined) throw new AppError('CREDITS_EXHAUSTED')
  try {
    await call.onBegin?.(run.id)
    const { scratch, openFolder, deadlineMs, signal, onProgress, bodyPath, dataPath } = call
    const background = call.jobId !== null
    for (const { file } of filesIn(input)) if (!call.storedInputs.has(file.path)) deps.files.prepare(file.path)
    const result = await engine.run(tool, input, {
      scratch,
      openFolder,
      deadlineMs,
      signal,
      onProgress,
      background,
      requestId: call.requestId,
      tenant: owner.id,
      sent: { bytes: call.inputBytes, files: filesIn(input).length },
      plan: owner.plan,
      bodyPath,
      dataPath,
    })
    // the caller has disconnected and gets no result, so the run is not charged
    if (signal?.aborted) throw new AppError('TOOL_FAILED', { message: fieldText('callCancelled') })
    const outputBytes = outputBytesOf(result)
    const outcomeOf = (stored: readonly Stored[]): Outcome => {
      const output = stored.find(({ role }) => role === 'output')
      const usage = {
        channel: 'api',
        requestId: call.requestId,
        runId: run.id,
        creditsCharged: credits,
        creditsRemaining: Math.max(0, (allowance ?? 0) - creditsUsed),
        inputBytes: call.inputBytes,
        outputBytes,
        totalBytes: call.inputBytes + outputBytes,
        periodStartAt: period.start.toISOString(),
        periodEndAt: period.end.toISOString(),
      }
      return {
        data: { ...dataOf(tool, result, stored), usage },
        dataPath: result.dataPath,
        output: output && { filename: output.filename, crs: output.crs },
      }
    }
    const success = { status: 'successful', outputBytes, code: 'SUCCESS' } as const
    const stored = storedFilesOf(run, call, result)
    const added = stored.filter(({ isNew }) => isNew)
    const bytesToStore = added.reduce((sum, { bytes }) => sum + bytes, 0)
    const outcome = outcomeOf(stored)
    const written = added.map(({ id: key, path }) => ({ key, path }))
    const { onSuccess } = call
    await deps.storage.within(owner.id, bytesToStore, () =>
      deps.fileWrites.write(written, async () => {
        if (onSuccess === undefined) return end(success, stored)
        await db.transaction(async (tx) => {
          // before the end of the run, which locks its owner's counters: this may prepare long texts
          await onSuccess(tx, outcome)
          await end(success, stored, tx)
          await call.onEnded?.(tx)
        })
      }),
    )
    for (const { id, role, bytes, isNew } of stored)
      if (isNew && role === 'input' && bytes >= LARGE_INPUT_BYTES) deps.files.uncache(id)
    if (result.dataPath === undefined) await keep(200, { data: withoutPicture(outcome.data) })
    return outcome
  } catch (error) {
    const code = error instanceof AppError ? error.code : 'INTERNAL_ERROR'
    await deps.leases.settle(() => fail(code))
    if (error instanceof AppError) {
      const { message, messageAr, errors, status } = error
      await keep(status, { code, message, messageAr, ...(errors && { errors }) })
    }
    throw error
  }
}

type Stored = runs.NewStoredFile & { isNew: boolean; storageKey: string; path: string }
type Outcomes = Pick<runs.RunEnd, 'status' | 'outputBytes' | 'code' | 'isFault'>

/** For a run that used stored input files, all its inputs in order; if it failed, only the stored ones. */
function recordedInputs({ input, storedInputs }: Call, stored: readonly Stored[]): runs.RunEnd['inputs'] {
  if (storedInputs.size === 0) return null
  if (stored.length === 0)
    return filesIn(input).flatMap(({ field, file: { path, filename, bytes } }) => {
      const known = storedInputs.get(path)
      return known === undefined ? [] : [{ field, ...known, filename, bytes }]
    })
  return stored.flatMap(({ id: key, storageKey, role, field, filename, bytes }) =>
    role === 'input' ? [{ field: field ?? '', key, storageKey, filename, bytes }] : [],
  )
}

/**
 * Uploaded files of at least this size are dropped from the page cache: they would evict readings, and each call would
 * need new memory, which takes a virtual machine 2.6 s per gigabyte to get from its host.
 */
const LARGE_INPUT_BYTES = 16e6

const sizeOf = (files: readonly OutputFile[]): number => files.reduce((sum, { path }) => sum + Bun.file(path).size, 0)

function outputBytesOf({ files = [], data, dataPath }: ToolResult): number {
  if (files.length > 0) return sizeOf(files)
  return dataPath === undefined ? Buffer.byteLength(JSON.stringify(data)) : Bun.file(dataPath).size
}

/** The records of input and output files. */
function storedFilesOf(run: runs.NewRun, call: Call, result: ToolResult): Stored[] {
  const { enterpriseId, personId, memberId } = run
  const about = { enterpriseId, personId, memberId, runId: run.id }
  const inputs = filesIn(call.input).map(({ field, file: { filename, bytes, path } }): Stored => {
    const known = call.storedInputs.get(path)
    const id = known?.key ?? newId('fil')
    const record = { id, artifactId: null, role: 'input' as const, field, filename, bytes, crs: null }
    const isNew = known === undefined
    const storageKey = known?.storageKey ?? id
    return { ...about, ...record, mediaType: 'application/octet-stream', isNew, storageKey, path }
  })
  const outputs = (result.files ?? []).map(({ role, filename, mediaType, crs = null, path }): Stored => {
    const id = newId('fil')
    const bytes = Bun.file(path).size
    const record = { id, artifactId: newId('art'), role, field: null, filename, mediaType, crs, bytes }
    return { ...about, ...record, isNew: true, storageKey: id, path }
  })
  return [...inputs, ...outputs]
}

function dataOf(tool: Tool, result: ToolResult, stored: readonly Stored[]): Record<string, unknown> {
  const inputs = stored.filter(({ role }) => role === 'input')
  const output = stored.find(({ role }) => role === 'output')
  const preview = stored.find(({ role }) => role === 'preview')
  const several = tool.input.properties.files !== undefined
  const { warnings = [] } = result
  return {
    ...(output && { key: output.id, outputFilename: output.filename, artifactId: output.artifactId }),
    ...(preview && { previewKey: preview.id }),
    ...(inputs.length > 0 && { inputKey: inputs[0]?.id }),
    ...(inputs.length > 0 && several && { inputKeys: inputs.map(({ id }) => id) }),
    ...result.data,
    ...(warnings.length > 0 && { warnings: inEnglish(warnings), warningsAr: inArabic(warnings) }),
  }
}
