/** Deletes an enterprise: shows the number of records that would be lost before its name is typed. */

import { api, dataOf } from '../../../api/client.ts'
import { deleteRecord, type Versioned } from '../../../api/record.ts'
import { useResource } from '../../../api/resource.ts'
import { navigate } from '../../../shell/router.ts'
import { loadSession } from '../../../shell/session.ts'
import { formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { DeletePart } from '../../../ui/delete-part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import type { Enterprise } from './enterprise-data.ts'

const KINDS = ['sensors', 'readings', 'zoneRules', 'layers', 'files', 'toolApis', 'applications', 'members'] as const

export function DeleteEnterprise({ path, version }: { path: string; version: Versioned<Enterprise> }) {
  const { record, etag } = version
  return (
    <DeletePart
      title={t('enterprise.delete')}
      text={t('enterprise.deleteText')}
      warning={<Losses id={record.id} />}
      action={t('enterprise.deleteNow')}
      name={record.name}
      done={t('enterprise.deleted', { name: record.name })}
      onDelete={() => deleteRecord(path, etag)}
      onDone={() => {
        navigate('/', { replace: true })
        return loadSession()
      }}
    />
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
