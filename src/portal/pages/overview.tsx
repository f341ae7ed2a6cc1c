/** The first page: what is wrong, how much arrives, and the first steps while there is nothing. */
import { PageHead } from '../parts/page-head.tsx'
import { Empty } from '../parts/states.tsx'
import { enterpriseId } from '../session.ts'
import { t } from '../text/text.ts'

export function OverviewPage() {
  return (
    <>
      <PageHead title={t('overview.title')} />
      {enterpriseId.value === undefined && <Empty title={t('overview.empty')} text={t('overview.emptyText')} />}
    </>
  )
}
