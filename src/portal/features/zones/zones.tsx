/** Rules of zones, and their events. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { type Resource, useResource } from '../../api/resource.ts'
import { useLive } from '../../live.ts'
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { enterpriseId, may } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { IconButton } from '../../ui/button.tsx'
import { notifyFailure } from '../../ui/failure-text.tsx'
import { Switch } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { TableRows } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { removedRules, removeRule } from '../map/engine/removed-rules.ts'
import { targetWords } from '../rules/sentence.ts'
import { loadZoneRules, type ZoneRule } from './zone-data.ts'
import { ZoneEvents } from './zone-events.tsx'
import { changeRule } from './zone-rule-api.ts'

/** Number of events that are searched for the last one of each rule. */
const RECENT = 1_000

async function load(ownerId: string, signal: AbortSignal) {
  const [rules, layers, events] = await Promise.all([
    loadZoneRules(signal),
    dataOf(
      api.GET('/manage/v1/owners/{ownerId}/layers', {
        params: { path: { ownerId }, query: { limit: 1_000 } },
        signal,
      }),
    ),
    dataOf(api.GET('/enterprise/v1/assets/events', { params: { query: { limit: RECENT } }, signal })),
  ])
  const lastAt = new Map<string, string>()
  for (const { ruleId, at } of events.items) if (!lastAt.has(ruleId)) lastAt.set(ruleId, at)
  return { rules, layers: new Map(layers.items.map(({ id, name }) => [id, name])), lastAt }
}
type Data = Awaited<ReturnType<typeof load>>

export function ZonesPage() {
  const owner = enterpriseId.value as string
  const zones = useResource((signal) => load(owner, signal), [owner])
  const tab = queryValue('tab') === 'events' ? 'events' : 'rules'
  return (
    <>
      <PageHead title={t('zones.title')}>
        {may.value.administer && (
          <a class="button button-main" href={href('/zones/new')}>
            <Icon name="add" />
            <span>{t('zones.create')}</span>
          </a>
        )}
      </PageHead>
      <Loaded resource={zones}>
        {(data) =>
          data.rules.length === 0 ? (
            <Empty title={t('zones.empty')} text={t('zones.emptyText')} docs={t('frame.docs')}>
              {may.value.administer ? (
                <a class="button button-main" href={href('/zones/new')}>
                  {t('zones.create')}
                </a>
              ) : (
                <p>{t('sensors.askAdministrator')}</p>
              )}
            </Empty>
          ) : (
            <>
              <Tabs
                label={t('zones.title')}
                tabs={[
                  { id: 'rules', label: t('zones.rules') },
                  { id: 'events', label: t('zones.events.title') },
                ]}
                selected={tab}
                onSelect={(id) => setQuery({ tab: id === 'events' ? id : undefined })}
              />
              {tab === 'events' ? <ZoneEvents rules={data.rules} /> : <Rules data={data} zones={zones} />}
            </>
          )
        }
      </Loaded>
    </>
  )
}

function Rules({ data, zones }: { data: Data; zones: Resource<Data> }) {
  const lastAt = useSignal(data.lastAt)
  useEffect(() => {
    lastAt.value = data.lastAt
  }, [data])
  useLive(
    {
      onEvents(events) {
        const next = new Map(lastAt.peek())
        for (const { ruleId, at } of events) if ((next.get(ruleId) ?? '') < at) next.set(ruleId, at)
        lastAt.value = next
      },
      refresh: () => zones.reload(),
    },
    [],
  )
  const shown = data.rules.filter(({ id }) => !removedRules.value.has(id))
  return (
    <div class="rule-table">
      <table>
        <TableRows
          rows={shown}
          keyOf={({ id }) => id}
          columns={[
            [
              t('zones.name'),
              ({ id, name }) => (
                <a href={href('/zones/:id', { id })}>
                  <bdi>{name}</bdi>
                </a>
              ),
              { isName: true },
            ],
            [
              t('zones.zone'),
              ({ layerId, layerUsable }) => (
                <>
                  <bdi>{data.layers.get(layerId) ?? t('zones.noLayer')}</bdi>
                  {!layerUsable && <span class="rule-broken">{t('zones.unusable')}</span>}
                </>
              ),
            ],
            [t('zones.when'), (rule) => t(`zones.whens.${rule.when}`)],
            [t('zones.sensors'), (rule) => targetWords(rule), { kind: 'number' }],
            [t('zones.lastEvent'), ({ id }) => <Age at={lastAt.value.get(id)} />],
            [t('zones.enabled'), (rule) => <Enabled rule={rule} onChanged={() => zones.reload()} />],
            [
              t('zones.actions'),
              (rule) =>
                may.value.administer && (
                  <IconButton
                    icon="remove"
                    label={t('zones.remove', { name: rule.name })}
                    onClick={() => removeRule(rule)}
                  />
                ),
              { isTitleHidden: true },
            ],
          ]}
        />
      </table>
    </div>
  )
}

function Enabled({ rule, onChanged }: { rule: ZoneRule; onChanged: () => void }) {
  const isOn = useSignal(rule.enabled)
  const isBusy = useSignal(false)
  useEffect(() => {
    isOn.value = rule.enabled
  }, [rule])
  async function change(enabled: boolean): Promise<void> {
    isOn.value = enabled
    isBusy.value = true
    try {
      await changeRule(rule.id, { enabled })
      onChanged()
    } catch (error) {
      isOn.value = !enabled
      notifyFailure(error)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Switch
      label={isOn.value ? t('zones.on') : t('zones.off')}
      isOn={isOn.value}
      disabled={!may.value.administer || isBusy.value}
      onChange={(enabled) => void change(enabled)}
    />
  )
}
