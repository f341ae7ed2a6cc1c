/** Fills in the form fields of a PDF. */
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { type AppError, fieldError, fieldsFailure } from '../../errors.ts'
import { stemOf } from '../../lib/file-name.ts'
import { type Filled, fillForm, type ScriptedFields, scriptedFields } from '../../lib/pdf/forms/fill-form.ts'
import { flattenForm } from '../../lib/pdf/forms/flatten-form.ts'
import { DOCUMENT_TOOL, openDocument, pdfFile } from '../documents.ts'
import { ofField } from '../layers.ts'
import { choice, flagResult, integerResult, jsonText } from '../params.ts'
import { defineTool } from '../tool.ts'

const MAX_VALUES = 500
const MAX_CHARACTERS = 10_000
const MAX_PROBLEMS = 20

const value = () =>
  Type.Union([
    Type.String({ maxLength: MAX_CHARACTERS }),
    Type.Number(),
    Type.Boolean(),
    Type.Array(Type.String({ maxLength: MAX_CHARACTERS }), { maxItems: 100 }),
    Type.Null(),
  ])

export default defineTool({
  id: 'document.fill-pdf',
  route: '/fill-pdf',
  version: '1.2.0',
  title: { en: 'Fill PDF form', ar: 'تعبئة نموذج PDF' },
  description: {
    en: 'Fills in the form fields of a PDF: text, check boxes, radio groups and lists, in Latin or Arabic script. With flatten, the values become part of the pages and the form is removed.',
    ar: 'يعبئ نموذج PDF: النصوص ومربعات الاختيار ومجموعات الخيارات والقوائم، باللاتينية أو العربية. وعند التسطيح تصبح القيم جزءًا من الصفحات ويزول النموذج.',
  },
  keywords: ['pdf', 'form', 'acroform', 'fill', 'flatten'],
  credits: 1,
  ...DOCUMENT_TOOL,
  input: Type.Object({
    file: pdfFile(),
    values: jsonText(
      Type.Record(Type.String({ minLength: 1 }), value(), { maxProperties: MAX_VALUES }),
      {
        title: { en: 'Values', ar: 'القيم' },
        en: `Values by full field name; at most ${MAX_VALUES} values of ${MAX_CHARACTERS} characters. Check boxes take true or false, radio groups and drop-down lists one of their options, multiple-choice lists several; null empties a field`,
        ar: `القيم بأسماء حقولها الكاملة؛ ${MAX_VALUES} قيمة على الأكثر من ${MAX_CHARACTERS} حرف. تأخذ مربعات الاختيار true وfalse، وتأخذ المجموعات والقوائم أحد خياراتها، وnull يفرغ الحقل`,
      },
      { name: 'Layla', agreed: true, region: 'north' },
    ),
    flatten: choice(
      ['true', 'false'],
      {
        title: { en: 'Flatten', ar: 'التسطيح' },
        en: 'Whether the values become part of the pages',
        ar: 'هل تصبح القيم جزءًا من الصفحات',
      },
      {
        default: 'false',
        titles: {
          true: { en: 'Yes: the form can no longer be edited', ar: 'نعم: لا يمكن تعديل النموذج بعد ذلك' },
          false: { en: 'No: the form stays editable', ar: 'لا: يبقى النموذج قابلًا للتعديل' },
        },
      },
    ),
  }),
  output: Type.Object({
    fieldCount: integerResult('Fields of the form', 'عدد حقول النموذج'),
    filledCount: integerResult('Fields that were filled', 'عدد الحقول المعبأة'),
    flattened: flagResult('Whether the form was flattened', 'هل أصبح النموذج جزءًا من الصفحات'),
  }),
  examples: [
    {
      name: 'a form in two languages',
      input: {
        file: 'form.pdf',
        values: { name: 'Layla Haddad', notes: 'قياس المنطقة الشمالية', agreed: true },
      },
    },
    { name: 'flattened', input: { file: 'form.pdf', values: { kind: 'station' }, flatten: 'true' } },
  ],
  async run({ file, values, flatten }, context) {
    const document = await openDocument(file, 'file', context)
    const path = join(context.scratch, 'filled.pdf')
    let filled: Filled | undefined
    let scripted: ScriptedFields = { calculated: [], checked: [] }
    await ofField('file', () =>
      document.edit(
        async (pdf) => {
          filled = await fillForm(pdf, values, scripted)
          if (filled.problems.length > 0) throw refused(filled)
          if (flatten === 'true') await flattenForm(pdf)
        },
        path,
        {
          sweep: true,
          before: async (pdf) => {
            scripted = await scriptedFields(pdf)
          },
        },
      ),
    )
    const { fieldCount, filledCount, warnings } = filled as Filled
    const filename = `${stemOf(file.filename, 'document')}_filled.pdf`
    return {
      data: { fieldCount, filledCount, flattened: flatten === 'true' },
      files: [{ role: 'output', path, filename, mediaType: 'application/pdf' }],
      warnings: [...document.warnings, ...warnings],
    }
  },
})

function refused({ problems }: Filled): AppError {
  const errors = problems.slice(0, MAX_PROBLEMS).map(({ name, rule, text }) => fieldError(`values.${name}`, rule, text))
  return fieldsFailure('VALIDATION_FAILED', errors)
}
