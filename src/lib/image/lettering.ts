/** Text as a picture: shaped by HarfBuzz, in reading order of its script by FriBidi, both through Pango. */
import { FONT_FAMILIES, firstUndrawable } from '../text/fonts.ts'
import { Unfit } from '../unfit.ts'
import { loadSharp } from './image.ts'

/** How much of each pixel is covered, 0 to 255. */
export type Mask = { data: Uint8Array; width: number; height: number }

/** What Pango would take for markup. */
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** At this many dots an inch a point is a pixel. */
const DPI = 72

/** @throws Unfit `glyphs` when no font has a character of the text, `blank` when nothing of it can be seen */
export async function checkText(text: string): Promise<void> {
  if (!/[^\s\p{Cf}\p{Cc}]/u.test(text)) throw new Unfit('blank', 'must hold something that can be seen')
  const missing = await firstUndrawable(text)
  if (missing === undefined) return
  const code = (missing.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  throw new Unfit(
    'glyphs',
    `holds ${missing} (U+${code}), which is in none of the fonts: Latin, Arabic, Greek, Cyrillic`,
  )
}

/**
 * @param sizePx of the font
 * @param maxWidthPx lines are broken there; not at all when left out
 */
export async function letter(
  text: string,
  sizePx: number,
  maxWidthPx?: number,
  align: 'left' | 'centre' | 'right' = 'left',
): Promise<Mask> {
  const sharp = await loadSharp()
  const escaped = text
    .replace(/\p{Cc}/gu, (control) => (control === '\n' ? '\n' : ' '))
    .replace(/[&<>]/g, (sign) => ENTITIES[sign] as string)
  const { data, info } = await sharp({
    text: {
      text: escaped,
      font: `${FONT_FAMILIES} ${Math.max(1, Math.round(sizePx))}`,
      dpi: DPI,
      align,
      ...(maxWidthPx !== undefined && { width: Math.max(1, Math.floor(maxWidthPx)), wrap: 'word-char' as const }),
    },
  })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}
