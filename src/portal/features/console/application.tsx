/** One application: its key pairs, grants and calls. */

import { deleteRecord, loadRecord, type Versioned } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate } from '../../shell/router.ts'
import { formatDay } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { CopyButton } from '../../ui/button.tsx'
import { DeletePart } from '../../ui/delete-part.tsx'
import { EditableName } from '../../ui/editable-name.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useRecordChanges } from '../../ui/table/record-changes.tsx'
import { ApplicationUsage } from './applications/activity.tsx'
import type { Application } from './applications/application-data.ts'
import { Grants } from './applications/grants.tsx'
import { ApplicationKeys } from './applications/keys.tsx'

export function ApplicationPage({ parameters }: PageProps) {
  const id = parameters.id ?? ''
  const path = `/manage/v1/applications/${encodeURIComponent(id)}`
  const loaded = useResource((signal) => loadRecord<Application>(path, signal), [id])
  return (
    <Loaded resource={loaded} record={{ kind: 'application' }}>
      {(version) => (
        <Page
          key={id}
          path={path}
          version={version}
          onChange={(next) => {
            loaded.data.value = next
          }}
          onKeys={() => loaded.reload()}
        />
      )}
    </Loaded>
  )
}

function Page(props: {
  path: string
  version: Versioned<Application>
  onChange: (next: Versioned<Application>) => void
  onKeys: () => void
}) {
  const { path, version } = props
  const { record } = version
  const changes = useRecordChanges<Application>({
    path,
    version,
    onChange: props.onChange,
    labelOf: () => t('applications.name'),
    textOf: (_, { name }) => name ?? '–',
  })
  return (
    <>
      <PageHead
        title={record.name}
        isName
        parent={{ href: href('/settings/applications'), label: t('applications.title') }}
        heading={
          <EditableName
            key={version.etag}
            value={record.name}
            label={t('applications.name')}
            action={t('applications.rename')}
            onSave={async (name) => (await changes.save({ name })) !== undefined}
            error={changes.error?.faults[0]?.message}
          />
        }
      />
      <dl class="sensor-facts">
        <div class="sensor-id">
          <dt>{t('sensor.id')}</dt>
          <dd>
            <code dir="ltr">{record.id}</code>
            <CopyButton text={record.id} isSmall />
          </dd>
        </div>
        <div>
          <dt>{t('keys.created')}</dt>
          <dd>{formatDay(Date.parse(record.createdAt))}</dd>
        </div>
      </dl>
      <div class="settings">
        <ApplicationKeys application={record} onChange={props.onKeys} />
        <ApplicationUsage application={record} />
        <Grants path={path} version={version} onChange={props.onChange} />
        <End path={path} version={version} />
      </div>
      {changes.question}
    </>
  )
}

const End = ({ path, version: { record, etag } }: { path: string; version: Versioned<Application> }) => (
  <DeletePart
    title={t('applications.delete')}
    text={t('applications.deleteText')}
    name={record.name}
    done={t('applications.deleted', { name: record.name })}
    onDelete={() => deleteRecord(path, etag)}
    onDone={() => navigate('/settings/applications', { replace: true })}
  />
)
