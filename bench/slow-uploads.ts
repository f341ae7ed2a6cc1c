/**
 * What reading a file while it arrives saves: calls whose form is sent at the rate of a network, in alternating order
 * with the same file under a name without an extension, which is read when it is whole. Medians on a warm server.
 * `bun run bench slow-uploads [rounds] [part of a name]`
 */
import { linkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mediaContests } from './support/media-rivals.ts'
import { writeToolData } from './support/tool-data.ts'
import { type Call, load, ms, quantile, say, startHarness } from './support/tool-harness.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const CHOSEN = process.argv[3] ?? ''
/** Bytes a millisecond. */
const RATES: [string, number][] = [
  ['1 Gbit/s', 125_000],
  ['100 Mbit/s', 12_500],
]

const harness = await startHarness()
const { parcels } = writeToolData(harness.dir, 100_000)
const rasters = (await mediaContests(harness.dir, 'raster.')).filter(({ tool }) => tool === 'raster.raster-inspect')
const vector = (route: string, fields: Record<string, string>): Call => ({
  ...{ tool: `vector.${route.slice(1)}`, route, fields: { target_format: 'fgb', ...fields }, files: { file: parcels } },
})
const CALLS: [string, Call][] = [
  ['simplify, 100,000 polygons (49 MB)', vector('/simplify', { tolerance: '1' })],
  ['centroids, 100,000 polygons (49 MB)', vector('/centroids', {})],
  ...rasters.map((contest): [string, Call] => [`raster-inspect, ${contest.on}`, contest]),
]

/** The same call with a file of another name. */
function unnamed(call: Call, i: number): Call {
  const path = call.files.file as string
  const link = join(dirname(path), `unnamed-${i}`)
  linkSync(path, link)
  return { ...call, files: { ...call.files, file: link } }
}

say(`load ${load()}, medians of ${ROUNDS} rounds, ms\n`)
say('| call | rate | sent in | read when whole | read while it arrives | ratio |')
say('| ---- | ---- | ------: | --------------: | --------------------: | ----: |')
try {
  for (const [i, [name, call]] of CALLS.filter(([name]) => name.includes(CHOSEN)).entries()) {
    const later = unnamed(call, i)
    const bytes = Bun.file(call.files.file as string).size
    for (const one of [call, later, call]) await harness.call(one)
    for (const [rateName, rate] of RATES) {
      const [ahead, whole]: [number[], number[]] = [[], []]
      // a call of 400 MB at the low rate takes half a minute
      for (let round = 0; round < (bytes / rate > 10_000 ? 1 : ROUNDS); round++) {
        const order = round % 2 === 0 ? [ahead, whole] : [whole, ahead]
        for (const times of order)
          times.push((await harness.call({ ...(times === ahead ? call : later), rate })).callMs)
      }
      const [a, w] = [quantile(ahead, 0.5), quantile(whole, 0.5)]
      say(`| ${name} | ${rateName} | ${ms(bytes / rate)} | ${ms(w)} | ${ms(a)} | ${(a / w).toFixed(2)} |`)
    }
  }
} finally {
  await harness.stop()
}
