/** A new layer: from a file, by drawing, or empty. */
import { useRef, useState } from 'preact/hooks'
import { ApiError, api, dataOf, send } from '../../../api/client.ts'
import { sendFile } from '../../../api/send-file.ts'
import { uploadFile } from '../../../api/upload.ts'
import { navigate } from '../../../shell/router.ts'
import { ownerId } from '../../../shell/session.ts'
import { formatBytes, formatList } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { warningsInLanguage } from '../../../text/warnings.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { storedFileAddress } from '../../../ui/download.tsx'
import { DropZone } from '../../../ui/drop-zone.tsx'
import { TextField } from '../../../ui/field.tsx'
import { useDraft } from '../../../ui/form.ts'
import { Progress } from '../../../ui/progress.tsx'
import { Failure } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { askWorker } from '../layers/layer-data.ts'
import type { Inspected } from '../layers/protocol.ts'

const GEOJSON = /\.(geo)?json$/i
const ACCEPTED = '.geojson,.json,.zip,.kml,.kmz,.gml,.gpkg,.fgb,.parquet,.csv,.tsv,.txt'
/** The same as the limit of vector files. */
const MAX_BYTES = 100 * 2 ** 20
const MAX_FIELDS_SHOWN = 12

type Chosen = { file: File; inspected: Inspected | undefined }
type Work = { label: string; done: number; total: number | undefined }
type Start = 'file' | 'draw' | 'empty'

export function NewLayer({ onClose }: { onClose: () => void }) {
  const owner = ownerId.value as string
  const form = useDraft('layer.new', { name: '' })
  const [chosen, setChosen] = useState<Chosen | undefined>(undefined)
  const [work, setWork] = useState<Work | undefined>(undefined)
  /** The text of the feature that the API refused. */
  const [refused, setRefused] = useState<{ number: number; text: string } | undefined>(undefined)
  const abort = useRef(new AbortController())
  const { name } = form.values.value

  async function choose(file: File): Promise<void> {
    setRefused(undefined)
    form.error.value = undefined
    if (form.values.peek().name.trim() === '') form.set('name', file.name.replace(/\.[^.]+$/, '').slice(0, 200))
    setChosen({ file, inspected: undefined })
    if (!GEOJSON.test(file.name)) return
    const worker = askWorker()
    try {
      setChosen({ file, inspected: await worker.ask<'inspect'>({ kind: 'inspect', file }) })
    } finally {
      worker.end()
    }
  }

  const steps = (label: string) => (done: number, total: number | undefined) => setWork({ label, done, total })

  /** Converts a file in another format. It stays on the server. @returns the key of the result */
  async function convert(file: File, key: string): Promise<string> {
    const { signal } = abort.current
    const report = steps(t('layers.new.uploading'))
    report(0, file.size)
    const { key: stored } = await uploadFile(file, {
      signal,
      onProgress: ({ sentBytes }) => report(sentBytes, file.size),
    })
    setWork({ label: t('layers.new.converting'), done: 0, total: undefined })
    const body = new FormData()
    body.set('file', stored)
    body.set('target_format', 'geojson')
    const answer = await send('/enterprise/v1/gis/validate-convert', {
      method: 'POST',
      body,
      signal,
      headers: { 'idempotency-key': `${key}-convert` },
    })
    const { data } = (await answer.json()) as {
      data: { key: string; warnings?: string[]; warningsAr?: string[] }
    }
    for (const warning of warningsInLanguage(data.warnings, data.warningsAr)) notify(warning)
    return data.key
  }

  async function createFromOther(name: string, file: File, key: string): Promise<{ id: string }> {
    const converted = await convert(file, key)
    setWork({ label: t('layers.new.saving'), done: 0, total: undefined })
    const { signal } = abort.current
    try {
      return await dataOf(
        api.POST('/manage/v1/owners/{ownerId}/layers/from-file', {
          params: { path: { ownerId: owner } },
          body: { name, file: converted },
          headers: { 'idempotency-key': key },
          signal,
        }),
      )
    } catch (error) {
      // the message counts the features of the converted file, which only the server has
      if (error instanceof ApiError && error.faults[0]?.feature !== undefined)
        await explain(error, await (await send(storedFileAddress(converted), { signal })).blob())
      throw error
    }
  }

  async function createFromGeoJson(name: string, geojson: Blob, key: string): Promise<{ id: string }> {
    const body = new Blob([`{"name":${JSON.stringify(name)},"geojson":`, geojson, '}'])
    const report = steps(t('layers.new.saving'))
    report(0, body.size)
    try {
      return await sendFile<{ id: string }>(`/manage/v1/owners/${encodeURIComponent(owner)}/layers`, body, {
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        onProgress: report,
        signal: abort.current.signal,
      })
    } catch (error) {
      if (error instanceof ApiError) await explain(error, geojson)
      throw error
    }
  }

  async function create(start: Start): Promise<void> {
    setRefused(undefined)
    abort.current = new AbortController()
    const file = start === 'file' ? chosen?.file : undefined
    const made = await form.submit((values, key) => {
      const layerName = values.name.trim()
      if (file !== undefined && !GEOJSON.test(file.name)) return createFromOther(layerName, file, key)
      return createFromGeoJson(layerName, file ?? new Blob(['{"type":"FeatureCollection","features":[]}']), key)
    })
    setWork(undefined)
    if (made === undefined) return
    navigate(`/data/layers/${encodeURIComponent(made.id)}${start === 'draw' ? '?draw=polygon' : ''}`)
  }

  /** Shows the feature that a message is about. */
  async function explain(error: ApiError, geojson: Blob): Promise<void> {
    const number = error.faults[0]?.feature
    if (number === undefined) return
    const worker = askWorker()
    try {
      const { problem } = await worker.ask<'inspect'>({ kind: 'inspect', file: geojson, feature: number })
      if (problem !== undefined) setRefused({ number, text: problem })
    } finally {
      worker.end()
    }
  }

  const error = form.error.value
  const isStopped = error?.message.includes('AbortError') === true || error?.code === 'ABORTED'
  const nameError = form.errorAt('name')
  const canCreate = name.trim() !== '' && work === undefined
  return (
    <Dialog title={t('layers.create')} isWide onClose={work === undefined ? onClose : undefined}>
      <div class="stack">
        <TextField
          label={t('layers.name')}
          value={name}
          maxLength={200}
          error={nameError}
          onInput={(value) => form.set('name', value)}
        />
        <DropZone
          label={t('layers.new.choose')}
          accept={ACCEPTED}
          maxBytes={MAX_BYTES}
          help={t('layers.new.formats')}
          pasteName="pasted.geojson"
          onFile={(file) => void choose(file)}
        />
        {chosen !== undefined && <Summary {...chosen} />}
        {work !== undefined && (
          <Progress
            label={work.label}
            text={work.label}
            done={work.done}
            total={work.total}
            rateText={(rate) => t('layers.perSecond', { size: formatBytes(rate) })}
            onStop={() => abort.current.abort()}
          />
        )}
        {error !== undefined && nameError === undefined && !isStopped && (
          <>
            <Failure error={error} />
            {refused !== undefined && (
              <div class="refused-feature">
                <strong>{t('layers.new.refused', { number: refused.number })}</strong>
                <code dir="ltr">{refused.text}</code>
              </div>
            )}
          </>
        )}
        <div class="dialog-actions">
          <Button disabled={!canCreate} icon="polygon" onClick={() => create('draw')}>
            {t('layers.new.draw')}
          </Button>
          <Button disabled={!canCreate} onClick={() => create('empty')}>
            {t('layers.new.empty')}
          </Button>
          <Button kind="main" disabled={!canCreate || chosen === undefined} onClick={() => create('file')}>
            {t('layers.new.fromFile')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function Summary({ file, inspected }: Chosen) {
  const isRead = inspected !== undefined && inspected.problem === undefined
  return (
    <div class="layer-file" role="status">
      <strong>
        <bdi>{file.name}</bdi>
      </strong>{' '}
      <span class="weak number">{formatBytes(file.size)}</span>
      {isRead && (
        <p>
          {t('layers.new.found', { count: inspected.count })}
          {inspected.types.length > 0 && ` · ${formatList(inspected.types)}`}
        </p>
      )}
      {isRead && inspected.fields.length > 0 && (
        <p class="weak">
          {t('layers.columns')}:{' '}
          <bdi>{formatList(inspected.fields.slice(0, MAX_FIELDS_SHOWN).map((one) => one.slice(0, 60)))}</bdi>
          {inspected.fields.length > MAX_FIELDS_SHOWN && '…'}
        </p>
      )}
      {inspected?.problem !== undefined && (
        <p class="field-error">{t('layers.new.notJson', { reason: inspected.problem })}</p>
      )}
      {!GEOJSON.test(file.name) && <p class="weak">{t('layers.new.willConvert')}</p>}
    </div>
  )
}

/** Renames a layer that somebody may have renamed meanwhile. */
export const renameLayer = (owner: string, id: string, name: string, etag: string) =>
  dataOf(
    api.PATCH('/manage/v1/owners/{ownerId}/layers/{id}', {
      params: { path: { ownerId: owner, id } },
      headers: { 'if-match': etag },
      body: { name },
    }),
  )
