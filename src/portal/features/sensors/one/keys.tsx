/** Keys of a sensor. */

import { t } from '../../../text/text.ts'
import { sensorSnippets } from '../../../ui/snippets.ts'
import { IssuedKeys } from '../../account/issued-keys.tsx'
import type { SensorRecord } from './sensor-data.ts'

export function SensorKeys({ sensor }: { sensor: SensorRecord }) {
  return (
    <IssuedKeys<{ name: string; key: string }>
      address={`/manage/v1/sensors/${encodeURIComponent(sensor.id)}/keys`}
      title={t('sensor.keys')}
      text={t('sensor.rotation')}
      none={t('sensor.noKeys')}
      nameHelp={t('sensor.keyNameHelp')}
      secretOf={({ key }) => key}
      snippetsOf={({ key }) =>
        sensorSnippets(
          sensor.id,
          key,
          sensor.channels.filter(({ active }) => active),
        )
      }
    />
  )
}
