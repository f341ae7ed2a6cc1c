/** Asks which sensors to compare, and opens the comparison. */
import { useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { type PickedSensor, SensorPicker } from '../sensors/sensor-picker.tsx'
import { MAX_COMPARED } from './compared.ts'

export function AddSensors(props: {
  picked: readonly PickedSensor[]
  onChoose: (ids: string[]) => void
  onClose: () => void
}) {
  const [picked, setPicked] = useState<PickedSensor[]>([...props.picked])
  const isTooMany = picked.length > MAX_COMPARED
  return (
    <FormDialog
      title={t('compare.title')}
      action={t('compare.action')}
      onSubmit={() => {
        if (!isTooMany) props.onChoose(picked.map(({ id }) => id))
      }}
      onClose={props.onClose}
    >
      <SensorPicker
        label={t('compare.sensors')}
        picked={picked}
        onChange={setPicked}
        error={isTooMany ? t('compare.most', { count: MAX_COMPARED }) : undefined}
      />
    </FormDialog>
  )
}
