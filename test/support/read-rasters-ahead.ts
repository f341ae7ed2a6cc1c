/**
 * A program for Node: reads each raster of a list as a whole and while it arrives in pieces, and prints what that gave
 * as JSON: whether the summaries are the `same` or `different`, or the file was `left` to the run.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openArriving } from '../../src/lib/raster/arriving-raster.ts'
import { openRaster } from '../../src/lib/raster/open-raster.ts'
import { shownBands } from '../../src/lib/raster/preview.ts'
import { summarise } from '../../src/lib/raster/statistics.ts'
import { arriving } from './arriving.ts'

const [home = ''] = process.argv.slice(2)
const rasters = JSON.parse(readFileSync(0, 'utf8')) as { path: string; lengths: number[] }[]
const MAX_SAMPLES = 1e9
const SIDE = 64
const ignore = (): void => undefined

async function compare(path: string, lengths: number[], i: number): Promise<string> {
  const copy = join(home, `${i}.tif`)
  const opened = await openArriving(copy, arriving(copy, readFileSync(path), lengths), MAX_SAMPLES)
  if (opened === undefined) return 'left'
  const ahead = await summarise(opened.raster, shownBands(opened.raster), SIDE, ignore, opened.arrival)
  opened.raster.close()
  return isDeepStrictEqual(ahead, await asWhole(path)) ? 'same' : 'different'
}

/** Undefined when it cannot be read. */
async function asWhole(path: string): Promise<unknown> {
  try {
    const raster = await openRaster(path, MAX_SAMPLES)
    const summaries = await summarise(raster, shownBands(raster), SIDE, ignore)
    raster.close()
    return summaries
  } catch {
    return undefined
  }
}

const outcomes: string[] = []
for (const [i, { path, lengths }] of rasters.entries())
  outcomes.push(await compare(path, lengths, i).catch((error) => `${error.rule ?? error.stack}`))
process.stdout.write(JSON.stringify(outcomes))
