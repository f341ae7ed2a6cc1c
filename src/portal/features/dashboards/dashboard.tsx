/** A dashboard: shown, arranged, shared, and full screen for a wall. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { deleteRecord, loadRecord, type Versioned } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { randomId } from '../../shell/random-id.ts'
import { addressWith, href, navigate, place, queryValue, setQuery } from '../../shell/router.ts'
import { enterpriseId, may } from '../../shell/session.ts'
import { formatExact } from '../../text/format.ts'
import { isolated, t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { chooseRange, rangeOf } from '../../ui/chart/range.ts'
import { RangePicker } from '../../ui/chart/range-picker.tsx'
import { EditableName } from '../../ui/editable-name.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { useDraft } from '../../ui/form.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { useRecordChanges } from '../../ui/table/record-changes.tsx'
import { notify } from '../../ui/toasts.tsx'
import { TagFilter } from '../sensors/tag-filter.tsx'
import { AssetFilter } from './asset-filter.tsx'
import {
  createDashboard,
  type Dashboard,
  type DashboardDocument,
  dashboardPath,
  loaderOf,
  MAX_PANELS,
  type Panel,
} from './dashboard-data.ts'
import { printDashboard, saveDashboardPicture } from './dashboard-picture.ts'
import { Grid } from './grid.tsx'
import { exportDashboard } from './import-dashboard.tsx'
import { below, settled } from './layout.ts'
import { PanelForm } from './panel-form.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { useWall, WallHead } from './wall.tsx'

type Change = Partial<Pick<Dashboard, 'name' | 'shared' | 'document'>>
/** Unsaved panels, and the version that they were made from. */
type Unsaved = { document?: DashboardDocument | undefined; etag?: string | undefined }

export function DashboardPage({ parameters }: PageProps) {
  const id = parameters.id ?? ''
  const record = useResource((signal) => loadRecord<Dashboard>(dashboardPath(id), signal), [id, enterpriseId.value])
  return (
    <Loaded resource={record} record={{ kind: 'dashboard' }}>
      {(version) => (
        <Shown
          key={id}
          version={version}
          onChange={(next) => {
            record.data.value = next
          }}
        />
      )}
    </Loaded>
  )
}

type ShownProps = { version: Versioned<Dashboard>; onChange: (next: Versioned<Dashboard>) => void }

function Shown({ version, onChange }: ShownProps) {
  const { record } = version
  const mayChange = !record.shared || may.value.administer
  const isEditing = mayChange && queryValue('edit') === 'on'
  const draft = useDraft<Unsaved>(`dashboard.${record.id}`, {})
  const [form, setForm] = useState<{ panel: Panel; isNew: boolean } | undefined>(undefined)
  const [isSharing, setSharing] = useState(false)
  const [steps, setSteps] = useState(0)
  const wall = useWall()
  const document = (isEditing ? draft.values.value.document : undefined) ?? record.document
  const changes = useRecordChanges<Dashboard, Change>({
    path: dashboardPath(record.id),
    version,
    onChange: (next) => {
      // another field of the record was saved here: the panels are based on that version too
      if (draft.values.peek().document !== undefined) draft.set('etag', next.etag)
      onChange(next)
    },
    onTheirs: draft.clear,
    onSaved: (change) => {
      if (change.document === undefined) return
      draft.clear()
      setQuery({ edit: undefined })
    },
    labelOf: (field) => t(`dashboards.fields.${field}`),
    textOf: (field, of) =>
      field === 'document'
        ? t('dashboards.panelCount', { count: of.document?.panels.length ?? 0 })
        : field === 'shared'
          ? t(of.shared ? 'dashboards.shared' : 'dashboards.private')
          : (of.name ?? ''),
    saved: t('dashboards.saved'),
  })
  useEffect(() => {
    if (mayChange && draft.values.peek().document !== undefined) {
      setQuery({ edit: 'on' })
      notify(t('dashboards.draftKept'))
    }
    return () => {
      if (draft.values.peek().document !== undefined) notify(t('dashboards.leftUnsaved'))
    }
  }, [])

  // the range and the variables of the document, until the address names others
  const isNamed = queryValue('range') !== undefined || queryValue('from') !== undefined
  useEffect(() => {
    if (!isNamed && (record.document.range ?? '24h') !== '24h') setQuery({ range: record.document.range })
  }, [])
  const query = place.value.query.toString()
  const range = useMemo(() => rangeOf(Date.now()), [query])
  const tag = queryValue('tag') ?? document.variables?.tag
  const assetId = queryValue('asset') ?? document.variables?.assetId
  const variables = { ...(tag !== undefined && { tag }), ...(assetId !== undefined && { assetId }) }
  const load = loaderOf(() => (range.preset === undefined ? range : rangeOf(Date.now())), variables)
  const source = JSON.stringify([enterpriseId.value, variables, range.preset ?? [range.fromMs, range.toMs]])
  const hasVariables = document.panels.some(({ sensors }) => sensors?.variables === true)

  function change(panels: Panel[]): void {
    if (draft.values.peek().document === undefined) draft.set('etag', version.etag)
    draft.set('document', { ...document, panels })
  }
  const save = () =>
    changes.save(
      {
        document: {
          ...document,
          ...(range.preset !== undefined && { range: range.preset }),
          variables,
        },
      },
      draft.values.peek().etag,
    )
  function add(): void {
    const id = randomId().slice(0, 12)
    setForm({
      panel: { id, type: 'chart', x: 0, y: below(document.panels), w: 6, h: 5, sensors: { variables: true } },
      isNew: true,
    })
  }
  function remove(panel: Panel): void {
    const before = document.panels
    change(settled(before.filter(({ id }) => id !== panel.id)))
    notify(t('dashboards.panelRemoved'), { undo: async () => change(before) })
  }
  function about(): string {
    const chosen = [...window.document.querySelectorAll('.dash-bar .chip[aria-current="true"]')]
    const { fromMs, toMs } = rangeOf(Date.now())
    return [formatExact(fromMs), '–', formatExact(toMs), ...chosen.map((chip) => chip.textContent?.trim())]
      .map(isolated)
      .join(' ')
  }
  const context = {
    range,
    hasPages: true,
    onZoom: (fromMs: number, toMs: number) => {
      setSteps((count) => count + 1)
      chooseRange(fromMs, toMs, { push: true })
    },
  }
  const content =
    document.panels.length === 0 ? (
      <Empty title={t('dashboards.noPanels')} text={t('dashboards.noPanelsText')}>
        {mayChange && (
          <Button
            kind="main"
            onClick={() => {
              setQuery({ edit: 'on' })
              add()
            }}
          >
            {t('dashboards.addPanel')}
          </Button>
        )}
      </Empty>
    ) : (
      <Grid
        {...context}
        panels={document.panels}
        load={load}
        source={source}
        arrange={
          isEditing
            ? { onChange: change, onEdit: (panel) => setForm({ panel, isNew: false }), onRemove: remove }
            : undefined
        }
      />
    )
  if (wall.isOn)
    return (
      <div class="dash-wall">
        <WallHead name={record.name} onEnd={wall.end} />
        {content}
      </div>
    )
  return (
    <div class="dash">
      <PageHead
        title={record.name}
        isName
        parent={{ href: href('/dashboards'), label: t('dashboards.title') }}
        heading={
          mayChange ? (
            <EditableName
              value={record.name}
              label={t('dashboards.name')}
              action={t('dashboards.rename')}
              onSave={async (name) => (await changes.save({ name })) !== undefined}
              error={changes.error?.faults.find(({ field }) => field === 'body.name')?.message}
            />
          ) : undefined
        }
        beside={<span class="weak">{t(record.shared ? 'dashboards.shared' : 'dashboards.private')}</span>}
      >
        {isEditing ? (
          <>
            <Button icon="add" disabled={document.panels.length >= MAX_PANELS} onClick={add}>
              {t('dashboards.addPanel')}
            </Button>
            <Button
              onClick={() => {
                draft.clear()
                setQuery({ edit: undefined })
              }}
            >
              {t('frame.cancel')}
            </Button>
            <Button kind="main" onClick={save}>
              {t('dashboards.save')}
            </Button>
          </>
        ) : (
          <>
            <Button icon="zoomOut" onClick={wall.begin}>
              {t('dashboards.wall')}
            </Button>
            {mayChange && (
              <Button icon="edit" onClick={() => setQuery({ edit: 'on' })}>
                {t('dashboards.arrange')}
              </Button>
            )}
            <More version={version} onShare={() => setSharing(true)} save={changes.save} about={about} />
          </>
        )}
      </PageHead>
      <div class="dash-bar">
        <RangePicker
          range={range}
          canGoBack={steps > 0}
          onBack={() => {
            setSteps((count) => count - 1)
            history.back()
          }}
          onChange={() => setSteps((count) => count + 1)}
        />
        {hasVariables && (
          <div class="row">
            <TagFilter tag={tag} hrefOf={(next) => addressWith({ tag: next })} align="end" />
            <AssetFilter assetId={assetId} />
          </div>
        )}
      </div>
      {isEditing && <p class="weak dash-help">{t('dashboards.arrangeHelp')}</p>}
      {content}
      {changes.question}
      {form && (
        <PanelForm
          {...form}
          onClose={() => setForm(undefined)}
          onSubmit={(panel) => {
            const others = document.panels.filter(({ id }) => id !== panel.id)
            change(settled([...others, panel], panel.id))
            setForm(undefined)
          }}
        />
      )}
      {isSharing && <ShareDialog id={record.id} onClose={() => setSharing(false)} />}
    </div>
  )
}

function More(props: {
  version: Versioned<Dashboard>
  onShare: () => void
  save: (change: Change) => Promise<unknown>
  /** The range and the filters in words. */
  about: () => string
}) {
  const { record, etag } = props.version
  const mayChange = !record.shared || may.value.administer
  async function copy(): Promise<void> {
    await attempt(async () => {
      const made = await createDashboard(
        t('dashboards.copyOf', { name: record.name }),
        record.document,
        undefined,
        randomId(),
      )
      navigate(href('/dashboards/:id', { id: made.id }).slice('/portal'.length))
    })
  }
  async function remove(): Promise<void> {
    const isDone = await attempt(() => deleteRecord(dashboardPath(record.id), etag))
    if (!isDone) return
    navigate(href('/dashboards').slice('/portal'.length))
    notify(t('dashboards.removed', { name: record.name }), {
      undo: async () => {
        const made = await createDashboard(record.name, record.document, record.shared, randomId())
        navigate(href('/dashboards/:id', { id: made.id }).slice('/portal'.length))
      },
    })
  }
  const items: (MenuItem | false)[] = [
    may.value.administer && { label: t('dashboards.links'), icon: 'external', onSelect: props.onShare },
    may.value.administer && {
      label: t(record.shared ? 'dashboards.makePrivate' : 'dashboards.shareWithAll'),
      icon: 'members',
      onSelect: () => void props.save({ shared: !record.shared }),
    },
    { label: t('dashboards.copy'), icon: 'copy', onSelect: () => void copy() },
    { label: t('dashboards.export'), icon: 'download', onSelect: () => exportDashboard(record.name, record.document) },
    ...(record.document.panels.length === 0
      ? []
      : [
          {
            label: t('dashboards.savePicture'),
            icon: 'picture' as const,
            onSelect: () => void saveDashboardPicture(record.name, props.about()),
          },
          {
            label: t('dashboards.print'),
            icon: 'document' as const,
            onSelect: () => void printDashboard(record.name, props.about()),
          },
        ]),
    mayChange && { label: t('dashboards.remove'), icon: 'remove', isDanger: true, onSelect: () => void remove() },
  ]
  return (
    <Menu
      label={t('dashboards.more')}
      align="end"
      button={<Icon name="more" />}
      items={items.filter((item) => item !== false)}
    />
  )
}
