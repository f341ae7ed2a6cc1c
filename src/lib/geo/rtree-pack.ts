/**
 * Fills an empty R-tree table of SQLite at once. Rows that are inserted one by one split nodes again and again, which
 * takes as long as writing the layer; sorted rows fill whole nodes. The format is that of SQLite's rtree.c.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Envelope } from './wkb.ts'

export type Indexed = { id: number; envelope: Envelope }

/** Coordinates are 32-bit floats, rounded outwards. */
type Box = { id: number; minX: number; maxX: number; minY: number; maxY: number }

const [HEADER_BYTES, CELL_BYTES] = [4, 24]
const ROOT = 1

/** @param index name of the table, which is empty */
export function packRtree(db: DatabaseSync, index: string, rows: readonly Indexed[]): void {
  if (rows.length === 0) return
  const part = (name: string): string => `"${`${index}_${name}`.replaceAll('"', '""')}"`
  const { bytes } = db.prepare(`SELECT length(data) AS bytes FROM ${part('node')} WHERE nodeno = ${ROOT}`).get() as {
    bytes: number
  }
  const writeNode = db.prepare(`INSERT OR REPLACE INTO ${part('node')} VALUES (?, ?)`)
  const writeRow = db.prepare(`INSERT INTO ${part('rowid')} VALUES (?, ?)`)
  const writeParent = db.prepare(`INSERT INTO ${part('parent')} VALUES (?, ?)`)
  const capacity = Math.floor((bytes - HEADER_BYTES) / CELL_BYTES)
  let level = inTiles(rows, capacity).map(boxOf)
  let nextNode = ROOT + 1
  for (let depth = 0; ; depth++) {
    const isRoot = level.length <= capacity
    const setParent = depth === 0 ? writeRow : writeParent
    const above: Box[] = []
    for (let at = 0; at < level.length; at += capacity) {
      const cells = level.slice(at, at + capacity)
      const node = isRoot ? ROOT : nextNode++
      writeNode.run(node, nodeOf(cells, bytes, isRoot ? depth : 0))
      for (const { id } of cells) setParent.run(id, node)
      above.push(around(cells, node))
    }
    if (isRoot) return
    level = above
  }
}

/** Sorted by column, then by row, so that each run of `capacity` rows is compact (sort-tile-recursive). */
function inTiles(rows: readonly Indexed[], capacity: number): Indexed[] {
  const middle = ({ envelope }: Indexed, axis: 0 | 1): number => envelope[axis] + (envelope[axis + 2] as number)
  const columns = Math.ceil(Math.sqrt(rows.length / capacity))
  const perColumn = Math.ceil(rows.length / columns / capacity) * capacity
  const byX = rows.toSorted((a, b) => middle(a, 0) - middle(b, 0))
  const tiles: Indexed[] = []
  for (let at = 0; at < byX.length; at += perColumn)
    for (const row of byX.slice(at, at + perColumn).sort((a, b) => middle(a, 1) - middle(b, 1))) tiles.push(row)
  return tiles
}

const boxOf = ({ id, envelope: [minX, minY, maxX, maxY] }: Indexed): Box => ({
  ...{ id, minX: floatBelow(minX), maxX: -floatBelow(-maxX), minY: floatBelow(minY), maxY: -floatBelow(-maxY) },
})

const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** The largest 32-bit float that is not greater. */
function floatBelow(value: number): number {
  float[0] = value
  if ((float[0] as number) <= value) return float[0] as number
  if (float[0] === 0) return -(2 ** -149)
  bits[0] = (bits[0] as number) + ((float[0] as number) > 0 ? -1 : 1)
  return float[0] as number
}

function around(cells: readonly Box[], id: number): Box {
  const box = { id, minX: Infinity, maxX: -Infinity, minY: Infinity, maxY: -Infinity }
  for (const { minX, maxX, minY, maxY } of cells) {
    box.minX = Math.min(box.minX, minX)
    box.maxX = Math.max(box.maxX, maxX)
    box.minY = Math.min(box.minY, minY)
    box.maxY = Math.max(box.maxY, maxY)
  }
  return box
}

/** @param depth levels below the node; only the root states it */
function nodeOf(cells: readonly Box[], bytes: number, depth: number): Buffer {
  const node = Buffer.alloc(bytes)
  node.writeUInt16BE(depth, 0)
  node.writeUInt16BE(cells.length, 2)
  let at = HEADER_BYTES
  for (const { id, minX, maxX, minY, maxY } of cells) {
    node.writeBigInt64BE(BigInt(id), at)
    node.writeFloatBE(minX, at + 8)
    node.writeFloatBE(maxX, at + 12)
    node.writeFloatBE(minY, at + 16)
    node.writeFloatBE(maxY, at + 20)
    at += CELL_BYTES
  }
  return node
}
