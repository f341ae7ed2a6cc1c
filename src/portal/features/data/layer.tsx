/** One layer: its features on the map and in a table, its versions, and its users. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ApiError, api } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, leaveQuestions, navigate, queryValue, setQuery } from '../../shell/router.ts'
import { may, ownerId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { ConfirmByName } from '../../ui/dialog.tsx'
import { EditableName } from '../../ui/editable-name.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { failureText } from '../../ui/form.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { notify } from '../../ui/toasts.tsx'
import { UseInTool } from '../tools/result-view/use-in-tool.tsx'
import { ExportMenu } from './layer-page/export-menu.tsx'
import { FeaturesTab } from './layer-page/features-tab.tsx'
import { renameLayer } from './layer-page/new-layer.tsx'
import { SaveBar } from './layer-page/save-bar.tsx'
import { UsesTab } from './layer-page/uses-tab.tsx'
import { VersionsTab } from './layer-page/versions-tab.tsx'
import { createLayerData } from './layers/layer-data.ts'
import { type Current, type LayerRecord, loadLayer } from './layers/layer-record.ts'
import { actorName } from './layers/words.ts'

const TABS = ['features', 'versions', 'uses'] as const
type Tab = (typeof TABS)[number]

export function LayerPage({ parameters }: PageProps) {
  const owner = ownerId.value as string
  const id = parameters.id as string
  const current = useResource((signal) => loadLayer(owner, id, signal), [owner, id])
  useEffect(() => {
    // the map's code loads meanwhile; if loading fails, the map reports it
    for (const code of [import('../map/engine/engine.ts'), import('../map/engine/picture-layer.ts')])
      code.catch(() => undefined)
  }, [])
  return (
    <Loaded resource={current} record={{ kind: 'layer' }}>
      {(loaded) => <Editor key={`${owner} ${id}`} owner={owner} current={loaded} onChange={() => current.reload()} />}
    </Loaded>
  )
}

/** The features of a layer, opened once for all tabs. */
function useLayer(owner: string, { layer, etag }: Current) {
  const data = useMemo(() => createLayerData(owner, layer.id), [])
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    setError(undefined)
    data
      .open({ version: layer.version, etag, fields: layer.fields })
      .then((isDraft) => isDraft && notify(t('layers.draftKept')))
      .catch((failure: unknown) => {
        if (failure instanceof ApiError && failure.code !== 'CLOSED') setError(failure)
      })
  }, [attempt])
  useEffect(() => {
    // the browser keeps the changes; the question is for people who expect that leaving saves them
    const mayLeave = (): boolean => {
      if (data.summary.peek()?.hasChanges) notify(t('layers.leftUnsaved'))
      return true
    }
    leaveQuestions.add(mayLeave)
    return () => {
      leaveQuestions.delete(mayLeave)
      data.end()
    }
  }, [])
  return { data, error, retry: () => setAttempt((n) => n + 1) }
}

function Editor({ owner, current, onChange }: { owner: string; current: Current; onChange: () => void }) {
  const { layer, etag } = current
  const { data, error, retry } = useLayer(owner, current)
  const [nameError, setNameError] = useState<string | undefined>(undefined)
  const isDeleting = useSignal(false)
  const tab: Tab = TABS.find((one) => one === queryValue('tab')) ?? 'features'
  const isReady = data.summary.value !== undefined

  async function rename(name: string): Promise<boolean> {
    try {
      await renameLayer(owner, layer.id, name, etag)
      setNameError(undefined)
      // the record has a new tag; edits stay
      const next = await loadLayer(owner, layer.id)
      if (data.base.peek()?.version === next.layer.version && data.base.peek() !== undefined)
        data.base.value = { ...(data.base.peek() as NonNullable<typeof data.base.value>), etag: next.etag }
      onChange()
      return true
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      setNameError(failure.status === 412 ? t('layers.renamedMeanwhile') : failureText(failure))
      if (failure.status === 412) onChange()
      return false
    }
  }

  return (
    <>
      <PageHead
        title={layer.name}
        isName
        parent={{ href: href('/data/layers'), label: t('layers.title') }}
        heading={
          may.value.keep ? (
            <EditableName
              value={layer.name}
              label={t('layers.name')}
              action={t('layers.rename')}
              onSave={rename}
              error={nameError}
            />
          ) : undefined
        }
        beside={
          <span class="weak">
            {t('layers.versionBy', { version: layer.version, who: actorName(layer.changedBy) })}{' '}
            <Age at={layer.updatedAt} />
          </span>
        }
      >
        <UseInTool file={{ key: layer.id, filename: layer.name }} kind="features" label={t('layers.useInTool')} />
        <ExportMenu owner={owner} layer={layer} data={data} />
        {may.value.keep && (
          <Menu
            label={t('layers.more')}
            button={<Icon name="more" />}
            items={[
              {
                label: t('layers.delete'),
                icon: 'remove',
                isDanger: true,
                onSelect: () => {
                  isDeleting.value = true
                },
              },
            ]}
          />
        )}
      </PageHead>
      <Tabs
        label={layer.name}
        tabs={TABS.map((one) => ({ id: one, label: t(`layers.tabs.${one}`) }))}
        selected={tab}
        onSelect={(next) => setQuery({ tab: next === 'features' ? undefined : next, from: undefined, to: undefined })}
      />
      {may.value.keep && isReady && (tab === 'features' || data.summary.value?.hasChanges) && (
        <SaveBar owner={owner} layerId={layer.id} data={data} onSaved={onChange} />
      )}
      {tab === 'features' &&
        (error !== undefined ? <Failure error={error} onRetry={retry} /> : <FeaturesTab layer={layer} data={data} />)}
      {tab === 'versions' && <VersionsTab owner={owner} current={current} data={data} onRestored={onChange} />}
      {tab === 'uses' && <UsesTab kind="layers" owner={owner} id={layer.id} />}
      {isDeleting.value && (
        <DeleteLayer
          owner={owner}
          layer={layer}
          onClose={() => {
            isDeleting.value = false
          }}
        />
      )}
    </>
  )
}

function DeleteLayer({ owner, layer, onClose }: { owner: string; layer: LayerRecord; onClose: () => void }) {
  async function remove(): Promise<void> {
    await attempt(async () => {
      await api.DELETE('/manage/v1/owners/{ownerId}/layers/{id}', {
        params: { path: { ownerId: owner, id: layer.id } },
      })
      notify(t('layers.deleted', { name: layer.name }))
      navigate('/data/layers')
    })
  }
  return (
    <ConfirmByName
      title={t('layers.delete')}
      warning={t('layers.deleteWarning')}
      name={layer.name}
      action={t('layers.delete')}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
