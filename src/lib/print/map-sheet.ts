/** Writes a map sheet as PDF: maps with frame, scale, north arrow and grid, plus title, legend and imprint. */
import { writeFile } from 'node:fs/promises'
import type { PDFDocument, PDFRef } from '@cantoo/pdf-lib'
import { largest } from '../../lists.ts'
import type { OpenImage } from '../image/image.ts'
import { createTextSetter } from '../pdf/drawing/text-setter.ts'
import { embedImage } from '../pdf/images/image-stream.ts'
import { loadTypesetter } from '../text/typeset.ts'
import { type Rect, ratioOf } from './furniture.ts'
import { continuedLegend, placeLegend } from './legend-layout.ts'
import { type Block, placeBlocks } from './map-block.ts'
import type { MapFrame } from './map-frame.ts'
import { LABELS, type MapSpec, PAGES } from './map-spec.ts'
import { createPen, type Pen } from './pen.ts'
import { frameSheet, GAP } from './sheet-frame.ts'

export type Sheet = { pageCount: number; scales: (number | null)[] }

const SECONDARY_INK = '#555555'
const TITLE = { size: 20, minSize: 11 }
const SUBTITLE_SIZE = 10.5
const LOGO = { width: 110, height: 40 }
const FOOTER_SIZE = 6.5

export async function writeMapSheet(
  spec: MapSpec,
  blocks: readonly Block[],
  logo: OpenImage | undefined,
  to: string,
  onProgress: (share: number) => void,
): Promise<Sheet> {
  const { PDFDocument, PDFHexString, PDFName, PDFString } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.create()
  document.setProducer('Groundwave')
  document.setCreator('Groundwave')
  if (spec.title !== undefined) document.setTitle(spec.title, { showInWindowTitleBar: true })
  document.catalog.set(PDFName.of('Lang'), PDFString.of(spec.lang))
  const setter = await createTextSetter(document)
  const pen = createPen(setter, {
    regular: await loadTypesetter('regular'),
    semibold: await loadTypesetter('semibold'),
  })
  const [short, long] = PAGES[spec.page]
  const size: [number, number] = spec.orientation === 'portrait' ? [short, long] : [long, short]
  const rtl = spec.lang === 'ar'
  const inner = frameSheet(pen, size)

  const below = await drawHeader(pen, spec, inner, logo, rtl)
  const above = drawFooter(pen, spec, inner, rtl)
  const area = { x: inner.x, y: above, width: inner.width, height: below - above }
  const { mapArea, rest } = placeLegend(pen, spec, area, rtl)
  const mapRects = placeBlocks(pen, spec, blocks, mapArea)

  const page = document.addPage(size)
  const pictures: Record<string, PDFRef> = {}
  for (const [i, { image }] of blocks.entries()) {
    pictures[`Map${i}`] = await embedImage(document, image)
    onProgress((i + 1) / (blocks.length + 1))
  }
  if (logo !== undefined) pictures.Logo = await embedImage(document, logo)
  page.node.addContentStream(document.context.register(document.context.flateStream(pen.take())))
  const pages = [page]
  for (const column of continuedLegend(pen, rest, spec, inner, size, rtl)) {
    const next = document.addPage(size)
    next.node.addContentStream(document.context.register(document.context.flateStream(column)))
    pages.push(next)
  }
  for (const one of pages) {
    const resources = document.context.obj({ Font: setter.fonts, XObject: pictures as never })
    one.node.set(PDFName.of('Resources'), resources)
  }
  const viewports = mapRects.flatMap((rect, i) => {
    const frame = blocks[i]?.frame
    return frame === undefined || !frame.isLocated
      ? []
      : [viewportOf(document, rect, frame, blocks[i]?.spec.title, PDFHexString, PDFString)]
  })
  if (viewports.length > 0) page.node.set(PDFName.of('VP'), document.context.obj(viewports))
  await setter.embed()
  await writeFile(to, await document.save())
  const scales = blocks.map(({ frame }, i) => (frame === undefined ? null : ratioOf(frame, mapRects[i]?.width ?? 1)))
  return { pageCount: pages.length, scales }
}

/** Draws logo, title and subtitle. @returns the y of the lower edge */
async function drawHeader(
  pen: Pen,
  { title, subtitle }: MapSpec,
  inner: Rect,
  logo: OpenImage | undefined,
  rtl: boolean,
): Promise<number> {
  let top = inner.y + inner.height
  let [left, right] = [inner.x, inner.x + inner.width]
  let logoBottom = top
  if (logo !== undefined) {
    const scale = Math.min(LOGO.width / logo.width, LOGO.height / logo.height)
    const [width, height] = [logo.width * scale, logo.height * scale]
    const x = rtl ? left : right - width
    logoBottom = top - height
    pen.raw(`q ${width.toFixed(3)} 0 0 ${height.toFixed(3)} ${x.toFixed(3)} ${logoBottom.toFixed(3)} cm /Logo Do Q`)
    if (rtl) left += width + GAP
    else right -= width + GAP
  }
  const align = rtl ? 'right' : 'left'
  if (title !== undefined) {
    const titleWidth = pen.widthOf(title, TITLE.size, 'semibold')
    const size = Math.max(TITLE.minSize, Math.min(TITLE.size, (TITLE.size * (right - left)) / titleWidth))
    top = pen.lines(pen.breakText(title, size, right - left, 'semibold'), left, right, top, size, align)
  }
  if (subtitle !== undefined)
    top = pen.lines(
      pen.breakText(subtitle, SUBTITLE_SIZE, right - left),
      left,
      right,
      top - 2,
      SUBTITLE_SIZE,
      align,
      SECONDARY_INK,
    )
  const bottom = Math.min(top, logoBottom)
  return bottom < inner.y + inner.height ? bottom - GAP / 2 : bottom
}

/** Draws attribution, CRS and date. @returns the y of the upper edge */
function drawFooter(pen: Pen, { attribution, crsLabel, date, lang }: MapSpec, inner: Rect, rtl: boolean): number {
  const facts = [
    ...(crsLabel === undefined ? [] : [`${LABELS[lang].crs}: ${crsLabel}`]),
    ...(date === undefined ? [] : [date]),
  ]
  const widest = Math.max(0, largest(facts.map((fact) => pen.widthOf(fact, FOOTER_SIZE))))
  const share = Math.min(widest, inner.width * 0.45)
  const texts =
    attribution === undefined
      ? []
      : pen.breakText(attribution, FOOTER_SIZE, inner.width - share - (share > 0 ? GAP : 0))
  const factLines = facts.flatMap((fact) => pen.breakText(fact, FOOTER_SIZE, share + 1))
  const height = Math.max(
    texts.length === 0 ? 0 : pen.heightOf(texts.length, FOOTER_SIZE),
    factLines.length === 0 ? 0 : pen.heightOf(factLines.length, FOOTER_SIZE),
  )
  if (height === 0) return inner.y
  const top = inner.y + height
  const [left, right] = [inner.x, inner.x + inner.width]
  pen.lines(texts, left, right, top, FOOTER_SIZE, rtl ? 'right' : 'left', SECONDARY_INK)
  pen.lines(factLines, left, right, top, FOOTER_SIZE, rtl ? 'left' : 'right', SECONDARY_INK)
  pen.line(left, top + 3, right, top + 3, '#bbbbbb', 0.4)
  return top + GAP
}

type Strings = Pick<typeof import('@cantoo/pdf-lib'), 'PDFHexString' | 'PDFString'>

/** ISO 32000-2, 12.10: a geospatial viewport, for viewers that show coordinates. */
function viewportOf(
  { context }: PDFDocument,
  rect: Rect,
  { corners, crs }: MapFrame,
  name: string | undefined,
  PDFHexString: Strings['PDFHexString'],
  PDFString: Strings['PDFString'],
) {
  const epsg = /^EPSG:(\d+)$/.exec(crs.code ?? '')?.[1]
  const system = {
    Type: crs.geographic ? 'GEOGCS' : 'PROJCS',
    ...(epsg !== undefined && { EPSG: Number(epsg) }),
    WKT: PDFString.of(crs.wkt.replace(/[()\\]/g, '\\$&')),
  }
  return context.obj({
    Type: 'Viewport',
    ...(name !== undefined && { Name: PDFHexString.fromText(name) }),
    BBox: [rect.x, rect.y, rect.x + rect.width, rect.y + rect.height],
    Measure: {
      Type: 'Measure',
      Subtype: 'GEO',
      Bounds: [0, 0, 0, 1, 1, 1, 1, 0],
      LPTS: [0, 0, 0, 1, 1, 1, 1, 0],
      GPTS: corners.flat(),
      GCS: system,
    },
  })
}
