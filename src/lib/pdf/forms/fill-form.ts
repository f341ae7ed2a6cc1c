/** Fills form fields (ISO 32000-1, 12.7) and draws their appearance. */
import type { PDFDocument, PDFField, PDFHexString, PDFName, PDFWidgetAnnotation } from '@cantoo/pdf-lib'
import type { FieldText } from '../../../field-texts/bilingual.ts'
import { fieldText, mustBe } from '../../../field-texts/field-text.ts'
import { append, smallest } from '../../../lists.ts'
import { firstOf, type Warning, warning } from '../../../warnings/warning.ts'
import { collectGarbageIfGrown } from '../../gc-pressure.ts'
import { InputError } from '../../input-error.ts'
import { lacking, loadUndrawable, named } from '../../text/fonts.ts'
import { loadTypesetter } from '../../text/typeset.ts'
import { createTextSetter, type TextSetter } from '../drawing/text-setter.ts'
import { createPainter, type Painter } from './form-appearance.ts'

export type FieldValue = string | number | boolean | string[] | null
export type Problem = Rejection & { name: string }
export type Filled = { fieldCount: number; filledCount: number; problems: Problem[]; warnings: Warning[] }

type Pdf = typeof import('@cantoo/pdf-lib')
/** Why a value is rejected; the field is then unchanged. */
type Rejection = { rule: string; text: FieldText }

const MAX_NAMES_LISTED = 20

/**
 * @param scripted fields with scripts, which are not run
 * @returns problems when a value does not fit its field
 * @throws InputError `form` when the file has no form
 */
export async function fillForm(
  document: PDFDocument,
  values: Record<string, FieldValue>,
  scripted: ScriptedFields,
): Promise<Filled> {
  const pdf = await import('@cantoo/pdf-lib')
  const setter = await createTextSetter(document)
  const painter = await createPainter(document, pdf, setter, await loadTypesetter('regular'))
  const undrawable = await loadUndrawable()
  const byName = fieldsOf(document)
  const warnings: Warning[] = []
  if (byName.size === 0) throw new InputError('form', fieldText('acroForm'))
  const problems: Problem[] = []
  const clipped: string[] = []
  for (const [name, value] of Object.entries(values)) {
    const missing = undrawable([value].flat().join(''))
    const outcome =
      missing.length > 0 ? { rule: 'glyphs', text: lacking(missing) } : fillAll(byName, name, value, painter, pdf)
    if (typeof outcome === 'object') problems.push({ name, ...outcome })
    else if (!outcome) clipped.push(name)
    collectGarbageIfGrown()
  }
  if (clipped.length > 0) warnings.push(warning('valuesClipped', { fields: firstOf(clipped, MAX_NAMES_LISTED) }))
  const left = scripted.calculated.filter((name) => !(name in values))
  if (left.length > 0) warnings.push(warning('fieldsNotCalculated', { fields: firstOf(left, MAX_NAMES_LISTED) }))
  const unchecked = scripted.checked.filter((name) => name in values)
  if (unchecked.length > 0) warnings.push(warning('fieldsNotChecked', { fields: firstOf(unchecked, MAX_NAMES_LISTED) }))
  drawMissingAppearances(document, [...byName.values()].flat(), values, painter, pdf)
  append(warnings, await embedded(setter))
  return { fieldCount: byName.size, filledCount: Object.keys(values).length, problems, warnings }
}

/** @returns a warning if a text could not be drawn */
async function embedded(setter: TextSetter): Promise<Warning[]> {
  const missing = await setter.embed()
  return missing.length > 0
    ? [warning('charactersLacking', { characters: firstOf(missing.map(named), MAX_NAMES_LISTED) })]
    : []
}

/** Draws the fields of a form that asks viewers to draw them. @returns a warning if a text could not be drawn */
export async function drawAppearances(document: PDFDocument): Promise<Warning[]> {
  const pdf = await import('@cantoo/pdf-lib')
  const setter = await createTextSetter(document)
  const painter = await createPainter(document, pdf, setter, await loadTypesetter('regular'))
  drawMissingAppearances(document, [...fieldsOf(document).values()].flat(), {}, painter, pdf)
  return embedded(setter)
}

/** ISO 32000-1, table 196: names of fields by the purpose of their scripts. */
export type ScriptedFields = { calculated: string[]; checked: string[] }

/** @param document with its scripts */
export async function scriptedFields(document: PDFDocument): Promise<ScriptedFields> {
  const { PDFDict, PDFName } = await import('@cantoo/pdf-lib')
  const calculated = new Set<string>()
  const checked = new Set<string>()
  try {
    // not through `getForm`, which removes the XFA version of the form
    for (const [field] of document.catalog.getAcroForm()?.getAllFields() ?? []) {
      const events = field.dict.lookup(PDFName.of('AA'))
      const name = field.getFullyQualifiedName()
      if (!(events instanceof PDFDict) || name === undefined) continue
      if (events.has(PDFName.of('C'))) calculated.add(name)
      if (['F', 'K', 'V'].some((event) => events.has(PDFName.of(event)))) checked.add(name)
    }
  } catch (cause) {
    // a field may be its own parent
    throw unreadableForm(cause)
  }
  return { calculated: [...calculated], checked: [...checked] }
}

const unreadableForm = (cause: unknown): InputError => new InputError('form', fieldText('formUnread'), cause)

/** Fields by full name. Fields of one name are one field (ISO 32000-1, 12.7.3.2), although programs write several. */
function fieldsOf(document: PDFDocument): Map<string, PDFField[]> {
  try {
    return Map.groupBy(document.getForm().getFields(), (field) => field.getName())
  } catch (cause) {
    throw unreadableForm(cause)
  }
}

/** @returns whether the whole value is visible, or why it is rejected */
function fillAll(
  byName: ReadonlyMap<string, readonly PDFField[]>,
  name: string,
  value: FieldValue,
  painter: Painter,
  pdf: Pdf,
): boolean | Rejection {
  const fields = byName.get(name)
  if (fields === undefined) return unknown([...byName.keys()])
  const outcomes = fields.map((field) => fillField(field, value, painter, pdf))
  return outcomes.find((outcome) => typeof outcome === 'object') ?? outcomes.every((fits) => fits === true)
}

const listed = (names: readonly string[]): string =>
  names.length <= MAX_NAMES_LISTED
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES_LISTED).join(', ')} and ${names.length - MAX_NAMES_LISTED} more`

const unknown = (names: readonly string[]): Rejection => ({
  rule: 'field',
  text: fieldText('formFields', { fields: listed(names) }),
})
const wrongType = (key: 'textOrNumber' | 'oneOfOptions'): Rejection => ({ rule: 'type', text: mustBe(fieldText(key)) })

/** Encodes text as one UTF-16 string; pdf-lib's own encoder allocates one object per character. */
const textObject = (text: string, { PDFHexString }: Pdf): PDFHexString =>
  PDFHexString.of(`FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex')}`)

/** @returns whether the whole value is visible, or why it is rejected */
function fillField(field: PDFField, value: FieldValue, painter: Painter, pdf: Pdf): boolean | Rejection {
  if (field instanceof pdf.PDFTextField) return fillText(field, value, painter, pdf)
  if (field instanceof pdf.PDFCheckBox || field instanceof pdf.PDFRadioGroup)
    return fillButton(field, value, painter, pdf)
  if (field instanceof pdf.PDFDropdown || field instanceof pdf.PDFOptionList)
    return fillChoice(field, value, painter, pdf)
  return { rule: 'type', text: fieldText('buttonField') }
}

function fillText(
  field: import('@cantoo/pdf-lib').PDFTextField,
  value: FieldValue,
  painter: Painter,
  pdf: Pdf,
): boolean | Rejection {
  if (value !== null && typeof value !== 'string' && typeof value !== 'number') return wrongType('textOrNumber')
  const text = value === null ? '' : String(value)
  const maxLength = field.getMaxLength()
  if (maxLength !== undefined && [...text].length > maxLength)
    return {
      rule: 'maxLength',
      text: fieldText('fieldCharacterCount', { count: [...text].length, most: maxLength }),
    }
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

/** A possible state of a button: the name of its appearance, and its export value (ISO 32000-1, 12.7.4.2.3). */
type ButtonState = { widget: PDFWidgetAnnotation; name: string; exported: string }

/** The checked state of each widget; draws those that have no appearance. */
function statesOf(field: Button, painter: Painter, pdf: Pdf): ButtonState[] {
  const { PDFDict, PDFName } = pdf
  const isRound = field instanceof pdf.PDFRadioGroup
  const exported = field.acroField.getExportValues()?.map((option) => option.decodeText())
  return field.acroField.getWidgets().map((widget, i) => {
    const appearance = widget.dict.lookup(PDFName.of('AP'))
    const normal = appearance instanceof PDFDict ? appearance.lookup(PDFName.of('N')) : undefined
    const names = normal instanceof PDFDict ? normal.keys().map((name: PDFName) => name.decodeText()) : []
    let name = names.find((one) => one !== 'Off')
    if (name === undefined) {
      // buttons of a group must differ in their states
      name = isRound ? String(i) : 'Yes'
      painter.paintTick(field, widget, isRound, name)
    }
    return { widget, name, exported: exported?.[i] ?? name }
  })
}

function setState(field: Button, states: readonly ButtonState[], chosen: string, { PDFName }: Pdf): void {
  field.acroField.dict.set(PDFName.of('V'), PDFName.of(chosen))
  for (const { widget, name } of states) widget.setAppearanceState(PDFName.of(name === chosen ? name : 'Off'))
}

function fillButton(field: Button, value: FieldValue, painter: Painter, pdf: Pdf): boolean | Rejection {
  const states = statesOf(field, painter, pdf)
  const values = [...new Set(states.map(({ exported }) => exported))]
  const isBox = field instanceof pdf.PDFCheckBox
  const stated = states.find(({ exported }) => exported === String(value))
  const isOff = value === null || (stated === undefined && (value === 'Off' || (isBox && String(value) === 'false')))
  // several boxes of one name are alternatives, like radio buttons
  const only = isBox && values.length === 1 && String(value) === 'true' ? states[0] : undefined
  const chosen = isOff ? 'Off' : (stated ?? only)?.name
  if (chosen === undefined) {
    const allowed = [...(isBox ? [...(values.length === 1 ? ['true'] : []), 'false'] : []), ...values]
    return { rule: 'enum', text: fieldText('oneOf', { values: listed(allowed) }) }
  }
  setState(field, states, chosen, pdf)
  return true
}

type Button = import('@cantoo/pdf-lib').PDFCheckBox | import('@cantoo/pdf-lib').PDFRadioGroup
type Choice = import('@cantoo/pdf-lib').PDFDropdown | import('@cantoo/pdf-lib').PDFOptionList

function fillChoice(field: Choice, value: FieldValue, painter: Painter, pdf: Pdf): boolean | Rejection {
  const { PDFName } = pdf
  const isList = field instanceof pdf.PDFOptionList
  const selected = value === null ? [] : Array.isArray(value) ? value : [String(value)]
  if (typeof value === 'boolean') return wrongType('oneOfOptions')
  if (selected.length > 1 && !(isList && field.isMultiselect()))
    return { rule: 'maxItems', text: fieldText('singleOption') }
  // an option has an export value, which is stored, and a display text
  const options = field.acroField.getOptions().map(({ value, display }) => {
    const exportValue = value.decodeText()
    return { exportValue, shown: display?.decodeText() ?? exportValue }
  })
  const chosen = selected.map((one) => {
    const exported = options.findIndex(({ exportValue }) => exportValue === one)
    const asShown = options.flatMap(({ shown }, i) => (shown === one ? [i] : []))
    // a text shared by several options is ambiguous
    return exported >= 0 || asShown.length !== 1 ? exported : (asShown[0] as number)
  })
  const isFree = !isList && field.isEditable()
  if (!isFree && chosen.includes(-1))
    return { rule: 'enum', text: fieldText('oneOf', { values: listed(options.map(({ exportValue }) => exportValue)) }) }
  const chosenValues = selected.map((one, i) => options[chosen[i] as number]?.exportValue ?? one)
  const { dict } = field.acroField
  const texts = chosenValues.map((one) => textObject(one, pdf))
  if (texts.length === 0) dict.delete(PDFName.of('V'))
  else dict.set(PDFName.of('V'), texts.length === 1 ? (texts[0] as (typeof texts)[number]) : dict.context.obj(texts))
  if (isList) dict.set(PDFName.of('I'), dict.context.obj(chosen.toSorted((a, b) => a - b)))
  else dict.delete(PDFName.of('I'))
  const widgets = field.acroField.getWidgets()
  if (!isList) {
    const shown = selected.map((one, i) => options[chosen[i] as number]?.shown ?? one).join('')
    return widgets.map((widget) => painter.paintText(field, widget, shown, {})).every((fits) => fits)
  }
  // scroll a list box to the first selected option
  const first = Math.min(smallest(chosen), options.length)
  const top = first === options.length ? 0 : first
  dict.set(PDFName.of('TI'), dict.context.obj(top))
  const lines = options.slice(top).map(({ shown }) => shown)
  const style = { multiline: true, chosen: chosen.map((index) => index - top) }
  for (const widget of widgets) painter.paintText(field, widget, lines.join('\n'), style)
  return true
}

/**
 * Draws fields that have a value but no appearance, so that viewers need not generate any. If a form asks viewers to
 * generate all appearances, the existing ones may be blank or stale.
 */
function drawMissingAppearances(
  document: PDFDocument,
  fields: readonly PDFField[],
  values: Record<string, FieldValue>,
  painter: Painter,
  pdf: Pdf,
): void {
  const { PDFBool, PDFName } = pdf
  const { dict } = document.getForm().acroForm
  const needsAll = dict.lookup(PDFName.of('NeedAppearances')) === PDFBool.True
  for (const field of fields) {
    const lacksAppearance = field.acroField.getWidgets().some((widget) => !widget.dict.has(PDFName.of('AP')))
    if (!(field.getName() in values) && (needsAll || lacksAppearance)) drawValue(field, painter, pdf)
  }
  dict.delete(PDFName.of('NeedAppearances'))
}

/** Draws the current value of a field. If the value is not among the options, the existing appearance stays. */
function drawValue(field: PDFField, painter: Painter, pdf: Pdf): void {
  if (field instanceof pdf.PDFTextField) {
    // a rich text without a plain one cannot be read
    const text = field.isRichFormatted() && field.acroField.getValue() === undefined ? undefined : field.getText()
    if (text !== undefined && text !== '') paintTextField(field, text, painter)
  } else if (field instanceof pdf.PDFDropdown || field instanceof pdf.PDFOptionList) {
    const selected = field.getSelected()
    if (selected.length > 0) fillChoice(field, selected, painter, pdf)
  } else if (field instanceof pdf.PDFCheckBox || field instanceof pdf.PDFRadioGroup) {
    const state = field.acroField.getValue()
    if (state instanceof pdf.PDFName) setState(field, statesOf(field, painter, pdf), state.decodeText(), pdf)
  }
}
