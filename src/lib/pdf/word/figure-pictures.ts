/** Replaces the figures of a page by rendered pictures. */
import { figuresOf } from '../layout/figures.ts'
import { linesOf, spansOf } from '../layout/lines.ts'
import type { PageContent, PageImage, Run } from '../layout/page-content.ts'
import { grown, isWithin } from '../layout/page-geometry.ts'
import { tablesOf } from '../layout/tables.ts'
import type { PageCrops } from '../rendering/page-crops.ts'

/** Room around a figure, in points, for the width of its lines. */
const EDGE = 1.5

/** The content without the drawings and labels of figures, whose pictures keep the labels as a description. */
export async function withFigures(content: PageContent, page: number, crops: PageCrops): Promise<PageContent> {
  const { runs, pictures, rules } = content
  const figures = figuresOf(content, tablesOf(content), bodySizeOf(runs))
  if (figures.length === 0) return content
  const drawn: PageImage[] = []
  for (const figure of figures) {
    const { left, right, top, bottom } = grown(figure, EDGE)
    const data = await crops.crop(page, { left, right, top, bottom })
    drawn.push({ left, right, top, bottom, data, kind: 'png', description: textOf(figure.labels) })
  }
  const [labels, images] = [
    new Set(figures.flatMap((one) => one.labels)),
    new Set(figures.flatMap((one) => one.images)),
  ]
  return {
    ...content,
    runs: runs.filter((run) => !labels.has(run)),
    pictures: [...pictures.filter((picture) => !images.has(picture)), ...drawn],
    rules: rules.filter(({ horizontal, at, from, to }) => {
      const line = horizontal
        ? { left: from, right: to, top: at, bottom: at }
        : { left: at, right: at, top: from, bottom: to }
      return !figures.some((figure) => isWithin(line, grown(figure, EDGE)))
    }),
  }
}

/** The font size of most letters. */
function bodySizeOf(runs: readonly Run[]): number {
  const letters = new Map<number, number>()
  for (const { size, text } of runs) {
    const rounded = Math.round(size * 2) / 2
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length)
  }
  const [[size] = [10]] = [...letters].toSorted((a, b) => b[1] - a[1])
  return size
}

const textOf = (runs: readonly Run[]): string =>
  linesOf(runs)
    .map((line) =>
      spansOf(line)
        .map(({ text }) => text)
        .join(''),
    )
    .join(' ')
