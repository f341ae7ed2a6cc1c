/** One file: its versions with the state of their scans, a new version, and its users. */
import { useEffect, useState } from 'preact/hooks'
import { ApiError, api } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate } from '../../shell/router.ts'
import { may, ownerId } from '../../shell/session.ts'
import { formatBytes, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmByName } from '../../ui/dialog.tsx'
import { DownloadButton } from '../../ui/download.tsx'
import { EditableName } from '../../ui/editable-name.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { failureText } from '../../ui/form.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { kindOf } from '../tools/result-view/file-kind.ts'
import { UseInTool } from '../tools/result-view/use-in-tool.tsx'
import { FileUpload } from './layer-page/file-upload.tsx'
import { kindWord, ScanState } from './layer-page/scan-state.tsx'
import { UsesTab } from './layer-page/uses-tab.tsx'

type FileRecord = components['schemas']['File']
type Version = FileRecord['versions'][number]
type Current = { file: FileRecord; etag: string }

const PENDING_MS = 3_000
const message = (error: unknown): string => (error instanceof ApiError ? failureText(error) : String(error))

async function loadFile(owner: string, id: string, signal: AbortSignal): Promise<Current> {
  const { data, response } = await api.GET('/manage/v1/owners/{ownerId}/files/{id}', {
    params: { path: { ownerId: owner, id } },
    signal,
  })
  return { file: data?.data as FileRecord, etag: response.headers.get('etag') ?? '' }
}

export function FilePage({ parameters }: PageProps) {
  const owner = ownerId.value as string
  const id = parameters.id as string
  const current = useResource((signal) => loadFile(owner, id, signal), [owner, id])
  const isPending = current.data.value?.file.versions.some(({ scanStatus }) => scanStatus === 'pending') === true
  useEffect(() => {
    if (!isPending) return
    const timer = setInterval(() => current.reload(), PENDING_MS)
    return () => clearInterval(timer)
  }, [isPending])
  return (
    <Loaded resource={current} record={{ kind: 'file' }}>
      {(loaded) => <FileDetails owner={owner} current={loaded} onChange={() => current.reload()} />}
    </Loaded>
  )
}

function FileDetails({ owner, current, onChange }: { owner: string; current: Current; onChange: () => void }) {
  const { file, etag } = current
  const path = { ownerId: owner, id: file.id }
  const [nameError, setNameError] = useState<string | undefined>(undefined)
  const [isDeleting, setDeleting] = useState(false)

  async function rename(name: string): Promise<boolean> {
    try {
      await api.PATCH('/manage/v1/owners/{ownerId}/files/{id}', {
        params: { path },
        headers: { 'if-match': etag },
        body: { name },
      })
      setNameError(undefined)
      onChange()
      return true
    } catch (failure) {
      setNameError(
        failure instanceof ApiError && failure.status === 412 ? t('layers.renamedMeanwhile') : message(failure),
      )
      onChange()
      return false
    }
  }
  async function remove(): Promise<void> {
    await attempt(async () => {
      await api.DELETE('/manage/v1/owners/{ownerId}/files/{id}', { params: { path } })
      notify(t('layers.deleted', { name: file.name }))
      navigate('/data/files')
    })
  }
  return (
    <>
      <PageHead
        title={file.name}
        isName
        parent={{ href: href('/data/files'), label: t('files.title') }}
        heading={
          may.value.keep ? (
            <EditableName
              value={file.name}
              label={t('layers.name')}
              action={t('files.rename')}
              onSave={rename}
              error={nameError}
            />
          ) : undefined
        }
        beside={
          <>
            <ScanState status={file.scanStatus} />
            <span class="weak">{kindWord(file.kind)}</span>
          </>
        }
      >
        {may.value.keep && (
          <Menu
            label={t('layers.more')}
            button={<Icon name="more" />}
            items={[{ label: t('files.delete'), icon: 'remove', isDanger: true, onSelect: () => setDeleting(true) }]}
          />
        )}
      </PageHead>
      <Advice version={file.versions[0]} />
      {may.value.keep && (
        <FileUpload
          label={t('files.newVersion')}
          path={`/manage/v1/owners/${encodeURIComponent(owner)}/files/${encodeURIComponent(file.id)}/versions`}
          onDone={onChange}
        />
      )}
      <section class="file-section">
        <h2>{t('files.versions')}</h2>
        <Versions owner={owner} file={file} onChange={onChange} />
      </section>
      <section class="file-section">
        <h2>{t('layers.usedBy')}</h2>
        <UsesTab kind="files" owner={owner} id={file.id} />
      </section>
      {isDeleting && (
        <ConfirmByName
          title={t('files.delete')}
          warning={t('files.deleteWarning')}
          name={file.name}
          action={t('files.delete')}
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  )
}

/** The key of a version stands for its content wherever a tool takes a file. */
function UseVersion({ version: { id, filename } }: { version: Version }) {
  const kind = kindOf({ filename, mediaType: 'application/octet-stream' })
  return <UseInTool file={{ key: id, filename }} kind={kind} label={t('layers.useInTool')} />
}

/** The meaning of the state of the newest version, and the remedy. */
function Advice({ version }: { version: Version | undefined }) {
  if (version === undefined || version.scanStatus === 'clean') return null
  return (
    <div class={`file-advice file-${version.scanStatus}`} role="status">
      <p>{t(`files.advice.${version.scanStatus}`)}</p>
      {version.scanReason !== null && (
        <p class="weak">
          {t('files.reason')}: <bdi>{version.scanReason}</bdi>
        </p>
      )}
    </div>
  )
}

function Versions({ owner, file, onChange }: { owner: string; file: FileRecord; onChange: () => void }) {
  const [refused, setRefused] = useState<{ version: number; text: string } | undefined>(undefined)
  const [asked, setAsked] = useState<number | undefined>(undefined)
  const at = `/manage/v1/owners/${encodeURIComponent(owner)}/files/${encodeURIComponent(file.id)}/versions`

  async function remove(version: number): Promise<void> {
    setAsked(undefined)
    setRefused(undefined)
    try {
      await api.DELETE('/manage/v1/owners/{ownerId}/files/{id}/versions/{version}', {
        params: { path: { ownerId: owner, id: file.id, version } },
      })
      notify(t('files.versionDeleted', { version }))
      onChange()
    } catch (failure) {
      setRefused({ version, text: message(failure) })
    }
  }
  return (
    <PlainTable
      label={t('files.versions')}
      kind={ROWS_ON_PHONE}
      rows={file.versions}
      keyOf={({ id }) => id}
      columns={[
        [t('layers.version'), ({ version }) => formatWhole(version), { isName: true, kind: 'number' }],
        [t('files.scan'), ({ scanStatus }) => <ScanState status={scanStatus} />],
        [t('files.fileName'), ({ filename }) => <bdi>{filename}</bdi>, { kind: 'file-name' }],
        [t('layers.size'), ({ bytes }) => formatBytes(bytes), { kind: 'number number-cell' }],
        [t('files.uploadedAt'), ({ createdAt }) => <Age at={createdAt} />],
        [
          t('files.actions'),
          (version) => (
            <>
              <div class="row">
                {version.scanStatus === 'clean' && (
                  <DownloadButton
                    kind="quiet"
                    label={t('files.download')}
                    address={`${at}/${version.version}/content`}
                  />
                )}
                {version.scanStatus === 'clean' && <UseVersion version={version} />}
                {may.value.keep &&
                  (asked === version.version ? (
                    <>
                      <Button onClick={() => setAsked(undefined)}>{t('frame.cancel')}</Button>
                      <Button kind="danger" onClick={() => remove(version.version)}>
                        {t('files.deleteVersionNow', { version: version.version })}
                      </Button>
                    </>
                  ) : (
                    <Button kind="quiet" icon="remove" onClick={() => setAsked(version.version)}>
                      {t('files.deleteVersion')}
                    </Button>
                  ))}
              </div>
              {refused?.version === version.version && (
                <p class="field-error" role="alert">
                  {refused.text}
                </p>
              )}
            </>
          ),
          { isTitleHidden: true },
        ],
      ]}
    />
  )
}
