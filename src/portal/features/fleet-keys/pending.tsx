/** Devices of a fleet key that wait for approval: what each sent, and the sensors that are made of them, and removal. */
import { useState } from 'preact/hooks'
import { usePolled } from '../../api/polled.ts'
import { queryValue } from '../../shell/router.ts'
import { may } from '../../shell/session.ts'
import { formatValue } from '../../text/format.ts'
import { plain } from '../../text/plain.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { ApproveDialog } from './approve-dialog.tsx'
import { type FleetKey, loadPending, type PendingDevice } from './fleet-key-data.ts'
import { RemoveDialog } from './remove-dialog.tsx'

const FRESH_MS = 5_000
const SEARCH_FROM = 8
/** Rows that are drawn at first; all of them take a moment. */
const SHOWN = 100

export function PendingDevices({ fleetKey, onChanged }: { fleetKey: FleetKey; onChanged: () => void }) {
  const devices = usePolled((signal) => loadPending(fleetKey, signal), [fleetKey.id], FRESH_MS)
  return (
    <Loaded resource={devices}>
      {(items) =>
        items.length === 0 ? (
          <Empty title={t('fleetKeys.nothingWaits')} text={t(`fleetKeys.nothingWaitsText.${fleetKey.autoCreate}`)} />
        ) : (
          <Waiting
            fleetKey={fleetKey}
            items={items}
            onChanged={() => {
              devices.reload()
              onChanged()
            }}
          />
        )
      }
    </Loaded>
  )
}

function Waiting(props: { fleetKey: FleetKey; items: readonly PendingDevice[]; onChanged: () => void }) {
  const { fleetKey, items } = props
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [approving, setApproving] = useState<string[] | undefined>(undefined)
  const [removing, setRemoving] = useState<string[] | undefined>(undefined)
  const [isAllShown, setAllShown] = useState(false)
  const q = plain(queryValue('q') ?? '')
  const found = items.filter(({ externalId }) => plain(externalId).includes(q))
  const shown = isAllShown ? found : found.slice(0, SHOWN)
  // those that wait no longer are not chosen any more
  const selected = items.map(({ externalId }) => externalId).filter((one) => chosen.has(one))
  const areAllChosen = found.every(({ externalId }) => chosen.has(externalId))
  const choose = (names: readonly string[], isOn: boolean): void => {
    const next = new Set(chosen)
    for (const name of names) {
      if (isOn) next.add(name)
      else next.delete(name)
    }
    setChosen(next)
  }
  const closeDialog = (): void => {
    setApproving(undefined)
    setRemoving(undefined)
  }
  const changed = (): void => {
    closeDialog()
    setChosen(new Set())
    props.onChanged()
  }
  return (
    <div class="stack">
      <p>{t('fleetKeys.waitingText')}</p>
      <div class="row">
        {(items.length >= SEARCH_FROM || q !== '') && <SearchField label={t('fleetKeys.searchWaiting')} />}
        {may.value.administer && (
          <>
            <Button kind="main" icon="check" onClick={() => setApproving(found.map(({ externalId }) => externalId))}>
              {t('fleetKeys.approveAll', { count: found.length })}
            </Button>
            {selected.length > 0 && (
              <>
                <Button onClick={() => setApproving(selected)}>
                  {t('fleetKeys.approveChosen', { count: selected.length })}
                </Button>
                <Button onClick={() => setRemoving(selected)}>
                  {t('fleetKeys.removeChosen', { count: selected.length })}
                </Button>
              </>
            )}
          </>
        )}
      </div>
      {found.length === 0 ? (
        <p>{t('fleetKeys.noneFound')}</p>
      ) : (
        <PlainTable
          label={t('fleetKeys.tabs.pending')}
          kind={ROWS_ON_PHONE}
          rows={shown}
          keyOf={({ id }) => id}
          columns={[
            [
              t('fleetKeys.device'),
              ({ externalId }) =>
                may.value.administer ? (
                  <label class="check">
                    <input
                      type="checkbox"
                      checked={chosen.has(externalId)}
                      onChange={(event) => choose([externalId], event.currentTarget.checked)}
                    />
                    <bdi>{externalId}</bdi>
                  </label>
                ) : (
                  <bdi>{externalId}</bdi>
                ),
              {
                isName: true,
                kind: 'wraps',
                ...(may.value.administer && {
                  head: (
                    <label class="check">
                      <input
                        type="checkbox"
                        checked={areAllChosen}
                        ref={(element) => {
                          if (element) element.indeterminate = selected.length > 0 && !areAllChosen
                        }}
                        onChange={() =>
                          choose(
                            found.map(({ externalId }) => externalId),
                            !areAllChosen,
                          )
                        }
                      />
                      <span>{t('fleetKeys.device')}</span>
                    </label>
                  ),
                }),
              },
            ],
            [t('fleetKeys.sent'), ({ sent }) => <Sent sent={sent} />, { kind: 'wraps' }],
            [t('fleetKeys.firstAt'), ({ firstAt }) => <Age at={firstAt} />],
            [t('fleetKeys.lastAt'), ({ lastAt }) => <Age at={lastAt} />],
            may.value.administer && [
              t('keys.actions'),
              ({ externalId }) => (
                <>
                  <Button kind="quiet" onClick={() => setApproving([externalId])}>
                    {t('fleetKeys.approve')}
                  </Button>
                  <Button kind="quiet" onClick={() => setRemoving([externalId])}>
                    {t('fleetKeys.remove')}
                  </Button>
                </>
              ),
              { isTitleHidden: true, kind: 'key-actions' },
            ],
          ]}
        />
      )}
      {shown.length < found.length && (
        <div>
          <Button onClick={() => setAllShown(true)}>{t('fleetKeys.showAll', { count: found.length })}</Button>
        </div>
      )}
      {approving !== undefined && (
        <ApproveDialog fleetKey={fleetKey} externalIds={approving} onClose={closeDialog} onApproved={changed} />
      )}
      {removing !== undefined && (
        <RemoveDialog fleetKey={fleetKey} externalIds={removing} onClose={closeDialog} onRemoved={changed} />
      )}
    </div>
  )
}

/** A part of the first reading: values by name, and the location. */
function Sent({ sent }: Pick<PendingDevice, 'sent'>) {
  const { values = {}, location } = (sent ?? {}) as {
    values?: Record<string, unknown>
    location?: { longitude: number; latitude: number }
  }
  const entries = Object.entries(values)
  if (entries.length === 0 && location === undefined) return <span class="weak">{t('fleetKeys.nothingShown')}</span>
  return (
    <ul class="sent-values">
      {entries.map(([name, value]) => (
        <li key={name}>
          <bdi class="weak">{name}</bdi> <span class="number">{shownValue(value)}</span>
        </li>
      ))}
      {location !== undefined && (
        <li>
          <span class="weak">{t('sensor.location')}</span>{' '}
          <bdi class="number" dir="ltr">
            {location.longitude}, {location.latitude}
          </bdi>
        </li>
      )}
    </ul>
  )
}

function shownValue(value: unknown) {
  if (typeof value === 'number' || typeof value === 'boolean') return formatValue(value)
  return <bdi>{String(value)}</bdi>
}
