/** Values put into the fields of a form (ISO 32000-1, 12.7), each drawn as it will be seen. */
import type {
  PDFDict,
  PDFDocument,
  PDFField,
  PDFForm,
  PDFHexString,
  PDFName,
  PDFWidgetAnnotation,
} from '@cantoo/pdf-lib'
import { collectGarbageIfGrown } from '../gc-pressure.ts'
import { InputError } from '../input-error.ts'
import { loadTypesetter } from '../text/typeset.ts'
import { createPainter, type Painter } from './form-appearance.ts'
import { createTextSetter } from './text-setter.ts'

export type FieldValue = string | number | boolean | string[] | null
export type Problem = { name: string; rule: string; message: string }
export type Filled = { fieldCount: number; filledCount: number; problems: Problem[]; warnings: string[] }

type Pdf = typeof import('@cantoo/pdf-lib')
/** What is wrong with a value; nothing was changed then. */
type Refusal = { rule: string; message: string }

const MAX_NAMES_LISTED = 20

/**
 * @returns problems instead of a filled form where a value does not fit its field
 * @throws InputError `form` when there is none
 */
export async function fillForm(document: PDFDocument, values: Record<string, FieldValue>): Promise<Filled> {
  const pdf = await import('@cantoo/pdf-lib')
  const setter = await createTextSetter(document)
  const painter = createPainter(document, pdf, setter, await loadTypesetter('regular'))
  const { form, byName } = fieldsOf(document)
  const fields = [...byName.values()]
  const warnings: string[] = []
  if (fields.length === 0)
    throw new InputError(
      'form',
      form.hasXFA() ? 'has a form of XFA only, without fields that PDF knows' : 'has no form fields',
    )
  const problems: Problem[] = []
  const clipped: string[] = []
  for (const [name, value] of Object.entries(values)) {
    const field = byName.get(name)
    const outcome = field === undefined ? unknown([...byName.keys()]) : fill(field, value, painter, pdf)
    if (typeof outcome === 'object') problems.push({ name, ...outcome })
    else if (!outcome) clipped.push(name)
    collectGarbageIfGrown()
  }
  if (clipped.length > 0) warnings.push(`Longer than what their fields show: ${listed(clipped)}.`)
  if (form.hasXFA()) {
    form.deleteXFA()
    warnings.push('The second description of the form (XFA) was left out, since it would not hold the values.')
  }
  if (fields.some((field) => field instanceof pdf.PDFSignature && field.acroField.dict.has(pdf.PDFName.of('V'))))
    warnings.push('The digital signature of the file does not hold for what was changed.')
  drawOthers(document, fields, values, painter, pdf)
  await setter.embed()
  return { fieldCount: fields.length, filledCount: Object.keys(values).length, problems, warnings }
}

function fieldsOf(document: PDFDocument): { form: PDFForm; byName: Map<string, PDFField> } {
  try {
    const form = document.getForm()
    return { form, byName: new Map(form.getFields().map((field) => [field.getName(), field])) }
  } catch (cause) {
    throw new InputError('form', 'has a form whose fields cannot be read', cause)
  }
}

const listed = (names: readonly string[]): string =>
  names.length <= MAX_NAMES_LISTED
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES_LISTED).join(', ')} and ${names.length - MAX_NAMES_LISTED} more`

const unknown = (names: readonly string[]): Refusal => ({
  rule: 'field',
  message: `is no field of the form, which has ${listed(names)}`,
})
const mustBe = (what: string): Refusal => ({ rule: 'type', message: `must be ${what}` })

/** UTF-16 in one piece; pdf-lib's own is as many pieces as characters, which all stay in memory. */
const textObject = (text: string, { PDFHexString }: Pdf): PDFHexString =>
  PDFHexString.of(`FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex')}`)

/** @returns whether all of it can be seen, or what is wrong with it */
function fill(field: PDFField, value: FieldValue, painter: Painter, pdf: Pdf): boolean | Refusal {
  if (field instanceof pdf.PDFTextField) return fillText(field, value, painter, pdf)
  if (field instanceof pdf.PDFCheckBox) return fillCheckBox(field, value, painter, pdf)
  if (field instanceof pdf.PDFRadioGroup) return fillRadio(field, value, painter, pdf)
  if (field instanceof pdf.PDFDropdown || field instanceof pdf.PDFOptionList)
    return fillChoice(field, value, painter, pdf)
  return { rule: 'type', message: 'is a button or signature, which takes no value' }
}

function fillText(
  field: import('@cantoo/pdf-lib').PDFTextField,
  value: FieldValue,
  painter: Painter,
  pdf: Pdf,
): boolean | Refusal {
  if (value !== null && typeof value !== 'string' && typeof value !== 'number') return mustBe('a text or a number')
  const text = value === null ? '' : String(value)
  const maxLength = field.getMaxLength()
  if (maxLength !== undefined && [...text].length > maxLength)
    return { rule: 'maxLength', message: `has ${[...text].length} characters; the field takes ${maxLength}` }
  if (field.isRichFormatted()) field.disableRichFormatting()
  if (text === '') field.acroField.dict.delete(pdf.PDFName.of('V'))
  else field.acroField.dict.set(pdf.PDFName.of('V'), textObject(text, pdf))
  return paintTextField(field, text, painter)
}

function paintTextField(field: import('@cantoo/pdf-lib').PDFTextField, text: string, painter: Painter): boolean {
  const comb = field.isCombed() && !field.isMultiline() && !field.isPassword() ? field.getMaxLength() : undefined
  const shown = field.isPassword() ? '•'.repeat([...text].length) : text
  return field.acroField
    .getWidgets()
    .map((widget) => painter.paintText(field, widget, shown, { multiline: field.isMultiline(), comb }))
    .every((fits) => fits)
}

/** The name of the look that means yes; drawn where there is none. */
function onName(field: PDFField, widget: PDFWidgetAnnotation, painter: Painter, pdf: Pdf, round: boolean): string {
  const { PDFDict, PDFName } = pdf
  const looks = (widget.dict.lookup(PDFName.of('AP')) as PDFDict | undefined)?.lookup(PDFName.of('N'))
  const names = looks instanceof PDFDict ? looks.keys().map((name: PDFName) => name.decodeText()) : []
  return names.find((name) => name !== 'Off') ?? painter.paintTick(field, widget, round)
}

function fillCheckBox(field: PDFField, value: FieldValue, painter: Painter, pdf: Pdf): boolean | Refusal {
  const { PDFName } = pdf
  const widgets = field.acroField.getWidgets()
  const names = widgets.map((widget) => onName(field, widget, painter, pdf, false))
  const wanted =
    value === null || value === false || value === 'false' || value === 'Off'
      ? 'Off'
      : value === true || value === 'true'
        ? (names[0] ?? 'Yes')
        : value
  if (typeof wanted !== 'string' || (wanted !== 'Off' && !names.includes(wanted)))
    return { rule: 'enum', message: `must be true, false or one of ${listed([...new Set(names)])}` }
  field.acroField.dict.set(PDFName.of('V'), PDFName.of(wanted))
  for (const [i, widget] of widgets.entries())
    widget.setAppearanceState(PDFName.of(names[i] === wanted ? wanted : 'Off'))
  return true
}

function fillRadio(
  field: import('@cantoo/pdf-lib').PDFRadioGroup,
  value: FieldValue,
  painter: Painter,
  pdf: Pdf,
): boolean | Refusal {
  const { PDFName } = pdf
  const widgets = field.acroField.getWidgets()
  const names = widgets.map((widget) => onName(field, widget, painter, pdf, true))
  const exported = field.acroField.getExportValues()?.map((option) => option.decodeText()) ?? names
  const at =
    value === null || value === 'Off' ? -1 : Math.max(exported.indexOf(String(value)), names.indexOf(String(value)))
  if (at < 0 && value !== null && value !== 'Off')
    return { rule: 'enum', message: `must be one of ${listed([...new Set(exported)])}` }
  const wanted = at < 0 ? 'Off' : (names[at] as string)
  field.acroField.dict.set(PDFName.of('V'), PDFName.of(wanted))
  for (const [i, widget] of widgets.entries())
    widget.setAppearanceState(PDFName.of(names[i] === wanted ? wanted : 'Off'))
  return true
}

type Choice = import('@cantoo/pdf-lib').PDFDropdown | import('@cantoo/pdf-lib').PDFOptionList

function fillChoice(field: Choice, value: FieldValue, painter: Painter, pdf: Pdf): boolean | Refusal {
  const { PDFName } = pdf
  const isList = field instanceof pdf.PDFOptionList
  const given = value === null ? [] : Array.isArray(value) ? value : [String(value)]
  if (typeof value === 'boolean') return mustBe('one of the options')
  if (given.length > 1 && !(isList && field.isMultiselect())) return { rule: 'maxItems', message: 'takes one option' }
  // an option has a value that is kept, and one that is shown
  const options = field.acroField.getOptions().map(({ value, display }) => {
    const exportValue = value.decodeText()
    return { exportValue, shown: display?.decodeText() ?? exportValue }
  })
  const chosen = given.map((one) => options.findIndex(({ exportValue, shown }) => exportValue === one || shown === one))
  const isFree = !isList && field.isEditable()
  if (!isFree && chosen.includes(-1))
    return { rule: 'enum', message: `must be one of ${listed(options.map(({ exportValue }) => exportValue))}` }
  const chosenValues = given.map((one, i) => options[chosen[i] as number]?.exportValue ?? one)
  const { dict } = field.acroField
  const texts = chosenValues.map((one) => textObject(one, pdf))
  if (texts.length === 0) dict.delete(PDFName.of('V'))
  else dict.set(PDFName.of('V'), texts.length === 1 ? (texts[0] as (typeof texts)[number]) : dict.context.obj(texts))
  if (isList) dict.set(PDFName.of('I'), dict.context.obj(chosen.toSorted((a, b) => a - b)))
  else dict.delete(PDFName.of('I'))
  const widgets = field.acroField.getWidgets()
  if (!isList) {
    const shown = given.map((one, i) => options[chosen[i] as number]?.shown ?? one).join('')
    return widgets.map((widget) => painter.paintText(field, widget, shown, {})).every((fits) => fits)
  }
  // a list shows the first of what is chosen at its top
  const first = Math.min(...chosen, options.length)
  const top = first === options.length ? 0 : first
  dict.set(PDFName.of('TI'), dict.context.obj(top))
  const lines = options.slice(top).map(({ shown }) => shown)
  const style = { multiline: true, chosen: chosen.map((at) => at - top) }
  for (const widget of widgets) painter.paintText(field, widget, lines.join('\n'), style)
  return true
}

/** Fields with values that no reader has drawn yet; then none needs to. */
function drawOthers(
  document: PDFDocument,
  fields: readonly PDFField[],
  values: Record<string, FieldValue>,
  painter: Painter,
  pdf: Pdf,
): void {
  const { PDFName } = pdf
  for (const field of fields) {
    if (field.getName() in values || !(field instanceof pdf.PDFTextField)) continue
    const text = field.getText()
    const bare = field.acroField.getWidgets().some((widget) => !widget.dict.has(PDFName.of('AP')))
    if (text !== undefined && text !== '' && bare) paintTextField(field, text, painter)
  }
  document.getForm().acroForm.dict.delete(PDFName.of('NeedAppearances'))
}
