/** Background removal, on shapes with a known outline and on a photo. */
import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { identify, picture, rgba } from '../../../support/formats/images.ts'
import { refusal, replacedDuring, replaceWorkers, runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

// a process keeps memory of other test files, and would be replaced for it
beforeAll(replaceWorkers)

const alphas = ({ data }: { data: Buffer }): number[] => [...data.filter((_, i) => i % 4 === 3)]

/** Intersection over union of two masks. */
function overlap(a: readonly number[], b: readonly number[]): number {
  let [both, either] = [0, 0]
  for (const [i, value] of a.entries()) {
    both += Math.min(value, b[i] as number)
    either += Math.max(value, b[i] as number)
  }
  return both / either
}

test('cuts out a ball in front of a wall along its edge, at full size', async () => {
  const mask = picture(
    'mask.png',
    '-size',
    '640x480',
    'xc:none',
    '-fill',
    'white',
    '-draw',
    'circle 300,250 300,110',
    'PNG32:',
  )
  const ball = picture(
    'ball.jpg',
    '-size',
    '640x480',
    'gradient:#c8d4dc-#a8b4bc',
    '(',
    '-size',
    '280x280',
    'radial-gradient:#e05020-#601808',
    ')',
    '(',
    mask.path,
    '-alpha',
    'extract',
    '-crop',
    '280x280+160+110',
    '+repage',
    ')',
    '-compose',
    'over',
    '(',
    '-clone',
    '1,2',
    '-alpha',
    'off',
    '-compose',
    'CopyOpacity',
    '-composite',
    ')',
    '-delete',
    '1,2',
    '-geometry',
    '+160+110',
    '-compose',
    'over',
    '-composite',
    '-quality',
    '92',
  )
  const { path, data, filename } = await runTool('image.remove-background', { file: ball })
  expect({ data, filename }).toEqual({
    data: { width: 640, height: 480, format: 'png' },
    filename: 'ball_cutout.png',
  })
  expect(overlap(alphas(rgba(mask.path)), alphas(rgba(path)))).toBeGreaterThan(0.97)
})

const cut = async (file: { name: string; content: Buffer }) =>
  rgba((await runTool('image.remove-background', { file })).path)
const PHOTO = join(FIXTURES, 'dull.jpg')
// one run takes seconds of processor time
let cutting: ReturnType<typeof cut> | undefined
const cutPhoto = (): ReturnType<typeof cut> => {
  cutting ??= cut({ name: 'a.png', content: readFileSync(picture('same.png', PHOTO, 'PNG24:').path) })
  return cutting
}

test('keeps the cat of a photo and removes the room', async () => {
  const { data, width } = await cutPhoto()
  const alphaAt = (x: number, y: number) => data[(y * width + x) * 4 + 3] as number
  for (const [x, y] of [
    [170, 110],
    [230, 150],
    [320, 150],
    [262, 240],
  ] as const)
    expect(alphaAt(x, y)).toBeGreaterThan(200)
  for (const [x, y] of [
    [430, 60],
    [440, 200],
    [10, 20],
  ] as const)
    expect(alphaAt(x, y)).toBeLessThan(15)
})

/** An uncompressed BMP of 32 bits, as screenshots are: the fourth byte is unused, 0 or 255. */
function bmp32({ data, width, height }: { data: Buffer; width: number; height: number }, fourth: number): Buffer {
  const head = Buffer.alloc(54)
  head.write('BM')
  head.writeUInt32LE(54 + data.length, 2)
  head.writeUInt32LE(54, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(width, 18)
  // negative: rows from top to bottom
  head.writeInt32LE(-height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(32, 28)
  const bgra = Buffer.from(data)
  for (let at = 0; at < bgra.length; at += 4) {
    ;[bgra[at], bgra[at + 2], bgra[at + 3]] = [bgra[at + 2] as number, bgra[at] as number, fourth]
  }
  return Buffer.concat([head, bgra])
}

test('an opaque BMP of 32 bits is cut as the same PNG is, by the same process, which has the network loaded', async () => {
  const truth = await cutPhoto()
  let found = truth
  const replaced = await replacedDuring(async () => {
    found = await cut({ name: 'a.bmp', content: bmp32(rgba(PHOTO), 255) })
  })
  expect(replaced).toEqual([])
  expect(overlap(alphas(truth), alphas(found))).toBeGreaterThan(0.999)
  expect(Math.min(...alphas(found))).toBe(0)
})

test('transparency of the source is kept', async () => {
  const glass = picture(
    'glass.png',
    '-size',
    '200x200',
    'xc:none',
    '-fill',
    '#b03020',
    '-draw',
    'circle 100,100 100,40',
    'PNG32:',
  )
  const { path } = await runTool('image.remove-background', { file: glass })
  const { data } = rgba(path)
  expect(data[3]).toBe(0)
  expect(data[(100 * 200 + 100) * 4 + 3]).toBeGreaterThan(240)
})

test('warns about an image without a foreground; rejects a TIFF', async () => {
  const empty = picture('empty.png', '-size', '100x100', 'xc:#888888', 'PNG24:')
  const { warnings, path } = await runTool('image.remove-background', { file: empty })
  expect(warnings).toEqual([expect.stringContaining('Nothing')])
  expect(identify(path, '%m')).toBe('PNG')
  const tiff = picture('a.tiff', '-size', '10x10', 'xc:red')
  expect(await refusal('image.remove-background', { file: tiff })).toMatchObject({ field: 'file', rule: 'format' })
})
