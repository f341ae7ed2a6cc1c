/** Text as a picture: shaped by HarfBuzz, in reading order of its script by FriBidi, both through Pango. */
import { FONT_FAMILIES } from '../text/fonts.ts'
import { loadSharp } from './image.ts'

/** How much of each pixel is covered, 0 to 255. */
export type TextMask = { data: Uint8Array; width: number; height: number }

/** What Pango would take for markup. */
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** At this many dots an inch a point is a pixel. */
const DPI = 72

/**
 * @param sizePx of the font
 * @param maxWidthPx lines are broken there; not at all when left out
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
