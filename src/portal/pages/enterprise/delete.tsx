/** The end of an enterprise: what would be lost, in figures, before its name is typed. */
import { useState } from 'preact/hooks'
import { ApiError, api, dataOf } from '../../api/client.ts'
import { deleteRecord, type Versioned } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmByName } from '../../parts/dialog.tsx'
import { notifyFailure } from '../../parts/failure-text.tsx'
import { Loaded } from '../../parts/states.tsx'
import { notify } from '../../parts/toasts.tsx'
import { navigate } from '../../router.ts'
import { loadSession } from '../../session.ts'
import { formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import type { Enterprise } from './enterprise-data.ts'

const KINDS = ['sensors', 'readings', 'zoneRules', 'layers', 'files', 'toolApis', 'applications', 'members'] as const

export function DeleteEnterprise({ path, version }: { path: string; version: Versioned<Enterprise> }) {
  const [isOpen, setOpen] = useState(false)
  const { record, etag } = version
  async function remove(): Promise<void> {
    try {
      await deleteRecord(path, etag)
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      if (failure.status === 412) notify(t('record.changedMeanwhile'), { isError: true })
      else notifyFailure(failure)
      return
    }
    notify(t('enterprise.deleted', { name: record.name }))
    navigate('/', { replace: true })
    await loadSession()
  }
  return (
    <section class="settings-part">
      <h2>{t('enterprise.delete')}</h2>
      <p class="weak">{t('enterprise.deleteText')}</p>
      <Button kind="danger" icon="remove" onClick={() => setOpen(true)}>
        {t('enterprise.delete')}
      </Button>
      {isOpen && (
        <ConfirmByName
          title={t('enterprise.delete')}
          warning={<Losses id={record.id} />}
          name={record.name}
          action={t('enterprise.deleteNow')}
          onConfirm={remove}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  )
}

function Losses({ id }: { id: string }) {
  const belongings = useResource(
    (signal) => dataOf(api.GET('/manage/v1/enterprises/{id}/belongings', { params: { path: { id } }, signal })),
    [id],
  )
  return (
    <Loaded resource={belongings} lines={4}>
      {(counts) => (
        <>
          {t('enterprise.lost')}
          <span class="losses">
            {KINDS.map((kind) => (
              <span key={kind}>
                <span>{t(`enterprise.belongings.${kind}`)}</span>
                <strong class="number">
                  {counts[kind] === null ? t('enterprise.notCounted') : formatWhole(counts[kind])}
                </strong>
              </span>
            ))}
          </span>
          {t('enterprise.noWayBack')}
        </>
      )}
    </Loaded>
  )
}
