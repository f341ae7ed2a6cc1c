/** Unsaved changes, undo and redo, saving, and the question when somebody else has saved meanwhile. */
import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../../../api/client.ts'
import { t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { failureText } from '../../../ui/form.ts'
import { notify } from '../../../ui/toasts.tsx'
import type { LayerData } from '../layers/layer-data.ts'
import { type Current, loadLayer } from '../layers/layer-record.ts'
import type { Conflict } from '../layers/protocol.ts'
import { LayerConflict } from './layer-conflict.tsx'

const CONFLICT = 412

export function SaveBar(props: { owner: string; layerId: string; data: LayerData; onSaved: () => void }) {
  const { owner, layerId, data } = props
  const [conflict, setConflict] = useState<{ found: Conflict; current: Current } | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const state = data.summary.value

  async function trying(work: () => Promise<void>): Promise<void> {
    try {
      setError(undefined)
      await work()
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, 'UNEXPECTED', String(failure)))
    }
  }
  const save = (): Promise<void> =>
    trying(async () => {
      try {
        await data.save()
        notify(t('layers.saved', { version: data.base.peek()?.version ?? 0 }))
        props.onSaved()
      } catch (failure) {
        if (!(failure instanceof ApiError) || failure.status !== CONFLICT) throw failure
        const current = await loadLayer(owner, layerId)
        if (current.layer.version === data.base.peek()?.version) {
          // only the record has changed, such as its name
          await data.rebase(baseOf(current), [])
          await data.save()
          props.onSaved()
          return
        }
        setConflict({ found: await data.conflict(current.layer.version), current })
      }
    })

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      const target = event.target as Element | null
      if (target?.closest?.('input, textarea, select, dialog') || !(event.ctrlKey || event.metaKey)) return
      const key = event.key.toLowerCase()
      const wanted = key === 'y' || (key === 'z' && event.shiftKey) ? data.redo : key === 'z' ? data.undo : undefined
      if (wanted === undefined) return
      event.preventDefault()
      void wanted()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])

  if (state === undefined) return null
  const isIdle = !state.hasChanges && !state.mayUndo && !state.mayRedo
  const words = [
    ...(state.added > 0 ? [t('layers.addedCount', { count: state.added })] : []),
    ...(state.changed > 0 ? [t('layers.changedCount', { count: state.changed })] : []),
    ...(state.removed > 0 ? [t('layers.removedCount', { count: state.removed })] : []),
  ]
  return (
    <section class={isIdle ? 'save-bar save-idle' : 'save-bar'} aria-label={t('layers.unsaved')}>
      <span class="save-words" role="status">
        {state.hasChanges
          ? `${t('layers.unsaved')}: ${words.join(' · ') || t('layers.columnsChanged')}`
          : t('layers.allSaved')}
      </span>
      <IconButton
        icon="undo"
        label={t('layers.undo')}
        disabled={!state.mayUndo}
        onClick={() => void trying(data.undo)}
      />
      <IconButton
        icon="redo"
        label={t('layers.redo')}
        disabled={!state.mayRedo}
        onClick={() => void trying(data.redo)}
      />
      <Button disabled={!state.mayUndo} onClick={() => trying(data.discard)}>
        {t('layers.discard')}
      </Button>
      <Button kind="main" disabled={!state.hasChanges} onClick={save}>
        {t('layers.save')}
      </Button>
      {error !== undefined && (
        <p class="field-error save-error" role="alert">
          {failureText(error)}
        </p>
      )}
      {conflict !== undefined && (
        <LayerConflict
          conflict={conflict.found}
          layer={conflict.current.layer}
          base={data.base.value?.version ?? 0}
          onClose={() => setConflict(undefined)}
          onChosen={async (theirs) => {
            setConflict(undefined)
            await trying(() => data.rebase(baseOf(conflict.current), theirs))
            if (data.summary.peek()?.hasChanges) await save()
            else props.onSaved()
          }}
        />
      )}
    </section>
  )
}

const baseOf = ({ layer, etag }: Current) => ({ version: layer.version, etag, fields: layer.fields })
