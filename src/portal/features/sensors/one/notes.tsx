/** Notes of people on the time axis: the list below the charts, and the dialog that makes and changes them. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { type Resource, useResource } from '../../../api/resource.ts'
import type { components } from '../../../api/schema.d.ts'
import { zone } from '../../../shell/preferences.ts'
import { place } from '../../../shell/router.ts'
import { may, membership } from '../../../shell/session.ts'
import { formatMoment, formatSpan, timeZone } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import type { Mark } from '../../../ui/chart/chart.tsx'
import { inputMs, inputText, type Range } from '../../../ui/chart/range.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { FormFailure } from '../../../ui/failure-text.tsx'
import { Field, Switch, TextField } from '../../../ui/field.tsx'
import { useDraft } from '../../../ui/form.ts'
import { Failure } from '../../../ui/states.tsx'

type Note = components['schemas']['Note']

const MOST = 1_000
const MAX_CHARACTERS = 2_000

export function useNotes(sensorId: string, range: Range): Resource<Note[]> {
  return useResource(
    async (signal) => {
      const query = {
        sensor: sensorId,
        from: new Date(range.fromMs).toISOString(),
        // a note may be made for a moment that is still to come
        ...(range.preset === undefined && { to: new Date(range.toMs).toISOString() }),
        limit: MOST,
      }
      return (await dataOf(api.GET('/enterprise/v1/assets/notes', { params: { query }, signal }))).items
    },
    [sensorId, place.value.query.toString()],
  )
}

export const noteMarks = (notes: readonly Note[]): Mark[] =>
  notes.map(({ at, text }) => ({ atMs: Date.parse(at), kind: 'note', text }))

const mayChange = ({ shared }: Note): boolean => !shared || may.value.administer

export function Notes({ sensorId, notes }: { sensorId: string; notes: Resource<Note[]> }) {
  const [edited, setEdited] = useState<Note | 'new' | undefined>(undefined)
  const items = notes.data.value ?? []
  const done = (): void => {
    setEdited(undefined)
    notes.reload()
  }
  async function remove({ id }: Note): Promise<void> {
    await dataOf(api.DELETE('/enterprise/v1/assets/notes/{id}', { params: { path: { id } } }))
    notes.reload()
  }
  return (
    <section class="notes" aria-labelledby="notes">
      <div class="row">
        <h2 id="notes">{t('notes.title')}</h2>
        <Button kind="quiet" icon="note" onClick={() => setEdited('new')}>
          {t('notes.add')}
        </Button>
      </div>
      {notes.error.value !== undefined && <Failure error={notes.error.value} onRetry={notes.reload} />}
      {items.length === 0 && notes.data.value !== undefined && <p class="weak">{t('notes.none')}</p>}
      <ul>
        {items.map((note) => (
          <li key={note.id}>
            <span class="number weak">{timeOf(note)}</span>
            <bdi class="note-text">{note.text}</bdi>
            <span class="weak">
              {t(note.shared ? 'notes.isShared' : 'notes.isPrivate')}
              {note.sensorId === null && ` · ${t('notes.isOfAll')}`}
            </span>
            {mayChange(note) && (
              <span>
                <IconButton icon="edit" label={t('notes.change')} onClick={() => setEdited(note)} />
                <IconButton icon="remove" label={t('notes.delete')} onClick={() => void remove(note)} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {edited !== undefined && (
        <NoteDialog
          sensorId={sensorId}
          note={edited === 'new' ? undefined : edited}
          onDone={done}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  )
}

function timeOf({ at, until }: Note): string {
  return until === null ? formatMoment(Date.parse(at)) : formatSpan(Date.parse(at), Date.parse(until))
}

function NoteDialog(props: { sensorId: string; note: Note | undefined; onDone: () => void; onClose: () => void }) {
  const { sensorId, note } = props
  const isUtc = zone.value === 'utc'
  const shown = (at: string | null): string => (at === null ? '' : inputText(Date.parse(at), isUtc))
  const draft = useDraft(`note.${note?.id ?? sensorId}`, {
    at: shown(note?.at ?? new Date().toISOString()),
    until: shown(note?.until ?? null),
    text: note?.text ?? '',
    shared: false,
    isOfAll: false,
  })
  const { shared, isOfAll } = draft.values.value
  async function submit(): Promise<void> {
    const saved = await draft.submit((values, idempotencyKey) => {
      const sent = (text: string): string => {
        const ms = inputMs(text, isUtc)
        // the server names the field of a wrong time
        return Number.isNaN(ms) ? text : new Date(ms).toISOString()
      }
      const own = { at: sent(values.at), until: values.until === '' ? null : sent(values.until), text: values.text }
      const body = { ...own, sensorId: values.isOfAll ? null : sensorId, ...(values.shared && { shared: true }) }
      return note === undefined
        ? dataOf(api.POST('/enterprise/v1/assets/notes', { body, headers: { 'idempotency-key': idempotencyKey } }))
        : dataOf(api.PATCH('/enterprise/v1/assets/notes/{id}', { params: { path: { id: note.id } }, body: own }))
    })
    if (saved !== undefined) props.onDone()
  }
  return (
    <FormDialog
      title={t(note === undefined ? 'notes.add' : 'notes.change')}
      action={t('notes.save')}
      onSubmit={submit}
      onClose={() => {
        draft.clear()
        props.onClose()
      }}
    >
      <Field label={t('notes.text')} error={draft.errorAt('text')}>
        {(attributes) => (
          <textarea
            {...attributes}
            dir="auto"
            rows={3}
            maxLength={MAX_CHARACTERS}
            required
            autofocus
            value={draft.values.value.text}
            onInput={(event) => draft.set('text', event.currentTarget.value)}
          />
        )}
      </Field>
      <p class="weak">{t('chart.inZone', { zone: timeZone.value })}</p>
      <TextField label={t('notes.at')} type="datetime-local" step="1" dir="ltr" {...draft.field('at')} />
      <TextField label={t('notes.until')} type="datetime-local" step="1" dir="ltr" {...draft.field('until')} />
      {note === undefined && (
        <>
          <Switch label={t('notes.forAll')} isOn={isOfAll} onChange={(isOn) => draft.set('isOfAll', isOn)} />
          {membership.value === undefined ? (
            <p class="weak">{t('notes.allSee')}</p>
          ) : may.value.administer ? (
            <Switch label={t('notes.share')} isOn={shared} onChange={(isOn) => draft.set('shared', isOn)} />
          ) : (
            <p class="weak">{t('notes.onlyYou')}</p>
          )}
        </>
      )}
      <FormFailure error={draft.error.value} />
    </FormDialog>
  )
}
