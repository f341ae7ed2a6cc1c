/** The page of a new fleet key. */
import { useMemo } from 'preact/hooks'
import { zone } from '../../shell/preferences.ts'
import { href, navigate } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { inputMs } from '../../ui/chart/range.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { createFleetKey, showKey } from './fleet-key-data.ts'
import { FleetKeyForm } from './fleet-key-form.tsx'
import { newFleetKey } from './fleet-key-values.ts'

export function NewFleetKeyPage() {
  const initial = useMemo(newFleetKey, [])
  return (
    <>
      <PageHead
        title={t('fleetKeys.newTitle')}
        parent={{ href: href('/settings/fleet-keys'), label: t('fleetKeys.title') }}
      />
      <FleetKeyForm
        name={`fleetKey.new.${enterpriseId.value}`}
        initial={initial}
        isNew
        onSave={async (sent, draft) => {
          const made = await draft.submit(({ expires }, key) => {
            const expiresAt = expires && { expiresAt: new Date(inputMs(expires, zone.value === 'utc')).toISOString() }
            return createFleetKey({ ...sent, ...expiresAt }, key)
          })
          if (made === undefined) return
          draft.clear()
          showKey(made.id, { key: made.key })
          navigate(`/settings/fleet-keys/${encodeURIComponent(made.id)}`, { replace: true })
        }}
      />
    </>
  )
}
