/** Finds the family, weight and slant of a font by its name, and its replacement in a word processor. */
import type { Face } from './page-content.ts'
import type { PageFont } from './page-operators.ts'

/** Names of bold fonts: URW abbreviates them; TeX names begin with the family and `b`. */
const BOLD = /bold|black|heavy|demi|[a-z]-?Medi(Ital)?$|^(rm-)?(cm|sf|lm|ec)(ss)?b/i
const ITALIC = /ital|obli|slanted|[a-z]-(It|Kursiv)$|^(rm-)?(cm|sf|lm|ec)(b?x?ti|sl|bxsl|mi|ssi|u\d)/i
const SYMBOLIC = /symbol|wingding|dingbat|webding|^(cm|lm)sy/i

export function faceOf(id: string, font: PageFont): Face {
  const name = (font.name ?? '').replace(/^[A-Z]{6}\+/, '')
  return {
    id,
    family: texFamilyOf(name) ?? familyOf(name, font.isMonospace === true, font.isSerifFont === true),
    bold: font.bold === true || font.black === true || BOLD.test(name),
    italic: font.italic === true || ITALIC.test(name),
    symbolic: SYMBOLIC.test(name),
  }
}

/** TeX fonts are named after their design sizes and are rarely installed, so common fonts replace them. */
function texFamilyOf(name: string): string | undefined {
  if (!/^(rm-)?(cm|sf|lm|ec|ms[ab]m)[a-z]*\d+/i.test(name)) return undefined
  return /^(rm-)?(cm|sf|lm|ec)(mono|tt|itt|sltt)/i.test(name)
    ? 'Courier New'
    : /^(rm-)?(cm|sf|lm|ec)(ss|sans)/i.test(name)
      ? 'Arial'
      : 'Times New Roman'
}

/** The name of the font in word processors. */
function familyOf(name: string, mono: boolean, serif: boolean): string {
  const family = name
    .split(/[-,]/)[0]
    ?.replace(/(PS)?MT$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .trim()
  if (family === undefined || /^$|^g_d\d|^[A-Z]?\d+$|^CIDFont|^(Type|TT|T)\d/.test(family))
    return mono ? 'Courier New' : serif ? 'Times New Roman' : 'Arial'
  if (/^(helvetica|nimbus ?san|arial)/i.test(family)) return 'Arial'
  if (/^(times|nimbus ?rom)/i.test(family)) return 'Times New Roman'
  if (/^(courier|nimbus ?mon)/i.test(family)) return 'Courier New'
  return family
}
