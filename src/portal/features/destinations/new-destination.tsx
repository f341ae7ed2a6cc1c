/** The page of a new destination. */
import { useMemo } from 'preact/hooks'
import { language } from '../../shell/preferences.ts'
import { href, navigate } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { createDestination } from './destination-data.ts'
import { DestinationForm } from './destination-form.tsx'
import { newDestination } from './destination-values.ts'
import { showSecret } from './secret.tsx'

export function NewDestinationPage() {
  const initial = useMemo(() => newDestination(language.peek()), [])
  return (
    <>
      <PageHead
        title={t('destinations.newTitle')}
        parent={{ href: href('/settings/destinations'), label: t('destinations.title') }}
      />
      <DestinationForm
        name={`destination.new.${enterpriseId.value}`}
        initial={initial}
        onSave={async (sent, draft) => {
          const made = await draft.submit(({ kind, format }, key) =>
            createDestination({ kind, ...(kind === 'webhook' && { format }), ...sent }, key),
          )
          if (made === undefined) return
          draft.clear()
          if (made.format === 'standard' && made.secret !== undefined) showSecret(made.id, made.secret)
          navigate(`/settings/destinations/${encodeURIComponent(made.id)}`, { replace: true })
        }}
      />
    </>
  )
}
