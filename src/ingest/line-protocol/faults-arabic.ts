/** Why a line was not read, in Arabic, by the English text that is stored with a refusal. */
import type { FAULTS, Fault } from './lines.ts'
import type { SERIES_FAULTS } from './series.ts'

export const NO_SENSOR_TAG = 'no tag names the sensor'

type English = (typeof FAULTS)[Fault] | (typeof SERIES_FAULTS)[keyof typeof SERIES_FAULTS] | typeof NO_SENSOR_TAG

export const FAULTS_ARABIC: Record<English, string> = {
  'the fields are missing': 'الحقول مفقودة',
  'a field has no name': 'حقل بلا اسم',
  'a field has no value': 'حقل بلا قيمة',
  'a value is not a number, boolean or quoted text': 'قيمة ليست عددًا ولا true أو false ولا نصًا بين علامتي اقتباس',
  'a quoted text has no end': 'نص بين علامتي اقتباس لا نهاية له',
  'the time is not an integer': 'الوقت ليس عددًا صحيحًا',
  'the point has more than 2,000 fields': 'في النقطة أكثر من 2,000 حقل',
  'the call has more than 10,000 different names of fields': 'في الطلب أكثر من 10,000 اسم مختلف للحقول',
  'the measurement is missing': 'اسم القياس مفقود',
  'a tag has no name, no value or two equals signs': 'وسم بلا اسم أو بلا قيمة أو فيه علامتا يساوي',
  'a tag is there twice with different values': 'وسم مكرر بقيمتين مختلفتين',
  'measurement and tags have more than 65,535 bytes': 'اسم القياس والوسوم أكثر من 65,535 بايت',
  [NO_SENSOR_TAG]: 'لا وسم يسمّي المستشعر',
}
