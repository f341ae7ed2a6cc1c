/**
 * Renders input and output of all image tools into one PNG, for visual inspection.
 * `bun run bench:contact-sheet [out.png] [photo …]`; uses the test photo when none is given.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import { renderTextMask } from '../src/lib/image/text-mask.ts'
import { runTool } from '../test/support/engine.ts'
import { FIXTURES } from '../test/support/tools.ts'

const [out = 'contact-sheet.png', ...photoPaths] = process.argv.slice(2)
const photos = photoPaths.length > 0 ? photoPaths : [join(FIXTURES, 'dull.jpg')]
const [CELL_WIDTH, CELL_HEIGHT, LABEL_HEIGHT, COLUMNS] = [480, 330, 34, 3]

const TEXT = 'Groundwave · جميع الحقوق محفوظة'
const logo = { name: 'logo.png', content: readFileSync(join(FIXTURES, 'logo.png')) }

type Shot = { label: string; path: string }
const shots: Shot[] = []

for (const path of photos) {
  const file = { name: basename(path), content: readFileSync(path) }
  const shoot = async (label: string, tool: string, input: Record<string, unknown>): Promise<void> => {
    const ran = await runTool(tool, { ...(input.files === undefined && { file }), ...input })
    shots.push({ label, path: ran.path })
  }
  shots.push({ label: `before: ${file.name}`, path })
  await shoot('enhance-quality', 'image.enhance-quality', {})
  await shoot('enhance-quality, upscale', 'image.enhance-quality', { upscale: true })
  await shoot('remove-background', 'image.remove-background', {})
  for (const format of ['gif', 'webp', 'bmp'])
    await shoot(`convert-format: ${format}`, 'image.convert-format', { target_format: format })
  for (const position of ['diagonal', 'center', 'bottom-right'])
    await shoot(`image-watermark: text, ${position}`, 'image.image-watermark', { text: TEXT, position, opacity: 0.8 })
  for (const position of ['diagonal', 'top-left'])
    await shoot(`image-watermark: logo, ${position}`, 'image.image-watermark', { wm_mode: 'image', logo, position })
  for (const layout of ['vertical', 'horizontal', 'grid'])
    await shoot(`merge-images: ${layout}`, 'image.merge-images', { files: [file, logo, file], layout })
}

/** A grey checkerboard that shows through transparent pixels. */
const squares = Uint8Array.from({ length: CELL_WIDTH * CELL_HEIGHT }, (_, i) =>
  (i % CELL_WIDTH) % 24 < 12 === Math.floor(i / CELL_WIDTH) % 24 < 12 ? 200 : 232,
)
const raw = { width: CELL_WIDTH, height: CELL_HEIGHT, channels: 1 } as const
const checkerboard = await sharp(squares, { raw }).png().toBuffer()

async function cell({ label, path }: Shot, i: number): Promise<OverlayOptions[]> {
  const [left, top] = [(i % COLUMNS) * (CELL_WIDTH + 8), Math.floor(i / COLUMNS) * (CELL_HEIGHT + LABEL_HEIGHT)]
  // sharp cannot read BMP, so it is converted with the tool first
  const shown = path.endsWith('.bmp')
    ? (await runTool('image.convert-format', { file: { name: 'a.bmp', content: readFileSync(path) } })).path
    : path
  const { data, info } = await sharp(shown)
    .resize({ width: CELL_WIDTH, height: CELL_HEIGHT, fit: 'inside' })
    .png()
    .toBuffer({ resolveWithObject: true })
  const words = await renderTextMask(label, 20)
  const place = { left: left + ((CELL_WIDTH - info.width) >> 1), top: top + LABEL_HEIGHT }
  const black = await sharp(words.data, { raw: { width: words.width, height: words.height, channels: 1 } })
    .negate()
    .png()
    .toBuffer()
  return [
    { input: black, left: left + 4, top: top + 6 },
    { input: await sharp(checkerboard).resize(info.width, info.height, { fit: 'cover' }).png().toBuffer(), ...place },
    { input: data, ...place },
  ]
}

const cells = (await Promise.all(shots.map(cell))).flat()
const height = Math.ceil(shots.length / COLUMNS) * (CELL_HEIGHT + LABEL_HEIGHT)
await sharp({ create: { width: COLUMNS * (CELL_WIDTH + 8), height, channels: 3, background: '#ffffff' } })
  .composite(cells)
  .png()
  .toFile(out)
process.stdout.write(`${shots.length} images written to ${out}\n`)
process.exit(0)
