/** Alerts: what fires now, what fired, and silences. */
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { t } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { FiringTab } from './firing.tsx'
import { HistoryTab } from './history.tsx'
import { SilencesTab } from './silences.tsx'

const TABS = ['firing', 'history', 'silences'] as const

export function AlertsPage() {
  const tab = TABS.find((one) => one === queryValue('tab')) ?? 'firing'
  return (
    <>
      <PageHead title={t('alerts.title')}>
        <a class="button" href={href('/rules')}>
          {t('alerts.rules')}
        </a>
      </PageHead>
      <Tabs
        label={t('alerts.sections')}
        tabs={TABS.map((id) => ({ id, label: t(`alerts.tabs.${id}`) }))}
        selected={tab}
        onSelect={(id) => setQuery({ tab: id === 'firing' ? undefined : id })}
      />
      <div class="alert-tab">
        {tab === 'firing' && <FiringTab />}
        {tab === 'history' && <HistoryTab />}
        {tab === 'silences' && <SilencesTab />}
      </div>
    </>
  )
}
