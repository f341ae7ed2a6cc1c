/** The page of a new destination. */
import { href, navigate } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { createDestination } from './destination-data.ts'
import { DestinationForm } from './destination-form.tsx'
import { NEW_DESTINATION } from './destination-values.ts'
import { showSecret } from './secret.tsx'

export function NewDestinationPage() {
  return (
    <>
      <PageHead
        title={t('destinations.newTitle')}
        parent={{ href: href('/settings/destinations'), label: t('destinations.title') }}
      />
      <DestinationForm
        name={`destination.new.${enterpriseId.value}`}
        initial={NEW_DESTINATION}
        onSave={async ({ minSeverity, ...sent }, draft) => {
          const made = await draft.submit(({ format }, key) =>
            createDestination({ kind: 'webhook', format, ...sent, ...(minSeverity && { minSeverity }) }, key),
          )
          if (made === undefined) return
          draft.clear()
          if (made.format === 'standard') showSecret(made.id, made.secret)
          navigate(`/settings/destinations/${encodeURIComponent(made.id)}`, { replace: true })
        }}
      />
    </>
  )
}
