/** The content of a page: text with its fonts, images, ruled lines and links. Types only. */
import type { Box } from './page-geometry.ts'

export type Face = {
  family: string
  bold: boolean
  italic: boolean
  symbolic: boolean
  id: string
  /** Width of the letters relative to the family's, if the family is a different font of known widths. */
  scale?: number
}
/** The text of a glyph: usually one letter. */
export type Letter = {
  text: string
  left: number
  right: number
  /** The code in the font; `isUnmapped` if the font does not map it to a letter. */
  code?: number
  isUnmapped?: boolean
}
export type Style = {
  size: number
  face: Face
  /** Six hexadecimal digits; undefined for black. */
  color?: string
  /** Colour of the area behind text that could not be read on white. */
  background?: string
  link?: string
}
/** Letters in one style on one baseline, from left to right as displayed. */
export type Run = Box &
  Style & {
    letters: Letter[]
    text: string
    baseline: number
    /** Whether it is not horizontal, and thus not part of the lines around it. */
    rotated: boolean
    /** Whether it is invisible: the recognised text of a scan. */
    hidden: boolean
  }
export type PageImage = Box & { data: Buffer; kind: 'png' | 'jpg'; description?: string }
/** A horizontal or vertical line at a position; `from` is less than `to`. */
export type Rule = { horizontal: boolean; at: number; from: number; to: number }
/** Something painted that is neither text nor an image. */
export type Shape = Box & {
  /** Whether it is curved or slanted, unlike ruled lines, cells and panels. */
  isFree: boolean
  isRule: boolean
  /** Colour of a filled area. */
  fill?: string
}
export type PageContent = {
  width: number
  height: number
  runs: Run[]
  pictures: PageImage[]
  rules: Rule[]
  shapes: Shape[]
  /** Number of images in a form that cannot be converted. */
  unsupportedImages: number
}

export type Pdfjs = typeof import('pdfjs-dist/types/src/pdf.js')
