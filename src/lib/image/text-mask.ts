/** Renders text to a coverage mask with Pango, which shapes with HarfBuzz and orders scripts with FriBidi. */
import { FONT_FAMILIES } from '../text/fonts.ts'
import { loadSharp } from './image.ts'

/** Coverage of each pixel, 0 to 255. */
export type TextMask = { data: Uint8Array; width: number; height: number }

/** Escapes for characters that Pango reads as markup. */
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** At this resolution, one point is one pixel. */
const DPI = 72

/**
 * @param sizePx font size
 * @param maxWidthPx wraps lines at this width; no wrapping by default
 */
export async function renderTextMask(
  text: string,
  sizePx: number,
  maxWidthPx?: number,
  align: 'left' | 'centre' | 'right' = 'left',
): Promise<TextMask> {
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
