/** Adds the values of form fields that the page shows as drawings or not at all. */
import type { PageContent, Run } from './page-content.ts'
import { type Box, boxOf, grown, isWithin, type Matrix } from './page-geometry.ts'

/** A form field as PDF.js describes it. */
export type FormField = {
  rect: number[]
  fieldType?: string
  fieldValue?: unknown
  checkBox?: boolean
  radioButton?: boolean
  buttonValue?: string | null
  exportValue?: string
  hidden?: boolean
  password?: boolean
}

const MAX_SIZE = 11
/** Font size as a share of the height of a field. */
const FONT_TO_FIELD_HEIGHT = 0.65
const TICKED = '\u2612'
const EMPTY = '\u2610'

export function addFieldValues(
  { runs, shapes, rules }: Pick<PageContent, 'runs' | 'shapes' | 'rules'>,
  fields: readonly FormField[],
  base: Matrix,
): void {
  for (const field of fields) {
    if (field.fieldType === undefined || field.hidden || field.password) continue
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = field.rect
    const box = boxOf(base, x1, y1, x2, y2)
    const shown = runs.filter((run) => isWithin(run, box))
    if (field.checkBox || field.radioButton) {
      // the sign replaces its drawing
      for (const run of shown) runs.splice(runs.indexOf(run), 1)
      removeFrom(shapes, box)
      for (let i = rules.length - 1; i >= 0; i--) {
        const { horizontal, at, from, to } = rules[i] as (typeof rules)[number]
        const line = horizontal
          ? { left: from, right: to, top: at, bottom: at }
          : { left: at, right: at, top: from, bottom: to }
        if (isWithin(line, grown(box, 1))) rules.splice(i, 1)
      }
      runs.push(runOf(isTicked(field) ? TICKED : EMPTY, box, 'Segoe UI Symbol'))
    } else if (shown.length === 0 && (field.fieldType === 'Tx' || field.fieldType === 'Ch')) {
      const values = [field.fieldValue].flat().filter((value) => typeof value === 'string' && value.trim() !== '')
      if (values.length > 0) runs.push(runOf(values.join(', ').replace(/\s+/g, ' '), box, 'Arial'))
    }
  }
}

function isTicked({ checkBox, fieldValue, buttonValue }: FormField): boolean {
  if (typeof fieldValue !== 'string' || fieldValue === 'Off') return false
  return checkBox === true || fieldValue === buttonValue
}

function removeFrom(shapes: PageContent['shapes'], box: Box): void {
  for (let i = shapes.length - 1; i >= 0; i--) {
    const shape = shapes[i] as PageContent['shapes'][number]
    if (isWithin(shape, box) && shape.right - shape.left <= 1.2 * (box.right - box.left)) shapes.splice(i, 1)
  }
}

function runOf(text: string, box: Box, family: string): Run {
  const size = Math.min(MAX_SIZE, FONT_TO_FIELD_HEIGHT * (box.bottom - box.top))
  const baseline = (box.top + box.bottom) / 2 + 0.35 * size
  const width = Math.min(box.right - box.left, 0.5 * size * text.length)
  const letters = [...text].map((letter, i, all) => ({
    text: letter,
    left: box.left + (i * width) / all.length,
    right: box.left + ((i + 1) * width) / all.length,
  }))
  return {
    text,
    letters,
    baseline,
    size,
    rotated: false,
    hidden: false,
    left: box.left,
    right: box.left + width,
    top: baseline - 0.8 * size,
    bottom: baseline + 0.2 * size,
    face: { id: `form ${family}`, family, bold: false, italic: false, symbolic: false },
  }
}
