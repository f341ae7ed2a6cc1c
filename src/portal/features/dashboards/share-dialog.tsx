/** Links that show a dashboard without an account: made, listed, revoked. */
import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { formatDay } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { SelectField } from '../../ui/field.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { Loaded } from '../../ui/states.tsx'
import { dashboardPath, sendJson } from './dashboard-data.ts'

type Link = { id: string; createdAt: string; expiresAt: string }
const DAYS = ['1', '7', '30', '90'] as const

export function ShareDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const path = `${dashboardPath(id)}/links`
  const links = useResource(
    async (signal) => ((await (await send(path, { signal })).json()) as { data: { items: Link[] } }).data.items,
    [id],
  )
  const [days, setDays] = useState<(typeof DAYS)[number]>('7')
  const [made, setMade] = useState<string | undefined>(undefined)
  const create = (): Promise<boolean> =>
    attempt(async () => {
      const { path: page } = await sendJson<{ path: string }>('POST', path, { days: Number(days) })
      setMade(location.origin + page)
      links.reload()
    })
  const revoke = (link: string): Promise<boolean> =>
    attempt(async () => {
      await send(`${path}/${encodeURIComponent(link)}`, { method: 'DELETE' })
      links.reload()
    })
  return (
    <Dialog title={t('dashboards.links')} onClose={onClose} isWide>
      <p>{t('dashboards.linksText')}</p>
      <div class="row dash-new-link">
        <SelectField
          label={t('dashboards.linkLasts')}
          value={days}
          options={DAYS.map((value) => ({ value, label: t('dashboards.days', { count: Number(value) }) }))}
          onChange={setDays}
        />
        <Button kind="main" onClick={create}>
          {t('dashboards.createLink')}
        </Button>
      </div>
      {made !== undefined && (
        <div class="dash-link" role="status">
          <p>{t('dashboards.linkOnce')}</p>
          <div class="row">
            <code dir="ltr">{made}</code>
            <CopyButton text={made} />
          </div>
        </div>
      )}
      <Loaded resource={links} lines={2}>
        {(items) =>
          items.length === 0 ? (
            <p class="weak">{t('dashboards.noLinks')}</p>
          ) : (
            <PlainTable
              label={t('dashboards.links')}
              rows={items}
              keyOf={(link) => link.id}
              columns={[
                [t('dashboards.linkMade'), ({ createdAt }) => <Age at={createdAt} />],
                [t('dashboards.linkEnds'), ({ expiresAt }) => formatDay(Date.parse(expiresAt))],
                [
                  t('dashboards.revokeLink'),
                  (link) => (
                    <Button kind="danger" onClick={() => revoke(link.id)}>
                      {t('dashboards.revokeLink')}
                    </Button>
                  ),
                  { isTitleHidden: true },
                ],
              ]}
            />
          )
        }
      </Loaded>
    </Dialog>
  )
}
