/** A channel of the fleet, with its unit. */
import { t } from '../../../text/text.ts'
import { SelectField } from '../../../ui/field.tsx'
import type { Channel } from '../../sensors/list/channels.tsx'

export function ChannelField(props: {
  channels: readonly Channel[]
  value: string
  /** The text of no channel. */
  none: string
  onChange: (channel: string) => void
  error: string | undefined
}) {
  const { channels, value } = props
  const isKnown = value === '' || channels.some(({ channel }) => channel === value)
  return (
    <SelectField
      label={t('rules.channel')}
      value={value}
      options={[
        { value: '', label: props.none },
        ...(isKnown ? [] : [{ value, label: value }]),
        ...channels.map(({ channel, units }) => ({
          value: channel,
          label: units.length === 0 ? channel : `${channel} (${units.join(', ')})`,
        })),
      ]}
      onChange={props.onChange}
      error={props.error}
    />
  )
}
