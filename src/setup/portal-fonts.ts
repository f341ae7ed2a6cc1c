/**
 * Fonts of the portal: IBM Plex by script, as Fontsource subsets it, so that a browser loads only the scripts that a
 * page shows. The rules are written here and not in the style sheet, because Bun would inline the files.
 */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const LATIN =
  'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122, U+2190-2193, U+2212, U+2215, U+FEFF, U+FFFD'
const ARABIC =
  'U+0600-06FF, U+0750-077F, U+0870-088E, U+0890-0891, U+0897-08E1, U+08E3-08FF, U+FB50-FDFF, U+FE70-FE74, U+FE76-FEFC'

const FONTS = [
  { family: 'IBM Plex Sans', file: 'ibm-plex-sans/files/ibm-plex-sans-latin', weights: [400, 600], range: LATIN },
  {
    family: 'IBM Plex Sans Arabic',
    file: 'ibm-plex-sans-arabic/files/ibm-plex-sans-arabic-arabic',
    weights: [400, 600],
    range: ARABIC,
  },
  { family: 'IBM Plex Mono', file: 'ibm-plex-mono/files/ibm-plex-mono-latin', weights: [400], range: LATIN },
]

export const hashedName = (name: string, bytes: Uint8Array): string => {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
  return name.replace(/(\.\w+)$/, `-${hash}$1`)
}

/** Copies the files. @returns the style rules, and the file that every page needs in its language */
export async function copyFonts(
  root: string,
  outdir: string,
): Promise<{ css: string; preload: Record<string, string> }> {
  const rules: string[] = []
  const preload: Record<string, string> = {}
  for (const { family, file, weights, range } of FONTS)
    for (const weight of weights) {
      const bytes = await readFile(join(root, `node_modules/@fontsource/${file}-${weight}-normal.woff2`))
      const name = hashedName(`${family.toLowerCase().replaceAll(' ', '-')}-${weight}.woff2`, bytes)
      await writeFile(join(outdir, name), bytes)
      rules.push(
        `@font-face{font-family:"${family}";font-weight:${weight};font-display:swap;src:url("/portal/assets/${name}") format("woff2");unicode-range:${range}}`,
      )
      if (weight === 400 && family === 'IBM Plex Sans') preload.en = name
      if (weight === 400 && family === 'IBM Plex Sans Arabic') preload.ar = name
    }
  return { css: rules.join('\n'), preload }
}
