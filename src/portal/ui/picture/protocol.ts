/** Messages between a page and a worker that draws features: pictures of a part of the map, and clicks on it. */

/** A part of the map in Mercator units (the world is 1 wide, and 0 is the north), and its size in device pixels. */
export type PictureView = {
  west: number
  north: number
  east: number
  south: number
  width: number
  height: number
  /** Device pixels of a pixel of the page. */
  ratio: number
}
/** How features are drawn; lengths in pixels of the page. */
export type Look = {
  fill: string
  /** 0 to 1. */
  fillOpacity: number
  line: string
  lineWidth: number
  dash?: readonly number[]
  /** Around points, so that they stand out. */
  halo: string
  haloWidth: number
  radius: number
  /** A colour for each class of features, if they are classified; the others have `fill` and `line`. */
  colours?: readonly string[]
}
/** A position in Mercator units, and the distance within which a feature counts as clicked. */
export type Touch = { x: number; y: number; reach: number; pointReach: number }
