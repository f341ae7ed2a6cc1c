/** One sensor, or many from a CSV. */
import { useState } from 'preact/hooks'
import { href, queryValue, setQuery, showAddress } from '../../shell/router.ts'
import { t } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ImportSensors } from './list/import-sensors.tsx'
import { MadeSensor } from './list/made-sensor.tsx'
import { type Made, SensorForm } from './list/sensor-form.tsx'

export function NewSensorPage() {
  const [made, setMade] = useState<Made | undefined>(undefined)
  function show(next: Made | undefined): void {
    setMade(next)
    showAddress(next === undefined ? '/sensors/new' : `/sensors/${encodeURIComponent(next.id)}`)
  }
  const isMany = queryValue('from') === 'csv'
  return (
    <>
      <PageHead
        title={made === undefined ? t('sensorForm.title') : made.name}
        isName={made !== undefined}
        parent={{ href: href('/sensors'), label: t('sensors.title') }}
      />
      {made !== undefined ? (
        <MadeSensor made={made} onAnother={() => show(undefined)} />
      ) : (
        <div class="stack">
          <Tabs
            label={t('sensorForm.howMany')}
            tabs={[
              { id: 'one', label: t('sensorForm.one') },
              { id: 'csv', label: t('sensorForm.many') },
            ]}
            selected={isMany ? 'csv' : 'one'}
            onSelect={(id) => setQuery({ from: id === 'csv' ? 'csv' : undefined })}
          />
          {isMany ? <ImportSensors /> : <SensorForm onMade={show} />}
        </div>
      )}
    </>
  )
}
