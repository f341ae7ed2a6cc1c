/** Pictures of features and clicks on them, for the workers that keep features. */
import type { Geometry } from 'geojson'
import { paint } from './paint.ts'
import type { Look, PictureView, Touch } from './protocol.ts'
import { collectShapes, type Shapes } from './shapes.ts'
import { touched } from './touch.ts'

/** @param geometries the current geometries; read at the first picture, and again after `forget` */
export function createPainter(geometries: () => Iterable<Geometry | null>) {
  let classes: Uint8Array | undefined
  let collected: ReturnType<typeof collectShapes> | undefined
  function add(more: Iterable<Geometry | null>): void {
    collected ??= collectShapes()
    for (const geometry of more) collected.add(geometry)
  }
  function current(): Shapes {
    if (collected === undefined) add(geometries())
    return collected?.shapes() as Shapes
  }
  return {
    prepare: (): void => void current(),
    /** The features have changed. */
    forget(): void {
      collected = undefined
    },
    /** Adds features after the known ones. */
    add,
    /** @param next the class of each feature by its place in the list; undefined for features without classes */
    classify(next: Uint8Array | undefined): void {
      classes = next
    },
    picture(view: PictureView, look: Look): ImageBitmap {
      const canvas = new OffscreenCanvas(view.width, view.height)
      const context = canvas.getContext('2d')
      if (context === null) throw new Error('this browser has no canvas in workers')
      paint(context, current(), view, look, classes)
      return canvas.transferToImageBitmap()
    },
    /** @returns the index of a feature in the list */
    at: (touch: Touch): number | undefined => touched(current(), touch),
  }
}
