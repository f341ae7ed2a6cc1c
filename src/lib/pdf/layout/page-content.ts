/** The content of a page: text with its fonts, images, ruled lines and links. Types only. */
import type { Box } from './page-geometry.ts'

export type Face = { family: string; bold: boolean; italic: boolean; symbolic: boolean }
export type Run = Box & {
  text: string
  baseline: number
  size: number
  face: Face
  rtl: boolean
  /** Not horizontal, and therefore not part of the lines around it. */
  rotated: boolean
  link?: string
}
export type PageImage = Box & { data: Buffer; kind: 'png' | 'jpg' }
/** A horizontal or vertical line at a position; `from` is less than `to`. */
export type Rule = { horizontal: boolean; at: number; from: number; to: number }
export type PageContent = {
  width: number
  height: number
  runs: Run[]
  pictures: PageImage[]
  rules: Rule[]
  /** Number of curves, slanted lines and filled areas, which are not converted. */
  otherDrawings: number
  /** Number of images in a form that cannot be converted. */
  unsupportedImages: number
}

export type Pdfjs = typeof import('pdfjs-dist/types/src/pdf.js')
