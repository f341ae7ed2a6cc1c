/** Which sensors a rule watches: all, or chosen ones and those with tags. */
import { t } from '../../../text/text.ts'
import { SelectField } from '../../../ui/field.tsx'
import { SensorPicker } from '../../sensors/sensor-picker.tsx'
import { TagsEditor } from '../../sensors/tags-editor.tsx'
import type { FormPart } from './form-part.ts'

export function TargetPart({ values, set, errorAt }: FormPart) {
  return (
    <>
      <SelectField
        label={t('rules.targets')}
        value={values.targets}
        options={[
          { value: 'all', label: t('zones.allSensors') },
          { value: 'chosen', label: t('zones.chosenSensors') },
        ]}
        onChange={(targets) => set('targets', targets)}
      />
      {values.targets === 'chosen' && (
        <>
          <TagsEditor
            label={t('rules.tags')}
            tags={values.tags}
            onChange={(change) => set('tags', change(values.tags))}
            error={errorAt('tags')}
          />
          <SensorPicker
            label={t('zones.chosenSensors')}
            picked={values.sensors}
            onChange={(sensors) => set('sensors', sensors)}
            error={errorAt('sensorIds')}
          />
        </>
      )}
    </>
  )
}
