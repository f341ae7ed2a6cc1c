/** Restores the Arabic comma, which Tesseract's Arabic models do not contain. */

/**
 * The Arabic models read ، as the most similar character that they know: a Latin comma or, in traditional typefaces, a
 * closing guillemet. A guillemet counts as a comma only if no opening one precedes it.
 */
export function withArabicCommas(text: string): string {
  let open = 0
  return text.replace(/[«»]|(?<=\p{Script=Arabic}),/gu, (mark, at: number) => {
    if (mark === '«') open++
    else if (mark === ',') return '،'
    else if (open > 0) open--
    else if (/\p{Script=Arabic}$/u.test(text.slice(0, at))) return '،'
    return mark
  })
}
