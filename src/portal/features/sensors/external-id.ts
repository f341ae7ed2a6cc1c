/** The rule of external ids beside their length, checked before anything is sent. The API has the same rule. */
import { t } from '../../text/text.ts'

/** Readings name a sensor by either id. */
const ID_OF_SENSOR = /^sen_[0-9a-zA-Z]{1,60}$/

export const externalIdFault = (typed: string): string | undefined =>
  ID_OF_SENSOR.test(typed.trim()) ? t('sensorForm.externalIdRule') : undefined
