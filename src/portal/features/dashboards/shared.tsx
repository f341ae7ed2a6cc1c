/** A dashboard that a link shows: no frame, no account, and no data but that of its panels. */
import { useEffect, useMemo } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { now } from '../../shell/clock.ts'
import { formatDay } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { rangeOf } from '../../ui/chart/range.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type DashboardDocument, type LoadPanel, sendShared } from './dashboard-data.ts'
import { Grid } from './grid.tsx'
import { useAwake, WallHead } from './wall.tsx'

type Shared = { name: string; document: DashboardDocument; expiresAt: string }
/** A changed dashboard, and a link that ended, appear by then. */
const RELOAD_MS = 60_000

export function SharedPage() {
  // the part after # is sent to no server
  const token = useMemo(() => location.hash.slice(1), [])
  const shared = useResource((signal) => sendShared<Shared>(token, '', undefined, signal), [token])
  useEffect(() => {
    const timer = setInterval(shared.reload, RELOAD_MS)
    return () => clearInterval(timer)
  }, [])
  useAwake(true)
  if (shared.error.value?.status === 401)
    return <Empty title={t('dashboards.linkEnded')} text={t('dashboards.linkEndedText')} />
  return <Loaded resource={shared}>{(data) => <SharedDashboard {...data} token={token} />}</Loaded>
}

function SharedDashboard({ name, document: content, expiresAt, token }: Shared & { token: string }) {
  const minute = Math.floor(now.value / 60_000)
  const range = useMemo(
    () => rangeOf(Date.now(), (field) => (field === 'range' ? content.range : undefined)),
    [content.range, minute],
  )
  useEffect(() => {
    document.title = name
  }, [name])
  const load: LoadPanel = (panel, points, signal) => sendShared(token, '/panels', { panelId: panel.id, points }, signal)
  return (
    <div class="dash-wall dash-shared">
      <WallHead name={name} />
      <Grid
        panels={content.panels}
        load={load}
        source={token}
        range={range}
        hasPages={false}
        onZoom={() => undefined}
      />
      <p class="weak dash-note">
        {t('dashboards.linkUntil', {
          range: t(`chart.presets.${content.range ?? '24h'}`),
          day: formatDay(Date.parse(expiresAt)),
        })}
      </p>
    </div>
  )
}
