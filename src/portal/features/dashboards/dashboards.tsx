/** The dashboards of the enterprise: shared ones, and the person's own. */
import { useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { randomId } from '../../shell/random-id.ts'
import { href, navigate } from '../../shell/router.ts'
import { enterpriseId, may } from '../../shell/session.ts'
import { formatList } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { createDashboard, type DashboardDocument, type ListedDashboard, loadDashboards } from './dashboard-data.ts'
import { firstDashboard } from './first-dashboard.ts'
import { ImportButton } from './import-dashboard.tsx'

/** The page of a dashboard that was just created, to be arranged. */
const open = (id: string): void => navigate(href('/dashboards/:id', { id }, { edit: 'on' }).slice('/portal'.length))

async function create(name: string, document: DashboardDocument, isShared?: boolean): Promise<boolean> {
  return attempt(async () => open((await createDashboard(name, document, isShared, randomId())).id))
}

export function DashboardsPage() {
  const list = useResource(loadDashboards, [enterpriseId.value])
  const [isNew, setNew] = useState(false)
  const importer = <ImportButton onImport={(name, document) => create(name, document)} />
  return (
    <>
      <PageHead title={t('dashboards.title')}>
        {importer}
        <Button kind="main" icon="add" onClick={() => setNew(true)}>
          {t('dashboards.create')}
        </Button>
      </PageHead>
      <Loaded resource={list}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('dashboards.empty')} text={t('dashboards.emptyText')} docs={t('frame.docs')}>
              <Button kind="main" onClick={createFirst}>
                {t('dashboards.createFirst')}
              </Button>
            </Empty>
          ) : (
            <List items={items} />
          )
        }
      </Loaded>
      {isNew && <NewDashboard onClose={() => setNew(false)} />}
    </>
  )
}

/** Makes a dashboard for the fleet, and says from what. */
async function createFirst(): Promise<void> {
  await attempt(async () => {
    const made = await firstDashboard(new AbortController().signal)
    const document = made?.document ?? { version: 1 as const, panels: [] }
    const { id } = await createDashboard(t('dashboards.first.name'), document, undefined, randomId())
    navigate(href('/dashboards/:id', { id }).slice('/portal'.length))
    notify(
      made === undefined
        ? t('dashboards.first.nothing')
        : made.channels.length === 0
          ? t('dashboards.first.statesOnly')
          : made.tag === undefined
            ? t('dashboards.first.chosen', { channels: formatList(made.channels) })
            : t('dashboards.first.chosenTag', { channels: formatList(made.channels), tag: made.tag }),
    )
  })
}

function List({ items }: { items: readonly ListedDashboard[] }) {
  const newest = items.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
  return (
    <PlainTable
      label={t('dashboards.title')}
      kind={ROWS_ON_PHONE}
      rows={newest}
      keyOf={({ id }) => id}
      columns={[
        [
          t('dashboards.name'),
          ({ id, name }) => (
            <a href={href('/dashboards/:id', { id })}>
              <bdi>{name}</bdi>
            </a>
          ),
          { isName: true, kind: 'file-name' },
        ],
        [t('dashboards.seenBy'), ({ shared }) => t(shared ? 'dashboards.shared' : 'dashboards.private')],
        [t('dashboards.changed'), ({ updatedAt }) => <Age at={updatedAt} />],
      ]}
    />
  )
}

function NewDashboard({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const [isFilled, setFilled] = useState(true)
  const [error, setError] = useState<string | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  async function submit(): Promise<void> {
    if (name.trim() === '') {
      setError(t('dashboards.nameNeeded'))
      return
    }
    setBusy(true)
    let document: DashboardDocument = { version: 1, panels: [] }
    const isReady = await attempt(async () => {
      if (isFilled) document = (await firstDashboard(new AbortController().signal))?.document ?? document
    })
    if (!isReady || !(await create(name.trim(), document, isShared))) setBusy(false)
  }
  return (
    <FormDialog title={t('dashboards.create')} isBusy={isBusy} onSubmit={submit} onClose={onClose}>
      <TextField label={t('dashboards.name')} value={name} onInput={setName} error={error} maxLength={200} autoFocus />
      <label class="check">
        <input type="checkbox" checked={isFilled} onChange={(event) => setFilled(event.currentTarget.checked)} />
        <span>{t('dashboards.fillFirst')}</span>
      </label>
      {may.value.administer && (
        <label class="check">
          <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.currentTarget.checked)} />
          <span>{t('dashboards.shareWithAll')}</span>
        </label>
      )}
    </FormDialog>
  )
}
