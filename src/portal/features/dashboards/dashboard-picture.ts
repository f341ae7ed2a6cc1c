/** A dashboard as a whole: on paper, and as a picture with its name, range and filters. */
import { saveFile } from '../../ui/save-file.ts'
import { copyOfMap } from '../map/map-frames.ts'
import { paint } from './page-picture.ts'

const PENDING = '.dash-body:empty, .skeleton, .chart-waits, .map[data-ready="false"]:not(:has(.map-note))'
const PATIENCE_MS = 20_000
const ASK_MS = 50
/** Text stays sharp on paper. */
const SCALE = 2
const HEAD_PX = 52
const EDGE_PX = 12
/** Controls, and the table of points behind a chart. */
const WITHOUT =
  '.dash-tools, .chart > .button, .chart-line .row, .maplibregl-ctrl-group, .maplibregl-ctrl-attrib-button, .visually-hidden'

/** Panels load when they are seen; all are needed here. One that stays without data appears as it is. */
async function allLoaded(grid: Element): Promise<void> {
  dispatchEvent(new Event('beforeprint'))
  const endMs = Date.now() + PATIENCE_MS
  do await new Promise((resolve) => setTimeout(resolve, ASK_MS))
  while (grid.querySelector(PENDING) !== null && Date.now() < endMs)
}

/** @param about the range and the filters */
export async function saveDashboardPicture(name: string, about: string): Promise<void> {
  saveFile(`${name}.png`, await pictureOf(name, about))
}

/**
 * Prints the picture: on the page itself, paper would be narrower than the drawn charts, and the maps would be empty.
 * A browser may answer before its print dialog is closed.
 */
export async function printDashboard(name: string, about: string): Promise<void> {
  const image = new Image()
  image.className = 'dash-print'
  image.alt = name
  image.src = URL.createObjectURL(await pictureOf(name, about))
  await image.decode()
  document.body.append(image)
  const end = (): void => {
    image.remove()
    URL.revokeObjectURL(image.src)
  }
  addEventListener('afterprint', end, { once: true })
  print()
}

async function pictureOf(name: string, about: string): Promise<Blob> {
  const grid = document.querySelector('.dash-grid') as Element
  await allLoaded(grid)
  const copies = new Map<HTMLCanvasElement, HTMLCanvasElement>()
  for (const canvas of grid.querySelectorAll('canvas')) {
    const copy = await copyOfMap(canvas)
    if (copy !== undefined) copies.set(canvas, copy)
  }
  const box = grid.getBoundingClientRect()
  const width = box.width + 2 * EDGE_PX
  const height = box.height + HEAD_PX + EDGE_PX
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width * SCALE)
  canvas.height = Math.ceil(height * SCALE)
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.scale(SCALE, SCALE)
  const style = getComputedStyle(document.documentElement)
  const isRightToLeft = style.direction === 'rtl'
  const write = (text: string, y: number, size: number, colour: string): void => {
    context.font = `${size}px ${style.getPropertyValue('--font')}`
    context.fillStyle = style.getPropertyValue(colour)
    context.fillText(text, isRightToLeft ? width - EDGE_PX : EDGE_PX, y, width - 2 * EDGE_PX)
  }
  context.fillStyle = style.getPropertyValue('--page')
  context.fillRect(0, 0, width, height)
  context.direction = isRightToLeft ? 'rtl' : 'ltr'
  write(name, 22, 16, '--text')
  write(about, 41, 12, '--text-weak')
  context.translate(EDGE_PX - box.x, HEAD_PX - box.y)
  paint({ context, copies, without: WITHOUT }, grid)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('the browser could not make the picture'))
      else resolve(blob)
    }, 'image/png')
  })
}
