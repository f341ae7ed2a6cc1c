/** Arranges several images in a column, a row or a grid, each at its own size and centred in its cell. */
import { hasTransparency, loadSharp, type OpenImage, type Pipeline } from './image.ts'
import { withPixels } from './raw-pixels.ts'

export const LAYOUTS = ['vertical', 'horizontal', 'grid'] as const
export type Layout = (typeof LAYOUTS)[number]

type Size = { width: number; height: number }
export type Arrangement = Size & { columns: number; positions: { left: number; top: number }[] }

/** The position of each image, in the given order; a grid has about as many rows as columns. */
export function arrange(sizes: readonly Size[], layout: Layout): Arrangement {
  const columns = { vertical: 1, horizontal: sizes.length, grid: Math.ceil(Math.sqrt(sizes.length)) }[layout]
  const rows = Math.ceil(sizes.length / columns)
  const widths = new Array<number>(columns).fill(0)
  const heights = new Array<number>(rows).fill(0)
  const cellOf = (i: number) => ({ column: i % columns, row: Math.floor(i / columns) })
  for (const [i, { width, height }] of sizes.entries()) {
    const { column, row } = cellOf(i)
    widths[column] = Math.max(widths[column] as number, width)
    heights[row] = Math.max(heights[row] as number, height)
  }
  const sum = (values: number[], until = values.length): number =>
    values.slice(0, until).reduce((total, value) => total + value, 0)
  return {
    columns,
    width: sum(widths),
    height: sum(heights),
    positions: sizes.map(({ width, height }, i) => {
      const { column, row } = cellOf(i)
      return {
        left: sum(widths, column) + Math.floor(((widths[column] as number) - width) / 2),
        top: sum(heights, row) + Math.floor(((heights[row] as number) - height) / 2),
      }
    }),
  }
}

/** Composites the images on white, or on a transparent background when any image has transparent pixels. */
export async function compositeImages(
  images: readonly OpenImage[],
  arrangement: Arrangement,
  onProgress: (share: number) => void,
): Promise<Pipeline> {
  const sharp = await loadSharp()
  const { width, height, positions, columns } = arrangement
  if (canStreamJoin(images)) {
    const paths = images.map(({ path }) => path)
    return sharp(paths, { join: { across: columns, background: '#ffffff' }, failOn: 'error', limitInputPixels: false })
  }
  const channels = (await anyTransparent(images)) ? 4 : 3
  const covered = images.reduce((sum, image) => sum + image.width * image.height, 0) === width * height
  const canvas = covered
    ? Buffer.allocUnsafe(width * height * channels)
    : Buffer.alloc(width * height * channels, channels === 3 ? 255 : 0)
  const drawImage = async (image: OpenImage, { left, top }: { left: number; top: number }): Promise<void> => {
    const pipeline = image.pipeline().toColourspace('srgb')
    const rowBytes = image.width * channels
    await withPixels(channels === 4 ? pipeline.ensureAlpha() : pipeline.removeAlpha(), async (data) => {
      for (let y = 0; y < image.height; y++)
        data.copy(canvas, ((top + y) * width + left) * channels, y * rowBytes, (y + 1) * rowBytes)
    })
  }
  for (let i = 0; i < images.length; i += CONCURRENT_IMAGES) {
    const batch = images.slice(i, i + CONCURRENT_IMAGES)
    await Promise.all(batch.map((image, k) => drawImage(image, positions[i + k] as { left: number; top: number })))
    onProgress((i + batch.length) / (images.length + 1))
  }
  return sharp(canvas, { raw: { width, height, channels }, limitInputPixels: false })
}

/**
 * Whether libvips can join the images while it decodes them, without holding any in memory, such as photos from one
 * camera.
 */
function canStreamJoin(images: readonly OpenImage[]): boolean {
  const [first] = images
  return images.every(
    ({ plain, space, hasAlpha, pages, width, height }) =>
      plain && space === 'srgb' && !hasAlpha && pages === 1 && width === first?.width && height === first.height,
  )
}

/** Images decoded at the same time; each needs memory for all its pixels. */
const CONCURRENT_IMAGES = 2

async function anyTransparent(images: readonly OpenImage[]): Promise<boolean> {
  for (const image of images) if (await hasTransparency(image)) return true
  return false
}
