/** "Connect a device": the way by which it sends, its key, what to paste into it, and its first reading. */
import { addressWith, href, queryValue, setQuery } from '../../shell/router.ts'
import { session } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Chips } from '../../ui/chips.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ByFleet } from './connect/by-fleet.tsx'
import { BySensor } from './connect/by-sensor.tsx'
import { WAYS, type Way, wayOf } from './connect/ways.ts'

/** Nothing that was chosen for one way fits another. */
const NOTHING_CHOSEN = { as: undefined, which: undefined, sensor: undefined, key: undefined }
const addressOf = (way: Way): string => addressWith({ ...NOTHING_CHOSEN, by: way })

export function ConnectPage() {
  const way = wayOf(queryValue('by'))
  return (
    <>
      <PageHead title={t('connect.title')} parent={{ href: href('/sensors'), label: t('sensors.title') }} />
      {way === undefined ? (
        <Ways />
      ) : (
        <div class="connect">
          <Chips
            label={t('connect.what')}
            chips={WAYS.map((one) => ({
              id: one,
              label: t(`connect.ways.${one}.title`),
              isOn: one === way,
              href: addressOf(one),
            }))}
          />
          <p class="weak">{t(`connect.ways.${way}.text`)}</p>
          <Chosen key={way} way={way} />
        </div>
      )}
    </>
  )
}

function Ways() {
  return (
    <section class="connect" aria-labelledby="connect-what">
      <h2 id="connect-what">{t('connect.what')}</h2>
      <ul class="tools-list">
        {WAYS.map((way) => (
          <li key={way}>
            <a class="tool-row" href={addressOf(way)}>
              <span class="tool-name">{t(`connect.ways.${way}.title`)}</span>
              <span class="weak">{t(`connect.ways.${way}.text`)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Chosen({ way }: { way: Way }) {
  if (way === 'http' || way === 'csv') return <BySensor way={way} />
  if (way !== 'mqtt') return <ByFleet way={way} />
  if (session.value?.mqtt === null)
    return (
      <div class="form-error" role="note">
        {t('connect.noMqtt')}
      </div>
    )
  const isGateway = queryValue('as') === 'gateway'
  return (
    <div class="stack">
      <Tabs
        label={t('connect.sender')}
        tabs={[
          { id: 'sensor', label: t('connect.oneSensor') },
          { id: 'gateway', label: t('connect.gateway') },
        ]}
        selected={isGateway ? 'gateway' : 'sensor'}
        onSelect={(id) => setQuery({ ...NOTHING_CHOSEN, as: id === 'gateway' ? id : undefined }, { push: true })}
      />
      {isGateway ? <ByFleet way="mqtt" /> : <BySensor way="mqtt" />}
    </div>
  )
}
